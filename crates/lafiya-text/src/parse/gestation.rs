//! How far a pregnancy is: "11 weeks pregnant" says the trimester. Which ids and words is data.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Choice, Sex};

use super::phrases::PhraseSet;
use super::reading::Reading;
use super::spotted::Spotted;
use super::time::Times;
use crate::words::GestationWords;

/// The stages of a pregnancy that a base knows.
#[derive(Clone, Debug)]
pub(super) struct Gestation {
    pregnancy: Option<ConceptRef>,
    behind: PhraseSet<()>,
    before: PhraseSet<()>,
    /// Below so many weeks, the stage; in rising order.
    stages: Vec<(u32, ConceptRef)>,
}

const WEEK_DAYS: u32 = 7;

impl Gestation {
    pub(super) fn new(base: &KnowledgeBase, words: &GestationWords) -> Self {
        let mut stages: Vec<(u32, ConceptRef)> = words
            .stage
            .iter()
            .filter_map(|it| Some((it.weeks_below, base.resolve(&it.id)?)))
            .collect();
        stages.sort_unstable();
        Self {
            pregnancy: base.resolve(&words.pregnancy),
            behind: PhraseSet::of(&words.behind),
            before: PhraseSet::of(&words.before),
            stages,
        }
    }

    /// Puts the stage beside a pregnancy that is spoken of with its weeks or months.
    pub(super) fn apply(
        &self,
        reading: &Reading,
        times: &Times,
        sex: Option<Sex>,
        spotted: &mut Vec<Spotted>,
    ) {
        if sex == Some(Sex::Male) {
            return;
        }
        for at in 0..reading.len() {
            let Some((Some(days), end)) = times.counted_at(reading, at) else {
                continue;
            };
            let said = self.behind.length_at(&reading.keys, end) > 0
                || (at > 0 && self.before.length_at(&reading.keys, at - 1) > 0);
            let stage = self
                .stages
                .iter()
                .find(|(below, _)| days / WEEK_DAYS < *below);
            let carrier = spotted
                .iter()
                .find(|it| Some(it.concept) == self.pregnancy && it.choice == Choice::Present);
            let (Some((_, stage)), true, true) = (stage, said, days >= WEEK_DAYS) else {
                continue;
            };
            let core = carrier.map_or_else(|| (at..end).collect(), |it| it.core.clone());
            if !spotted.iter().any(|it| it.concept == *stage) {
                spotted.push(Spotted {
                    derived: true,
                    ..Spotted::new(*stage, core, Choice::Present, 0.95)
                });
            }
        }
    }
}
