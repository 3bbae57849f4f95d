//! `medicines/<name>.toml`: what is given, how much, and to whom not; and the two files that go
//! with them, `medicine-classes.toml` and `weight-for-age.toml`.
//!
//! Amounts are numbers in the unit of the medicine. No text of these files holds an amount.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use super::condition::Review;
use crate::words::{
    AgeSpan, AmountUnit, Basis, CautionKind, DoseLevel, FormUnit, PatientState, RateTime, Route,
    SexLimit, age_words,
};

/// One medicine, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Medicine {
    /// `m_...`, named like the file; never changes.
    pub id: String,
    /// The international non-proprietary name, as a sentence starts with it.
    pub name: String,
    /// The name inside a sentence, where it is not the name with a small first letter.
    #[serde(default)]
    pub name_inside: Option<String>,
    /// Other generic names and abbreviations, for search.
    #[serde(default)]
    pub names: Vec<String>,
    /// Brand names, for search.
    #[serde(default)]
    pub brands: Vec<String>,
    /// The ATC code, if certain.
    #[serde(default)]
    pub atc: Option<String>,
    /// Whether it is on the WHO Model List of Essential Medicines.
    pub essential: bool,
    /// The class, in lower case.
    pub class: String,
    /// What it is for, in plain words.
    #[serde(default)]
    pub says: Phrase,
    /// What amounts are counted in.
    pub unit: AmountUnit,
    /// The part that the amounts count, such as "elemental iron".
    #[serde(default)]
    pub counted_as: Option<String>,
    /// Whether a small overdose harms. Such a dose is never computed from an assumed weight.
    #[serde(default)]
    pub narrow: bool,
    /// Source ids.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The state of the clinical review.
    #[serde(default)]
    pub review: Option<Review>,
    /// What to watch in the patient.
    #[serde(default)]
    pub watch: Vec<Phrase>,
    /// The forms that are stocked.
    #[serde(default)]
    pub form: Vec<MedicineForm>,
    /// The doses.
    #[serde(default)]
    pub dose: Vec<MedicineDose>,
    /// Who must not have it, or only with care.
    #[serde(default)]
    pub caution: Vec<Caution>,
}

impl Medicine {
    /// Returns the name inside a sentence: with a small first letter, unless it is an abbreviation
    /// or the file gives another form.
    pub fn name_in_sentence(&self) -> String {
        if let Some(name) = &self.name_inside {
            return name.clone();
        }
        let mut letters = self.name.chars();
        match (letters.next(), letters.clone().next()) {
            (Some(first), Some(second)) if second.is_lowercase() => {
                first.to_lowercase().chain(letters).collect()
            }
            _ => self.name.clone(),
        }
    }
}

/// A form and strength as stocked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedicineForm {
    /// Unique in the medicine.
    pub id: String,
    /// The words for it, such as "suspension 250 mg in 5 mL".
    pub name: String,
    /// The routes it can be given by.
    pub routes: Vec<Route>,
    /// The amount in one `per`, in the unit of the medicine.
    pub amount: f64,
    /// What is counted or measured out.
    pub per: FormUnit,
    /// Into how many equal parts one can be divided.
    #[serde(default)]
    pub split: Option<u8>,
}

/// One dose: one indication and plan, with a row for each group of patients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedicineDose {
    /// Unique in the medicine.
    pub id: String,
    /// What it is given for.
    pub indication: String,
    /// How it is given; several mean either.
    pub routes: Vec<Route>,
    /// The lowest level of care that gives it.
    pub lowest: DoseLevel,
    /// Where the amounts come from.
    pub source: DoseSource,
    /// What to do when giving it: dilution, speed, food.
    #[serde(default)]
    pub how: Option<String>,
    /// The first row that fits the patient is used.
    pub rows: Vec<DoseRow>,
}

/// The source of a dose or caution, and whether it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoseSource {
    /// Source id.
    pub id: String,
    /// What the figures rest on.
    pub basis: Basis,
    /// Where in the source, if it was read.
    #[serde(default)]
    pub place: Option<String>,
    /// The words of the source, if it was read.
    #[serde(default)]
    pub quote: Option<String>,
}

/// The amount for one group of patients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoseRow {
    /// The patients.
    #[serde(default)]
    pub who: DoseWho,
    /// The least and most of one dose for each kilogram.
    #[serde(default)]
    pub per_kg: Option<[f64; 2]>,
    /// The least and most of one dose.
    #[serde(default)]
    pub fixed: Option<[f64; 2]>,
    /// The highest single dose.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// The highest total in 24 hours.
    #[serde(default)]
    pub in_day: Option<f64>,
    /// The time between doses.
    #[serde(default)]
    pub every_hours: Option<f64>,
    /// Whether it is a single dose.
    #[serde(default)]
    pub once: bool,
    /// The hours at which the first doses are given.
    #[serde(default)]
    pub at_hours: Vec<f64>,
    /// When it may be given again.
    #[serde(default)]
    pub repeat: Option<Repeat>,
    /// How long one dose by vein takes.
    #[serde(default)]
    pub over_minutes: Option<[f64; 2]>,
    /// Whether the amount is a rate.
    #[serde(default)]
    pub rate: Option<RateTime>,
    /// The least and most days.
    #[serde(default)]
    pub days: Option<[f64; 2]>,
    /// Words after this row only.
    #[serde(default)]
    pub note: Option<String>,
}

