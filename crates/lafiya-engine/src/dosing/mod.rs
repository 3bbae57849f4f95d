//! Medicines for this patient: references in texts become names and doses, computed from age,
//! weight and state; a contraindicated medicine becomes the reason not to give it.
//!
//! `weight` says how heavy the patient is, `rows` which row of a dose is meant, `amount` how much,
//! `forms` how many tablets or millilitres, `cautions` what speaks against it, and `words` writes
//! it down. Nothing here names a medicine.

mod advice;
mod amount;
mod cautions;
mod forms;
mod rows;
mod weight;
mod words;

use std::cell::RefCell;

use lafiya_knowledge::{
    Condition, ConditionIx, DoseIx, KnowledgeBase, Segment, capitalise, segment_words,
};
use lafiya_model::assessment::MedicineAdvice;
use lafiya_model::{Phrase, Text};

use crate::citations::Citations;
use crate::doses;
use crate::facts::PatientFacts;

use amount::Amount;
use cautions::Judged;
use rows::Chosen;
use weight::Weight;

/// The maximum number of medicines in an answer.
const MEDICINES_MAX: usize = 12;
/// Capacity for the text of one dose.
const DOSE_CHARACTERS: usize = 160;

/// Renders texts for one patient and keeps the doses that they refer to.
pub(crate) struct Dosing<'f, 'a> {
    facts: &'f PatientFacts<'a>,
    weight: Weight,
    /// The conditions shown in the answer, with their probabilities.
    listed: Vec<(ConditionIx, f64)>,
    /// In the order in which they were first referred to.
    made: RefCell<Vec<Made<'a>>>,
}

/// What a dose is for this patient.
struct Made<'a> {
    dose: DoseIx,
    /// Whether a text that says what to do now or how to treat refers to it, and not only a text
    /// about tests or warning signs.
    is_treatment: bool,
    /// As a text says it inside a sentence.
    words: String,
    chosen: Chosen<'a>,
    amount: Option<Amount<'a>>,
    judged: Judged,
}

/// Where a text stands in the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Among the actions and treatments.
    Treatment,
    /// Elsewhere, such as in the interpretation of a test.
    Aside,
}

impl<'f, 'a> Dosing<'f, 'a> {
    pub(crate) fn new(facts: &'f PatientFacts<'a>, listed: Vec<(ConditionIx, f64)>) -> Self {
        Self {
            weight: Weight::of(facts),
            facts,
            listed,
            made: RefCell::default(),
        }
    }

