//! The postpartum period: "gave birth three years ago" is not postpartum, but "had a caesarean ten
//! days ago" is, and so is "I have fever, my baby is ten days old". The ids are data.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Sex};

use super::concept_set::ConceptSet;
use super::draft_mention::{DraftMention, Dropped};
use super::known;
use super::reading::Reading;
use super::time::{CHILDBED_DAYS, StatedTimes};
use crate::words::GestationWords;

/// The postpartum finding, and the findings that imply a birth.
#[derive(Clone, Debug)]
pub(super) struct Postpartum {
    childbed: Option<ConceptRef>,
    /// Findings that stay true for life, and that also imply the postpartum period if they are
    /// recent.
    births: ConceptSet,
}

/// Ages at which a woman may be the mother of a newborn she mentions.
const MOTHERS: Range<u32> = 12..50;

impl Postpartum {
    pub(super) fn new(base: &KnowledgeBase, words: &GestationWords) -> Self {
        Self {
            childbed: base.resolve(&words.childbed),
            births: known(base, &words.births),
        }
    }

    /// Drops a postpartum period that is over. Adds one for a recent birth, or for the age of a
    /// woman's newborn.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        StatedTimes { times, newborn, .. }: &StatedTimes,
        (age, sex): (Option<Age>, Option<Sex>),
        drafts: &mut Vec<DraftMention>,
    ) {
        let Some(childbed) = self.childbed else {
            return;
        };
        let told = |mention: &DraftMention, fits: fn(u32) -> bool| {
            let clause = reading.clause_of(mention.first());
            times
                .iter()
                .any(|time| clause.contains(&time.first) && time.lasting.0.is_some_and(fits))
        };
        let is_over = |mention: &DraftMention| told(mention, |days| days > CHILDBED_DAYS);
        for mention in drafts
            .iter_mut()
            .filter(|mention| mention.concept == childbed)
        {
            if is_over(mention) {
                mention.dropped = Some(Dropped::Past);
            }
        }
        let fresh = drafts.iter().find(|mention| {
            self.births.contains(mention.concept)
                && mention.is_had()
                && told(mention, |days| days <= CHILDBED_DAYS)
                && !is_over(mention)
        });
        let may_be_hers =
            sex == Some(Sex::Female) && age.is_some_and(|age| MOTHERS.contains(&age.years()));
        let told_by_age = newborn.as_ref().filter(|_| may_be_hers);
        let birth = fresh.map(|mention| mention.core.clone());
        if let Some(birth) = birth.or_else(|| told_by_age.map(|tokens| tokens.clone().collect())) {
            drafts.push(DraftMention::derived(childbed, birth));
        }
    }
}
