//! When a birth was: "gave birth three years ago" is no childbed, "had a caesarean ten days ago" is one. Which ids is data.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::known;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};
use super::time::Time;
use crate::words::GestationWords;

/// The weeks after a birth, and what says that there was one.
#[derive(Clone, Debug)]
pub(super) struct Childbed {
    childbed: Option<ConceptRef>,
    /// True for life, and a childbed as well when they are fresh.
    births: Vec<ConceptRef>,
}

/// Six weeks.
const CHILDBED_DAYS: u32 = 42;

impl Childbed {
    pub(super) fn new(base: &KnowledgeBase, words: &GestationWords) -> Self {
        Self {
            childbed: base.resolve(&words.childbed),
            births: known(base, &words.births),
        }
    }

    /// Drops a childbed that is over, and puts one beside a birth that is not long ago.
    pub(super) fn apply(&self, reading: &Reading<'_>, times: &[Time], spotted: &mut Vec<Spotted>) {
        let Some(childbed) = self.childbed else {
            return;
        };
        let told = |it: &Spotted, fits: fn(u32) -> bool| {
            let clause = reading.clause_of(it.first());
            times
                .iter()
                .any(|time| clause.contains(&time.first) && time.lasting.0.is_some_and(fits))
        };
        let is_over = |it: &Spotted| told(it, |days| days > CHILDBED_DAYS);
        for it in spotted.iter_mut().filter(|it| it.concept == childbed) {
            if is_over(it) {
                it.dropped = Some(Dropped::Past);
            }
        }
        let fresh = spotted.iter().find(|it| {
            self.births.contains(&it.concept)
                && it.is_had()
                && told(it, |days| days <= CHILDBED_DAYS)
                && !is_over(it)
        });
        if let Some(birth) = fresh.map(|it| it.core.clone()) {
            spotted.push(Spotted::derived(childbed, birth));
        }
    }
}
