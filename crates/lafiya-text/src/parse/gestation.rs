//! How far a pregnancy is: "11 weeks pregnant" says the trimester. Which ids and words is data.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Choice, Sex};

use super::concept_set::ConceptSet;
use super::known;
use super::marks::Mark;
use super::reading::Reading;
use super::spotted::Spotted;
use super::time::Times;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::{GestationWords, Stage};

/// The stages of a pregnancy that a base knows.
#[derive(Clone, Debug)]
pub(super) struct Gestation {
    pregnancy: Option<ConceptRef>,
    /// Below so many weeks, the stage; in rising order.
    stages: Vec<(u32, ConceptRef)>,
    /// What it is to be born before so many weeks.
    born_early: Option<(u32, ConceptRef)>,
    /// What findings mean in some weeks.
    narrower: Vec<Narrower>,
    /// Make the weeks of a clause those of a birth.
    at_birth: PhraseSet<()>,
    /// Right before weeks that are past.
    back_then: PhraseSet<()>,
}

/// Whose weeks are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weeks {
    OfPregnancy,
    AtBirth,
    Past,
}

/// Findings, the weeks, and what they mean then.
#[derive(Clone, Debug)]
struct Narrower {
    with: ConceptSet,
    weeks: std::ops::Range<u32>,
    means: ConceptRef,
}

const WEEK_DAYS: u32 = 7;
/// Words from one that makes weeks past to them: "booked at 12/40".
const BACK_THEN_WITHIN: usize = 2;

impl Gestation {
    pub(super) fn new(base: &KnowledgeBase, words: &GestationWords) -> Self {
        let stage = |it: &Stage| Some((it.weeks_below, base.resolve(&it.id)?));
        let mut stages: Vec<(u32, ConceptRef)> = words.stage.iter().filter_map(stage).collect();
        stages.sort_unstable();
        let narrower = words.narrower.iter().filter_map(|it| {
            Some(Narrower {
                with: known(base, &it.with),
                weeks: it.weeks_from..it.weeks_below,
                means: base.resolve(&it.id)?,
            })
        });
        Self {
            pregnancy: base.resolve(&words.pregnancy),
            born_early: stage(&words.born_early),
            narrower: narrower.collect(),
            at_birth: PhraseSet::of(&words.at_birth),
            back_then: PhraseSet::of(&words.back_then),
            stages,
        }
    }

    /// Puts the stage beside a pregnancy that is spoken of with its weeks or months. Who is too young for one was born so
    /// early.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        (age, sex): (Option<Age>, Option<Sex>),
        spotted: &mut Vec<Spotted>,
    ) {
        let can_be = |concept: ConceptRef| {
            let risk = concept.risk().map(|ix| base.risk(ix));
            risk.is_none_or(|it| {
                age.is_none_or(|age| it.ages.contains(age))
                    && sex.is_none_or(|sex| it.sex.allows(sex))
            })
        };
        let next_number = |from: usize| reading.next_of(from, [Trait::Number, Trait::Unit]);
        // Most texts have no word that makes weeks those of a pregnancy, and then only "36/40" and "36+4" do.
        let marks = [
            Mark::BehindWeeks,
            Mark::BeforeWeeks,
            Mark::TwoBeforeWeeks,
            Mark::Midwifery,
            Mark::Mother,
        ];
        let spoken_of = marks.into_iter().any(|mark| reading.marks.has_any(mark));
        if !spoken_of && !reading.has_any([Trait::Slash]) {
            return;
        }
        let may_be = |at: usize| {
            spoken_of
                || reading
                    .words
                    .get(at + 1)
                    .is_some_and(|it| matches!(*it, "/" | "+"))
        };
        let count_at =
            |at: usize| Times::fraction_at(reading, at).or_else(|| Times::counted_at(reading, at));
        let mut next = next_number(0);
        while next < reading.len() {
            let at = next;
            let count = may_be(at).then(|| count_at(at)).flatten();
            next = next_number(count.as_ref().map_or(at + 1, |it| it.end));
            let Some(count) = count else {
                continue;
            };
            let (Some(days), true) = (count.days, count.is_gestation(reading)) else {
                continue;
            };
            let weeks = self.weeks(reading, at);
            if weeks == Weeks::Past {
                continue;
            }
            let at_birth = weeks == Weeks::AtBirth;
            let born_early = self.born_early.iter();
            let born_early = born_early.filter(|_| at_birth || age.is_some());
            let stages = self.stages.iter().filter(|_| !at_birth).chain(born_early);
            let mut stages = stages.filter(|(_, concept)| can_be(*concept));
            let stage = stages.find(|(below, _)| days / WEEK_DAYS < *below);
            let carrier = spotted
                .iter()
                .find(|it| Some(it.concept) == self.pregnancy && it.choice == Choice::Present);
            let Some((_, stage)) = stage.filter(|_| days >= WEEK_DAYS) else {
                continue;
            };
            let core = carrier.map_or_else(|| (at..count.end).collect(), |it| it.core.clone());
            if !spotted.iter().any(|it| it.concept == *stage) {
                spotted.push(Spotted::derived(*stage, core));
            }
            if !at_birth {
                self.narrow(days / WEEK_DAYS, spotted);
            }
        }
    }

    fn weeks(&self, reading: &Reading<'_>, at: usize) -> Weeks {
        let clause = reading.clause_of(at);
        let near = at.saturating_sub(BACK_THEN_WITHIN).max(clause.start)..at;
        if self.back_then.begins_in(&reading.keys, near) {
            Weeks::Past
        } else if self.at_birth.begins_in(&reading.keys, clause) {
            Weeks::AtBirth
        } else {
            Weeks::OfPregnancy
        }
    }

    /// "Contractions" at 30 weeks are contractions before their time.
    fn narrow(&self, weeks: u32, spotted: &mut Vec<Spotted>) {
        for narrower in self.narrower.iter().filter(|it| it.weeks.contains(&weeks)) {
            let known = spotted.iter().any(|it| it.concept == narrower.means);
            let told = spotted
                .iter()
                .find(|it| narrower.with.contains(it.concept) && it.is_had());
            if let (Some(told), false) = (told, known) {
                spotted.push(Spotted::derived(narrower.means, told.core.clone()));
            }
        }
    }
}