impl DoseRow {
    /// Returns how many doses at most are given in 24 hours, as far as the row says it.
    pub fn doses_in_day(&self) -> f64 {
        let repeats = self.repeat.map_or(0.0, |repeat| f64::from(repeat.times));
        let first_day = self.at_hours.iter().filter(|hour| **hour < 24.0).count() as f64;
        let regular = match self.every_hours {
            Some(hours) if hours > 0.0 => (24.0 / hours).max(1.0),
            _ => 1.0,
        };
        regular.max(first_day) + repeats
    }
}

/// When a dose may be given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// After so many minutes.
    pub after_minutes: u32,
    /// So often.
    pub times: u32,
}

/// The patients of a row or caution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoseWho {
    /// From this age.
    #[serde(default, with = "dose_age")]
    pub from: Option<Age>,
    /// Only below this age.
    #[serde(default, with = "dose_age")]
    pub to: Option<Age>,
    /// From this weight.
    #[serde(default)]
    pub from_kg: Option<f64>,
    /// Only below this weight.
    #[serde(default)]
    pub to_kg: Option<f64>,
    /// The sex.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// The state.
    #[serde(default)]
    pub state: Option<PatientState>,
}

impl DoseWho {
    /// Returns the ages.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }

    /// Whether nobody is excluded.
    pub fn is_everybody(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it depends on the weight.
    pub fn asks_weight(&self) -> bool {
        self.from_kg.is_some() || self.to_kg.is_some()
    }

    /// Whether a weight is within the limits.
    pub fn allows_kg(&self, kg: f64) -> bool {
        self.from_kg.is_none_or(|from| kg >= from) && self.to_kg.is_none_or(|to| kg < to)
    }
}

/// A reason not to give a medicine, or to give it with care.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caution {
    /// How serious it is.
    pub kind: CautionKind,
    /// Concepts, conditions and medicines any of which gives the reason.
    #[serde(default)]
    pub if_any: Vec<String>,
    /// The patients concerned.
    #[serde(default)]
    pub who: DoseWho,
    /// A belt that gives the reason.
    #[serde(default)]
    pub belt: Option<String>,
    /// The doses concerned; empty means all.
    #[serde(default)]
    pub doses: Vec<String>,
    /// The caution, for the person who gives the medicine.
    pub says: Phrase,
    /// What to give instead.
    #[serde(default)]
    pub instead: Option<String>,
    /// Where it comes from.
    pub source: DoseSource,
}

/// `medicine-classes.toml`: what the checks require of classes of medicines, and what tells that a
/// patient is in a state that doses depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedicineClasses {
    /// What is required.
    #[serde(default)]
    pub requirement: Vec<Requirement>,
    /// Risk factors that mean a state.
    #[serde(default)]
    pub state: Vec<StateRisks>,
}

/// What every medicine of a class, or each of some medicines, must have in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// The requirement as a sentence.
    pub says: String,
    /// The classes that it is for.
    #[serde(default)]
    pub classes: Vec<String>,
    /// The medicines that it is for.
    #[serde(default)]
    pub medicines: Vec<String>,
    /// A caution must name one of these belts or concepts.
    #[serde(default)]
    pub needs_caution_on: Vec<String>,
    /// A dose for newborns has a row of its own for those below this weight.
    #[serde(default)]
    pub newborn_row_below_kg: Option<f64>,
    /// Whether the medicine must be marked as narrow.
    #[serde(default)]
    pub is_narrow: bool,
}

/// The risk factors that mean a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateRisks {
    /// The state.
    pub id: PatientState,
    /// Any of these risk factors.
    pub any: Vec<String>,
}

/// `weight-for-age.toml`: the usual weight where none was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightForAge {
    /// The measure that holds a measured weight.
    #[serde(default)]
    pub measure: String,
    /// The source of the medians.
    #[serde(default)]
    pub source: Option<DoseSource>,
    /// Findings and risk factors with which the median says nothing about the patient.
    #[serde(default)]
    pub not_if: Vec<String>,
    /// The median weights, from the youngest.
    #[serde(default)]
    pub median: Vec<MedianWeight>,
    /// The usual range of weights at ages without a median, to leave out rows for other weights.
    #[serde(default)]
    pub range: Vec<WeightRange>,
}

/// The median weight at an age.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedianWeight {
    /// The age in completed months.
    pub months: u32,
    /// Girls, in kilograms.
    pub girls: f64,
    /// Boys, in kilograms.
    pub boys: f64,
}

/// The usual range of weights from an age on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightRange {
    /// From this age.
    #[serde(with = "age_words")]
    pub from: Option<Age>,
    /// The least and most, in kilograms.
    pub kg: [f64; 2],
}

/// Ages of doses, which may also be written in weeks or in whole days as hours.
mod dose_age {
    use lafiya_model::Age;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::words::age_words;

    pub(super) fn serialize<S: Serializer>(age: &Option<Age>, to: S) -> Result<S::Ok, S::Error> {
        age_words::serialize(age, to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Age>, D::Error> {
        if !from.is_human_readable() {
            return age_words::deserialize(from);
        }
        let Some(words) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        in_days(&words)
            .map(Age::from_days)
            .map_or_else(|| words.parse(), Ok)
            .map(Some)
            .map_err(D::Error::custom)
    }

    /// Returns the days in "6 weeks" or "24 hours".
    fn in_days(words: &str) -> Option<u32> {
        let (number, unit) = words.trim().split_once(' ')?;
        let number: u32 = number.parse().ok().filter(|number| *number <= 10_000)?;
        match unit.trim() {
            "week" | "weeks" => Some(number * 7),
            "hour" | "hours" if number.is_multiple_of(24) => Some(number / 24),
            _ => None,
        }
    }
}
