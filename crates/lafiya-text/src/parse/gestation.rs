//! How far a pregnancy is: "11 weeks pregnant" says the trimester. Which ids and words is data.
//!
//! Weeks right beside a word for a pregnancy are found with the times. Weeks further away
//! ("pregnant woman, 34 weeks, with headache") are judged here, where the findings are known: a
//! time that belongs to a finding stays one.

use std::ops::Range;

use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Choice, Sex};

use super::concept_set::ConceptSet;
use super::counted_time::CountedTime;
use super::draft_mention::{DraftMention, Dropped};
use super::known;
use super::marks::Mark;
use super::matches::Tokens;
use super::ordinal_time::OrdinalTimes;
use super::reading::Reading;
use super::time::StatedTimes;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::{GestationWords, Stage};

/// The stages of pregnancy in a knowledge base.
#[derive(Clone, Debug)]
pub(super) struct Gestation {
    pregnancy: Option<ConceptRef>,
    /// The stages with their upper limits in weeks, in ascending order.
    stages: Vec<(u32, ConceptRef)>,
    /// The finding for a birth before this many weeks.
    born_early: Option<(u32, ConceptRef)>,
    /// Findings with a narrower meaning in certain weeks.
    narrower: Vec<Narrower>,
    /// Phrases that make the weeks of a clause those of a birth.
    at_birth: PhraseSet<()>,
    /// Phrases directly before weeks that are past.
    back_then: PhraseSet<()>,
    /// A pregnancy from which weeks may stand further away.
    pregnant: PhraseSet<()>,
    /// Before weeks without a unit.
    in_weeks: PhraseSet<()>,
    /// Between a pregnancy and weeks of something else.
    having: PhraseSet<()>,
    /// Right before weeks that something has lasted.
    lasting: PhraseSet<()>,
    /// Beside "20/40" these make it a score or a measurement.
    scores: PhraseSet<()>,
    /// Before weeks that are the age of a child.
    children: PhraseSet<()>,
    /// Behind weeks without a unit: "32 SA".
    weeks_signs: PhraseSet<()>,
    ordinals: OrdinalTimes,
}

/// What weeks or months that stand apart from a pregnancy are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// How far the pregnancy is.
    Gestation,
    /// This or how long a finding has lasted: neither is taken, and the stage is to be asked.
    Unsure,
    /// How long something has lasted, or another time.
    Time,
    /// The age of a child: no time that a finding has lasted.
    ChildAge,
}

/// What stands next to weeks on one side, light words and signs passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoOccurrenceRule {
    /// A word for the pregnancy; whether a comma or the like stands between.
    Pregnancy(bool),
    /// A finding, likewise.
    Finding(bool),
    Other,
}

/// The text as this step sees it.
struct Surroundings<'r, 'a> {
    reading: &'r Reading<'a>,
    /// By token, whether it says that the patient is pregnant.
    pregnant: Vec<bool>,
    /// By token, whether it carries anything else that was recognised.
    covered: Vec<bool>,
    ages: &'r [Range<usize>],
    /// Whether a birth or a loss is told of, by token of its mention.
    births: Vec<usize>,
}

impl Surroundings<'_, '_> {
    fn is_pregnant(&self) -> bool {
        self.pregnant.contains(&true)
    }
}

/// What the weeks refer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weeks {
    OfPregnancy,
    AtBirth,
    Past,
}

/// Findings, a range of weeks, and their meaning in these weeks.
#[derive(Clone, Debug)]
struct Narrower {
    with: ConceptSet,
    weeks: std::ops::Range<u32>,
    means: ConceptRef,
}

const WEEK_DAYS: u32 = 7;
/// Maximum words from a word for the past to the weeks: "booked at 12/40".
const BACK_THEN_WITHIN: usize = 4;
/// Maximum words from a score to its number.
const SCORE_WITHIN: usize = 3;
/// Nobody says of a complaint that it has lasted so many weeks: people count it in months.
const WEEKS_OF_A_PREGNANCY: Range<u32> = 14..45;
/// From here on months are more often told of a pregnancy than of a complaint that is brought.
const MONTHS_OF_A_PREGNANCY_DAYS: u32 = 120;
/// Words of a phrase that leads a time in.
const LEAD_WORDS_MAX: usize = 4;
/// Who may be pregnant without saying so.
const CHILDBEARING_YEARS: Range<u32> = 15..50;
/// Weeks without a unit.
const BARE_WEEKS: Range<u32> = 4..45;