    /// Returns a line of a condition as this patient reads it.
    pub(crate) fn of_condition(
        &self,
        condition: &Condition,
        line: &'a Phrase,
        place: Place,
    ) -> Text<'a> {
        if self.base().segments(line).is_none() {
            return doses::of_condition(self.facts.age, condition, line);
        }
        let prose = doses::prose_of_condition(self.facts.age, condition, line);
        self.rendered(line, prose, place)
    }

    /// Returns a line of no condition, such as the action of a rule, as this patient reads it.
    pub(crate) fn of_rule(&self, line: &'a Phrase) -> Text<'a> {
        if self.base().segments(line).is_none() {
            return doses::for_age(self.facts.age, line);
        }
        let prose = doses::prose_for_age(self.facts.age, line);
        self.rendered(line, prose, Place::Treatment)
    }

    /// Returns a line without amounts of its own, as this patient reads it.
    pub(crate) fn plain(&self, line: &'a Phrase, place: Place) -> Text<'a> {
        self.rendered(line, None, place)
    }

    /// Renders a line, or the line as its amounts were changed for a child.
    fn rendered(&self, line: &'a Phrase, prose: Option<String>, place: Place) -> Text<'a> {
        let changed = prose.and_then(|prose| {
            let segments = self.base().read_segments(&prose)?;
            Some(self.written(&prose, &segments, place))
        });
        match (changed, self.base().segments(line)) {
            (Some(changed), _) => changed.into(),
            (None, Some(segments)) => self.written(line, segments, place).into(),
            (None, None) => line.into(),
        }
    }

    fn written(&self, line: &str, segments: &[Segment], place: Place) -> String {
        let mut text = String::with_capacity(line.len() + segments.len() * DOSE_CHARACTERS / 2);
        self.push_segments(&mut text, line, segments, place);
        text.truncate(text.trim_end().len());
        text
    }

    fn push_segments(&self, text: &mut String, line: &str, segments: &[Segment], place: Place) {
        for segment in segments {
            let at = text.len();
            match segment {
                Segment::Words(range) => {
                    text.push_str(segment_words(line, range));
                    // Text for others may have stood before these words.
                    if at == 0 {
                        let kept = text.trim_start_matches([' ', ';', ',', '.']).len();
                        text.drain(..text.len() - kept);
                        capitalise(text, 0);
                    }
                    continue;
                }
                Segment::Only(who, inner) => {
                    if rows::is_one_of(self.facts, &self.weight, who) {
                        self.push_segments(text, line, inner, place);
                    }
                    continue;
                }
                Segment::Name(ix) => text.push_str(&self.base().medicine(*ix).name_inside),
                Segment::Dose(ix) => self.push_dose(text, *ix, place),
            }
            capitalise(text, at);
        }
    }

    fn push_dose(&self, text: &mut String, dose: DoseIx, place: Place) {
        let mut all = self.made.borrow_mut();
        let known = all.iter().position(|made| made.dose == dose);
        let at = known.unwrap_or_else(|| {
            all.push(self.make(dose));
            all.len() - 1
        });
        all[at].is_treatment |= place == Place::Treatment;
        text.push_str(&all[at].words);
    }

    fn make(&self, ix: DoseIx) -> Made<'a> {
        let (medicine, dose) = self.base().dose_text(ix);
        let judged = cautions::judge(self.facts, &self.weight, &self.listed, medicine, ix);
        let weight = self.weight.for_medicine(medicine.text.narrow);
        let chosen = rows::choose(self.facts, &weight, &dose.rows);
        let amount = match chosen {
            Chosen::Row(row) if judged.forbidding.is_none() => {
                amount::of(self.facts.age, &weight, medicine, dose, row)
            }
            _ => None,
        };
        let mut made = Made {
            dose: ix,
            is_treatment: false,
            words: String::with_capacity(DOSE_CHARACTERS),
            chosen,
            amount,
            judged,
        };
        words::write(&mut made, medicine, dose);
        made
    }

    /// Returns the medicines of the answer: those of its actions and treatments first.
    pub(crate) fn into_advice(self, citations: &mut Citations<'a>) -> Vec<MedicineAdvice<'a>> {
        let base = self.base();
        let mut made = self.made.into_inner();
        made.sort_by_key(|made| !made.is_treatment);
        made.truncate(MEDICINES_MAX);
        let advice = made.into_iter();
        advice
            .map(|made| advice::of(base, made, citations))
            .collect()
    }

    /// Returns every dose that was referred to.
    #[cfg(test)]
    pub(crate) fn into_all(self, citations: &mut Citations<'a>) -> Vec<MedicineAdvice<'a>> {
        let base = self.base();
        let made = self.made.into_inner().into_iter();
        made.map(|made| advice::of(base, made, citations)).collect()
    }

    /// Returns a dose as a text says it.
    #[cfg(test)]
    pub(crate) fn dose(&self, dose: DoseIx) -> String {
        let mut text = String::new();
        self.push_dose(&mut text, dose, Place::Treatment);
        text
    }

    /// Returns the facts of the patient.
    pub(crate) fn facts(&self) -> &'f PatientFacts<'a> {
        self.facts
    }

    fn base(&self) -> &'a KnowledgeBase {
        self.facts.base
    }
}
