//! When a birth was: "gave birth three years ago" is no childbed, "had a caesarean ten days ago" is one, and so is "I have fever, my
//! baby is ten days old". Which ids is data.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Sex};

use super::concept_set::ConceptSet;
use super::known;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};
use super::time::{CHILDBED_DAYS, Told};
use crate::words::GestationWords;

/// The weeks after a birth, and what says that there was one.
#[derive(Clone, Debug)]
pub(super) struct Childbed {
    childbed: Option<ConceptRef>,
    /// True for life, and a childbed as well when they are fresh.
    births: ConceptSet,
}

/// Ages at which a woman may have borne the newborn baby that she tells of.
const MOTHERS: Range<u32> = 12..50;

impl Childbed {
    pub(super) fn new(base: &KnowledgeBase, words: &GestationWords) -> Self {
        Self {
            childbed: base.resolve(&words.childbed),
            births: known(base, &words.births),
        }
    }

    /// Drops a childbed that is over, and puts one beside a birth that is not long ago and beside the age of a woman's newborn.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        Told { times, newborn, .. }: &Told,
        (age, sex): (Option<Age>, Option<Sex>),
        spotted: &mut Vec<Spotted>,
    ) {
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
            self.births.contains(it.concept)
                && it.is_had()
                && told(it, |days| days <= CHILDBED_DAYS)
                && !is_over(it)
        });
        let may_be_hers =
            sex == Some(Sex::Female) && age.is_some_and(|it| MOTHERS.contains(&it.years()));
        let told_by_age = newborn.as_ref().filter(|_| may_be_hers);
        let birth = fresh.map(|it| it.core.clone());
        if let Some(birth) = birth.or_else(|| told_by_age.map(|it| it.clone().collect())) {
            spotted.push(Spotted::derived(childbed, birth));
        }
    }
}