impl Gestation {
    pub(super) fn new(base: &KnowledgeBase, words: &GestationWords) -> Self {
        let stage = |stage: &Stage| Some((stage.weeks_below, base.resolve(&stage.id)?));
        let mut stages: Vec<(u32, ConceptRef)> = words.stage.iter().filter_map(stage).collect();
        stages.sort_unstable();
        let narrower = words.narrower.iter().filter_map(|narrower| {
            Some(Narrower {
                with: known(base, &narrower.with),
                weeks: narrower.weeks_from..narrower.weeks_below,
                means: base.resolve(&narrower.id)?,
            })
        });
        Self {
            pregnancy: base.resolve(&words.pregnancy),
            born_early: stage(&words.born_early),
            narrower: narrower.collect(),
            at_birth: PhraseSet::of(&words.at_birth),
            back_then: PhraseSet::of(&words.back_then),
            pregnant: PhraseSet::of(&words.pregnant),
            in_weeks: PhraseSet::of(&words.in_weeks),
            having: PhraseSet::of(&words.having),
            lasting: PhraseSet::of(&words.lasting),
            scores: PhraseSet::of(&words.scores),
            children: PhraseSet::of(&words.children),
            weeks_signs: PhraseSet::of(&words.weeks_signs),
            ordinals: OrdinalTimes::new(words),
            stages,
        }
    }

    /// Puts the stage beside a pregnancy that is spoken of with its weeks or months, which are then
    /// no time that a finding has lasted. Who is too young for a pregnancy was born so early.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        patient: (Option<Age>, Option<Sex>),
        told: &mut StatedTimes,
        drafts: &mut Vec<DraftMention>,
    ) {
        if !self.beside(reading, base, patient, told, drafts) {
            self.apart(reading, base, patient, told, drafts);
        }
    }

    /// Weeks right beside a word for a pregnancy; says whether there are any.
    fn beside(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        patient: (Option<Age>, Option<Sex>),
        told: &mut StatedTimes,
        drafts: &mut Vec<DraftMention>,
    ) -> bool {
        // Fast path: most texts have no word for weeks of pregnancy, so only "36/40" and "36+4"
        // remain.
        let marks = [
            Mark::BehindWeeks,
            Mark::BeforeWeeks,
            Mark::TwoBeforeWeeks,
            Mark::Mother,
            Mark::Midwifery,
        ];
        let spoken_of = marks.into_iter().any(|mark| reading.marks.has_any(mark));
        if !spoken_of && !reading.has_any([Trait::Slash]) {
            return false;
        }
        let may_be = |at: usize| {
            spoken_of
                || reading
                    .words
                    .get(at + 1)
                    .is_some_and(|word| matches!(*word, "/" | "+"))
        };
        let next_number = |from: usize| reading.next_of(from, [Trait::Number, Trait::Unit]);
        let mut any = false;
        let mut next = next_number(0);
        while next < reading.len() {
            let at = next;
            let count = may_be(at).then(|| self.count_at(reading, at)).flatten();
            next = next_number(count.as_ref().map_or(at + 1, |count| count.end));
            let (days, end) = match &count {
                Some(count)
                    if count.is_of_forty_weeks() && self.is_score(reading, count, drafts) =>
                {
                    continue;
                }
                Some(count) if count.is_gestation(reading) => (count.days, count.end),
                None => (self.bare_weeks(reading, at), at + 1),
                Some(_) => continue,
            };
            let weeks = self.weeks(reading, at);
            if let Some(days) = days
                && weeks != Weeks::Past
            {
                let at_birth = weeks == Weeks::AtBirth;
                told.gestations.push(days);
                any |= self.note((base, patient), (days, at_birth), at..end, drafts);
            }
        }
        any
    }

    /// "GA 34": the days of weeks without a unit.
    fn bare_weeks(&self, reading: &Reading<'_>, at: usize) -> Option<u32> {
        let is_link = |n: &usize| {
            let sign = matches!(reading.words[*n], ":" | "=" | "~");
            sign || reading.marks.has(*n, Mark::BetweenWeeks)
        };
        let links = (0..at).rev().take_while(is_link).take(2).count();
        let before = at - links;
        let named = (1..=before.min(LEAD_WORDS_MAX))
            .any(|length| self.in_weeks.length_at(&reading.keys, before - length) == length);
        let weeks: u32 = reading.words[at].parse().ok()?;
        let days = match [reading.word(at + 1), reading.word(at + 2)] {
            ["+", days] => days.parse::<u32>().ok().filter(|days| *days < WEEK_DAYS),
            _ => None,
        };
        // "G3P2 38+2", but not the "5+1" of "P5+1".
        let is_parity = matches!(
            reading.word(before.saturating_sub(1)),
            "p" | "para" | "g" | "a"
        );
        let mut clause = reading.sentence_of(at);
        let noted = days.is_some()
            && !is_parity
            && clause.any(|n| {
                reading
                    .marks
                    .has_one_of(n, [Mark::Midwifery, Mark::BeforeWeeks])
            });
        let signed = self.weeks_signs.length_at(&reading.keys, at + 1) > 0;
        let goes_on = matches!(reading.word(at + 1), "/" | "%" | "." | "-");
        ((named || noted || signed) && !goes_on && BARE_WEEKS.contains(&weeks))
            .then(|| weeks * WEEK_DAYS + days.unwrap_or_default())
    }

    /// "MMSE 24/40", "BP 43/40": whether a number out of 40 is a score or a measurement.
    fn is_score(
        &self,
        reading: &Reading<'_>,
        count: &CountedTime,
        drafts: &[DraftMention],
    ) -> bool {
        let measured = drafts
            .iter()
            .any(|mention| mention.value.is_some() && mention.core.contains(&count.at));
        let clause = reading.clause_of(count.at);
        let before = count.at.saturating_sub(SCORE_WITHIN).max(clause.start)..count.at;
        // "6/40 vision", but not "33/40 BP 150/100".
        let length = self.scores.length_at(&reading.keys, count.end);
        let next = reading.tokens.get(count.end + length);
        let behind = length > 0 && next.is_none_or(|next| !next.is_number());
        measured || behind || self.scores.begins_in(&reading.keys, before)
    }

    /// A number of weeks or the like at a token, written in any way.
    fn count_at(&self, reading: &Reading<'_>, at: usize) -> Option<CountedTime> {
        CountedTime::fraction_at(reading, at)
            .or_else(|| CountedTime::at(reading, at))
            .or_else(|| self.ordinals.at(reading, at))
    }

    /// Notes the stage that a pregnancy is in after so many days, or that somebody was born so
    /// early.
    fn note(
        &self,
        (base, (age, sex)): (&KnowledgeBase, (Option<Age>, Option<Sex>)),
        (days, at_birth): (u32, bool),
        place: Range<usize>,
        drafts: &mut Vec<DraftMention>,
    ) -> bool {
        let can_be = |concept: ConceptRef| {
            let risk = concept.risk().map(|ix| base.risk(ix));
            risk.is_none_or(|risk| {
                age.is_none_or(|age| risk.ages.contains(age))
                    && sex.is_none_or(|sex| risk.sex.allows(sex))
            })
        };
        let born_early = self.born_early.iter();
        let born_early = born_early.filter(|_| at_birth || age.is_some());
        let stages = self.stages.iter().filter(|_| !at_birth).chain(born_early);
        let mut stages = stages.filter(|(_, concept)| can_be(*concept));
        let stage = stages.find(|(below, _)| days / WEEK_DAYS < *below);
        let Some((_, stage)) = stage.filter(|_| days >= WEEK_DAYS) else {
            return false;
        };
        // A phrase of another stage that holds these weeks is none.
        let is_stage = |mention: &DraftMention| {
            self.stages
                .iter()
                .any(|(_, concept)| *concept == mention.concept)
        };
        let holds = |mention: &DraftMention| mention.core.iter().any(|at| place.contains(at));
        let others = drafts
            .iter_mut()
            .filter(|mention| mention.concept != *stage);
        for mention in others.filter(|other| is_stage(other) && holds(other)) {
            mention.dropped = Some(Dropped::Misread);
        }
        if !drafts.iter().any(|mention| mention.concept == *stage) {
            let core = self.carrier(drafts).unwrap_or_else(|| place.collect());
            drafts.push(DraftMention::derived(*stage, core));
        }
        if !at_birth {
            self.narrow(days / WEEK_DAYS, drafts);
        }
        true
    }

    /// The words that say that the patient is pregnant.
    fn carrier(&self, drafts: &[DraftMention]) -> Option<Tokens> {
        let mut drafts = drafts.iter();
        let carrier = drafts.find(|mention| {
            Some(mention.concept) == self.pregnancy && mention.choice == Choice::Present
        });
        carrier.map(|mention| mention.core.clone())
    }

    /// Weeks and months apart from the pregnancy: "pregnant woman, 34 weeks, headache", "34 weeks,
    /// antenatal visit".
    fn apart(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        (age, sex): (Option<Age>, Option<Sex>),
        told: &mut StatedTimes,
        drafts: &mut Vec<DraftMention>,
    ) {
        let pregnancy = self.pregnancy.and_then(|pregnancy| pregnancy.risk());
        let can_be = pregnancy.map(|ix| base.risk(ix)).is_some_and(|risk| {
            age.is_none_or(|age| risk.ages.contains(age))
                && sex.is_none_or(|sex| risk.sex.allows(sex))
        });
        if !can_be || !reading.has_any([Trait::Number, Trait::Unit]) {
            return;
        }
        let (around, denied) = self.look_around(reading, base, &told.ages, drafts);
        let is_woman = sex == Some(Sex::Female)
            && age.is_some_and(|age| CHILDBEARING_YEARS.contains(&age.years()));
        let unsaid = is_woman && !denied && around.births.is_empty();
        if !around.is_pregnant() && !unsaid {
            return;
        }
        let mut best: Option<(CountedTime, Reads)> = None;
        let mut ages: Vec<usize> = Vec::new();
        reading.take_each_of([Trait::Number, Trait::Unit], |at| {
            let count = self.count_at(reading, at)?;
            let end = count.end;
            let reads = self.reads(&around, told, &count);
            if reads == Reads::ChildAge {
                ages.push(count.at);
                return Some(end);
            }
            let outweighs = |(known, known_as): &(CountedTime, Reads)| {
                (reads == Reads::Gestation, count.days)
                    > (*known_as == Reads::Gestation, known.days)
            };
            if reads != Reads::Time && best.as_ref().is_none_or(outweighs) {
                best = Some((count, reads));
            }
            Some(end)
        });
        told.times.retain(|time| !ages.contains(&time.first));
        let Some((count, reads)) = best else {
            return;
        };
        told.times.retain(|time| time.first != count.at);
        let Some(days) = count.days else {
            return;
        };
        told.gestations.push(days);
        if reads == Reads::Gestation {
            self.note(
                (base, (age, sex)),
                (days, false),
                count.at..count.end,
                drafts,
            );
        } else if let Some((_, stage)) = self.stages.iter().find(|stage| days / WEEK_DAYS < stage.0)
            && !drafts.iter().any(|mention| mention.concept == *stage)
        {
            drafts.push(DraftMention {
                choice: Choice::Unknown,
                ..DraftMention::derived(*stage, (count.at..count.end).collect())
            });
        }
    }

    /// Where the text says that the patient is pregnant, and whether it says that she is not.
    fn look_around<'r, 'a>(
        &self,
        reading: &'r Reading<'a>,
        base: &KnowledgeBase,
        ages: &'r [Range<usize>],
        drafts: &[DraftMention],
    ) -> (Surroundings<'r, 'a>, bool) {
        let mut pregnant = vec![false; reading.len()];
        let mut covered = vec![false; reading.len()];
        let mut births = Vec::new();
        for at in 0..reading.len() {
            let mut length = self.pregnant.length_at(&reading.keys, at);
            if reading.marks.has(at, Mark::Midwifery) {
                length = length.max(1);
            }
            pregnant[at..at + length].fill(true);
        }
        let state =
            |mention: &DraftMention| mention.concept.risk().and_then(|ix| base.risk(ix).state);
        let mut denied = false;
        for mention in drafts {
            let state = state(mention);
            if state == Some(State::Pregnant) && mention.is_had() {
                mention.core.iter().for_each(|&at| pregnant[at] = true);
            } else {
                mention.core.iter().for_each(|&at| covered[at] = true);
                if state == Some(State::Postpartum) && mention.is_had() {
                    births.push(mention.first());
                }
            }
        }
        // "Not pregnant", "my sister's pregnancy".
        for mention in drafts
            .iter()
            .filter(|mention| state(mention) == Some(State::Pregnant))
        {
            if !mention.is_had() {
                mention.core.iter().for_each(|&at| pregnant[at] = false);
                denied |= mention.choice == Choice::Absent;
            }
        }
        let around = Surroundings {
            reading,
            pregnant,
            covered,
            ages,
            births,
        };
        (around, denied)
    }

    /// What weeks or months are, judged by what stands beside them.
    fn reads(
        &self,
        around: &Surroundings<'_, '_>,
        told: &StatedTimes,
        count: &CountedTime,
    ) -> Reads {
        let reading = around.reading;
        let &CountedTime { at, end, .. } = count;
        let is_time = told.times.iter().any(|time| time.first == at);
        let at_weeks = at > 0 && reading.words[at - 1] == "at";
        let days = count.days.unwrap_or_default();
        let covered = (at..end).any(|n| around.covered[n]);
        if !count.may_be_gestation() || covered || !(is_time || at_weeks || count.is_ordinal) {
            return Reads::Time;
        }
        // "Pregnant, 3 weeks of cough", "miscarried at 12 weeks", "neonate born at 34 weeks".
        let of_another = reading.word(end) == "of" || reading.marks.has(end, Mark::NotWeeks);
        if of_another || self.weeks(reading, at) != Weeks::OfPregnancy {
            return Reads::Time;
        }
        let clause = reading.clause_of(at);
        if around.births.iter().any(|birth| clause.contains(birth)) {
            return Reads::Time;
        }
        let many = if count.in_weeks() {
            WEEKS_OF_A_PREGNANCY.contains(&(days / WEEK_DAYS))
        } else {
            days >= MONTHS_OF_A_PREGNANCY_DAYS
        };
        let many_weeks = many && count.in_weeks();
        if self.is_of_child(reading, at) {
            return if many { Reads::Unsure } else { Reads::ChildAge };
        }
        let sentence = reading.sentence_of(at);
        let lead = self.lead(reading, at);
        if !around.is_pregnant() {
            // Nothing says that she is pregnant, but no complaint is counted in so many weeks.
            let behind_finding =
                self.left(around, sentence.start..at) == CoOccurrenceRule::Finding(false);
            // "Headache at 36 weeks", "7th month": nobody counts a complaint so.
            let is_point = at_weeks || count.is_ordinal;
            let unsure = (many_weeks && lead == 0 && !behind_finding) || (many && is_point);
            return if unsure { Reads::Unsure } else { Reads::Time };
        }
        let left = self.left(around, sentence.start..at - lead);
        let right = self.right(around, end..sentence.end);
        if lead > 0 {
            return match left {
                CoOccurrenceRule::Pregnancy(false) => Reads::Gestation,
                // "Headache for 34 weeks, pregnant".
                CoOccurrenceRule::Finding(_)
                    if many_weeks && matches!(right, CoOccurrenceRule::Pregnancy(_)) =>
                {
                    Reads::Unsure
                }
                _ => Reads::Time,
            };
        }
        if count.is_ordinal {
            let is_beside = [left, right]
                .iter()
                .any(|side| matches!(side, CoOccurrenceRule::Pregnancy(_)));
            return if is_beside || (many && around.births.is_empty()) {
                Reads::Gestation
            } else {
                Reads::Time
            };
        }
        let followed =
            right == CoOccurrenceRule::Finding(false) && around.covered.get(end) == Some(&true);
        match (left, right) {
            (CoOccurrenceRule::Pregnancy(_), _) if many_weeks => Reads::Gestation,
            // "Pregnant, 6 weeks cough" is a cough; "pregnant, 8 months headache" may be either.
            (CoOccurrenceRule::Pregnancy(true), _) if followed && many => Reads::Unsure,
            (CoOccurrenceRule::Pregnancy(true), _) if followed => Reads::Time,
            (CoOccurrenceRule::Pregnancy(_), _) => Reads::Gestation,
            (CoOccurrenceRule::Finding(_), CoOccurrenceRule::Pregnancy(_)) if many_weeks => {
                Reads::Gestation
            }
            (CoOccurrenceRule::Finding(false), _) if !many_weeks && !at_weeks => Reads::Time,
            (CoOccurrenceRule::Finding(true), CoOccurrenceRule::Pregnancy(_)) if many => {
                Reads::Gestation
            }
            (CoOccurrenceRule::Finding(true), CoOccurrenceRule::Pregnancy(_)) => Reads::Unsure,
            (_, CoOccurrenceRule::Pregnancy(_)) => Reads::Gestation,
            _ if !around.births.is_empty() => Reads::Time,
            _ if many_weeks || at_weeks => Reads::Gestation,
            // "Pregnant, vomiting, 3 months".
            (CoOccurrenceRule::Finding(true), _) if self.is_alone(around, count) => Reads::Unsure,
            (CoOccurrenceRule::Other, _) if self.is_alone(around, count) => Reads::Gestation,
            _ => Reads::Time,
        }
    }

    /// "Baby of 6 weeks, mother pregnant again": whether weeks are the age of a child.
    fn is_of_child(&self, reading: &Reading<'_>, at: usize) -> bool {
        let is_link =
            |n: &usize| matches!(reading.words[*n], "of" | "is" | "aged" | "(" | "wa" | "de");
        let links = (0..at).rev().take_while(is_link).take(2).count();
        let before = at - links;
        (1..=before.min(2))
            .any(|length| self.children.length_at(&reading.keys, before - length) == length)
    }

    /// The words right before weeks that say that something has lasted so long.
    fn lead(&self, reading: &Reading<'_>, at: usize) -> usize {
        let is_lead =
            |length: &usize| self.lasting.length_at(&reading.keys, at - length) == *length;
        let lengths = 1..=at.min(LEAD_WORDS_MAX);
        lengths.rev().find(is_lead).unwrap_or(0)
    }

    fn left(&self, around: &Surroundings<'_, '_>, tokens: Range<usize>) -> CoOccurrenceRule {
        self.beside_of(around, tokens.rev())
    }

    fn right(&self, around: &Surroundings<'_, '_>, tokens: Range<usize>) -> CoOccurrenceRule {
        self.beside_of(around, tokens)
    }

    /// The first of these tokens that says something.
    fn beside_of(
        &self,
        around: &Surroundings<'_, '_>,
        tokens: impl Iterator<Item = usize>,
    ) -> CoOccurrenceRule {
        let reading = around.reading;
        let mut parted = false;
        for n in tokens {
            if around.pregnant[n] {
                return CoOccurrenceRule::Pregnancy(parted);
            }
            if around.covered[n] {
                return CoOccurrenceRule::Finding(parted);
            }
            let is_note = matches!(reading.words[n], "g" | "p" | "a" | "l" | "para" | "+");
            if reading.tokens[n].is_sign() && !is_note {
                parted = true;
                continue;
            }
            let is_person = reading.traits[n].has_any([Trait::Aged, Trait::Person]);
            let passed = is_note
                || is_person
                || reading.is_light(n)
                || reading.tokens[n].is_number()
                || reading.marks.has(n, Mark::BetweenWeeks)
                || around.ages.iter().any(|age| age.contains(&n));
            if !passed || self.having.length_at(&reading.keys, n) > 0 {
                return CoOccurrenceRule::Other;
            }
        }
        CoOccurrenceRule::Other
    }

    /// Whether nothing but light words stands beside weeks in their clause.
    fn is_alone(&self, around: &Surroundings<'_, '_>, count: &CountedTime) -> bool {
        let reading = around.reading;
        let mut clause = reading.clause_of(count.at);
        clause.all(|n| {
            (count.at..count.end).contains(&n) || (reading.is_light(n) && !around.covered[n])
        })
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

    /// Replaces findings by their narrower meaning: "contractions" at 30 weeks are preterm.
    fn narrow(&self, weeks: u32, drafts: &mut Vec<DraftMention>) {
        for narrower in self
            .narrower
            .iter()
            .filter(|narrower| narrower.weeks.contains(&weeks))
        {
            let known = drafts
                .iter()
                .any(|mention| mention.concept == narrower.means);
            let told = drafts
                .iter()
                .find(|mention| narrower.with.contains(mention.concept) && mention.is_had());
            if let (Some(told), false) = (told, known) {
                drafts.push(DraftMention::derived(narrower.means, told.core.clone()));
            }
        }
    }
}
