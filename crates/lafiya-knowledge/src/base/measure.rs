//! Measured values: parsing a number as typed, and deriving the findings that it makes present or
//! absent.
//!
//! Units are matched leniently, numbers strictly: a text that is not clearly one number is
//! rejected, never guessed.

use std::borrow::Cow;

use lafiya_model::{Age, Sex};
use thiserror::Error;

use super::directory::Directory;
use super::index::{ConceptRef, MeasureIx};
use crate::schema::{self, Derivation, Limits, NormalRange, OtherUnit};
use crate::words::{AgeSpan, SexLimit, State};

/// The properties of a patient that derivation depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Person {
    /// The age.
    pub age: Age,
    /// The sex.
    pub sex: Sex,
    /// The state the patient is known to be in.
    pub state: Option<State>,
}

/// A measured value, with the contents of its file.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The contents of the file.
    pub text: schema::Measure,
    /// How values are parsed and used.
    pub quantity: Quantity,
    /// For a value of two numbers: the two measures.
    pub pair: Option<[MeasureIx; 2]>,
}

/// How values of a measure or a lab test are parsed and used.
#[derive(Clone, Debug, Default)]
pub struct Quantity {
    /// The unit in which values are stored.
    pub unit: String,
    other_units: Vec<OtherUnit>,
    plausible: Option<[f64; 2]>,
    normal: Vec<NormalRange>,
    derive: Vec<Rule>,
    absent_unless_derived: Vec<ConceptRef>,
}

#[derive(Clone, Debug)]
struct Rule {
    concept: ConceptRef,
    limits: Limits,
    ages: AgeSpan,
    sex: SexLimit,
    state: Option<State>,
}

/// The reason why a text is not a value.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NotANumber {
    /// It is not clearly one number.
    #[error("`{0}` is not a number")]
    Unreadable(String),
    /// The number is impossible in a living patient.
    #[error("{value} {unit} is outside what is possible ({low} to {high} {unit}): a typing error?")]
    Implausible {
        /// The number.
        value: f64,
        /// The lowest possible value.
        low: f64,
        /// The highest possible value.
        high: f64,
        /// The unit.
        unit: String,
    },
    /// A value of two numbers whose first is not above its second.
    #[error("the first number must be above the second")]
    UpsideDown,
    /// The concept has no unit, so it takes no value.
    #[error("this concept takes no value")]
    NoUnit,
}

/// The concepts that a value makes present or absent. Ancestors are not included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// Present.
    pub present: Vec<ConceptRef>,
    /// Absent.
    pub absent: Vec<ConceptRef>,
}

impl Quantity {
    /// Parses a value such as `39.5`, `39,5` or `102 F` into the quantity's own unit.
    pub fn read_value(&self, text: &str) -> Result<f64, NotANumber> {
        let unreadable = || NotANumber::Unreadable(text.to_owned());
        let (number, unit) = split_number(text).ok_or_else(unreadable)?;
        // A unit of another quantity is rejected, and "38 to 39", "120/80" and "5e3" are not
        // clearly one number.
        let unit = self.unit_in(unit).ok_or_else(unreadable)?;
        self.read_number(number, unit)
    }

    /// Returns the unit in the text after a number, in the spelling of the knowledge base: none, a
    /// known unit, or a known unit with a remark such as "% on air".
    fn unit_in(&self, written: &str) -> Option<&str> {
        // "39°" has no unit.
        if normal_unit(written).is_empty() {
            return Some("");
        }
        self.unit_named(written).or_else(|| {
            let gaps = written.char_indices().filter(|(_, c)| c.is_whitespace());
            let mut parts = gaps.map(|(at, _)| written.split_at(at));
            parts.find_map(|(unit, remark)| self.unit_named(unit).filter(|_| is_remark(remark)))
        })
    }

    fn unit_named(&self, written: &str) -> Option<&str> {
        let mut units = self.units();
        units.find(|unit| same_unit(unit, written)).or_else(|| {
            let usual = usual_spelling(written);
            self.units().find(|unit| usual_spelling(unit) == usual)
        })
    }

    /// Whether a unit, as written, is one of this quantity's units.
    pub fn takes_unit(&self, written: &str) -> bool {
        self.units().any(|unit| same_unit(unit, written))
    }

    fn units(&self) -> impl Iterator<Item = &str> {
        let others = self.other_units.iter().map(|other| other.unit.as_str());
        std::iter::once(self.unit.as_str()).chain(others)
    }

    /// Converts a number with a unit, or without one, into the quantity's own unit.
    pub fn read_number(&self, number: f64, unit: &str) -> Result<f64, NotANumber> {
        let is_named = |other: &&OtherUnit| same_unit(&other.unit, unit);
        if !same_unit(&self.unit, unit)
            && let Some(other) = self.other_units.iter().find(is_named)
        {
            return self.checked(convert(number, other));
        }
        let own = self.checked(number);
        if own.is_ok() || !unit.is_empty() {
            return own;
        }
        // If a bare number is only plausible in one other unit, that unit is assumed: "102" for a
        // temperature can only be Fahrenheit.
        let mut explained = self.readings(number);
        match (explained.next(), explained.next()) {
            (Some(value), None) => Ok(value),
            _ => own,
        }
    }

    /// Returns all plausible readings of a number without a unit, in the quantity's own unit.
    pub fn readings(&self, number: f64) -> impl Iterator<Item = f64> {
        let others = self.other_units.iter();
        let others = others.map(move |other| convert(number, other));
        let all = std::iter::once(number).chain(others);
        all.filter(|value| self.checked(*value).is_ok())
    }

    /// Returns the normal range at an age.
    pub fn normal_at(&self, age: Age) -> Option<[f64; 2]> {
        let reached = |range: &&NormalRange| range.from.is_none_or(|from| age >= from);
        self.normal.iter().rfind(reached).map(|range| range.range)
    }

    pub(super) fn derived(&self, value: f64, person: &Person) -> Derived {
        let mut present: Vec<ConceptRef> = Vec::new();
        for concept in self.present(value, person) {
            if !present.contains(&concept) {
                present.push(concept);
            }
        }
        let absent = self.absent_unless_derived.iter().copied();
        let absent = absent
            .filter(|concept| !present.contains(concept))
            .collect();
        Derived { present, absent }
    }

    /// Returns the concepts that some value makes present in this person. A value cannot make any
    /// other concept absent: "below 94 in a child" says nothing about an adult.
    pub fn derivable_in(&self, person: &Person) -> impl Iterator<Item = ConceptRef> {
        let rules = self.derive.iter().filter(|rule| rule.applies_to(person));
        rules.map(|rule| rule.concept)
    }

    /// Whether a value is far outside the normal range at an age: by more than the width of the
    /// range, or below half of its lower end.
    pub fn is_far_from_normal(&self, value: f64, age: Age) -> bool {
        self.normal_at(age).is_some_and(|[low, high]| {
            let width = high - low;
            let lowest = if low > 0.0 {
                (low - width).max(low / 2.0)
            } else {
                low - width
            };
            value > high + width || value < lowest
        })
    }

    /// Returns the range of values possible in a living patient, in the quantity's own unit, if the
    /// file states one.
    pub fn plausible_range(&self) -> Option<[f64; 2]> {
        self.plausible
    }

    /// Returns the concepts that a value makes present. A concept with several rules may occur more
    /// than once.
    pub fn present(&self, value: f64, person: &Person) -> impl Iterator<Item = ConceptRef> {
        let hold = move |rule: &&Rule| rule.limits.hold(value) && rule.applies_to(person);
        self.derive.iter().filter(hold).map(|rule| rule.concept)
    }

    /// Returns every concept that a value can affect.
    pub fn derivable(&self) -> impl Iterator<Item = ConceptRef> + '_ {
        self.derive
            .iter()
            .map(|rule| rule.concept)
            .chain(self.absent_unless_derived.iter().copied())
    }

    /// Whether values can be given in a unit.
    pub fn knows_unit(&self, written: &str) -> bool {
        self.units().any(|unit| same_unit(unit, written))
    }

    fn checked(&self, value: f64) -> Result<f64, NotANumber> {
        match self.plausible {
            Some([low, high]) if value < low || value > high => Err(NotANumber::Implausible {
                value,
                low,
                high,
                unit: self.unit.clone(),
            }),
            _ => Ok(value),
        }
    }

    pub(super) fn of_measure(measure: &schema::Measure, directory: &Directory) -> Self {
        Self {
            unit: measure.unit.clone(),
            other_units: measure.other_units.clone(),
            plausible: measure.plausible,
            normal: measure.normal.clone(),
            derive: compile(&measure.derive, directory),
            absent_unless_derived: known(&measure.absent_unless_derived, directory),
        }
    }

    pub(super) fn of_lab_test(test: &schema::LabTest, directory: &Directory) -> Option<Self> {
        Some(Self {
            unit: test.unit.clone()?,
            other_units: test.other_units.clone(),
            plausible: test.plausible,
            normal: test.normal.clone(),
            derive: compile(&test.derive, directory),
            absent_unless_derived: known(&test.absent_unless_derived, directory),
        })
    }
}

impl Rule {
    fn applies_to(&self, person: &Person) -> bool {
        self.ages.contains(person.age)
            && self.sex.allows(person.sex)
            && self.state.is_none_or(|state| person.state == Some(state))
    }
}

fn compile(derive: &[Derivation], directory: &Directory) -> Vec<Rule> {
    derive
        .iter()
        .filter_map(|rule| {
            Some(Rule {
                concept: directory.exact(&rule.finding)?,
                limits: rule.limits(),
                ages: rule.ages(),
                sex: rule.sex.unwrap_or(SexLimit::Any),
                state: rule.state,
            })
        })
        .collect()
}

fn known(ids: &[String], directory: &Directory) -> Vec<ConceptRef> {
    ids.iter().filter_map(|id| directory.exact(id)).collect()
}

fn convert(number: f64, other: &OtherUnit) -> f64 {
    // Two decimals are more precise than any bedside device and remove the rounding error of the
    // factor.
    ((number * other.times + other.plus) * 100.0).round() / 100.0
}

/// Splits a text into the number at its start and the rest, which is the unit.
///
/// # Example
///
/// ```
/// use lafiya_knowledge::split_number;
///
/// assert_eq!(split_number("39.5 C"), Some((39.5, "C")));
/// assert_eq!(split_number("high"), None);
/// ```
pub fn split_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(at, c)| {
            !(c.is_ascii_digit() || c == '.' || c == ',' || (at == 0 && (c == '-' || c == '+')))
        })
        .map_or(text.len(), |(at, _)| at);
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim();
    let number: f64 = plain_number(digits)?.parse().ok()?;
    number.is_finite().then_some((number, unit))
}

/// Normalises a number: a decimal comma becomes a point and thousands separators are removed.
/// Ambiguous numbers are rejected.
fn plain_number(digits: &str) -> Option<Cow<'_, str>> {
    let commas = digits.matches(',').count();
    let points = digits.matches('.').count();
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+')
        || !digits.ends_with(|c: char| c.is_ascii_digit())
        || points > 1
    {
        return None;
    }
    if commas == 0 {
        return Some(Cow::Borrowed(digits));
    }
    let whole = digits.split('.').next().unwrap_or(digits);
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped = groups[1..].iter().all(|group| group.len() == 3)
        && groups[0].len() <= 3
        && groups[0] != "0";
    if grouped {
        return Some(Cow::Owned(digits.replace(',', "")));
    }
    (commas == 1 && points == 0).then(|| Cow::Owned(digits.replace(',', ".")))
}

/// Whether two spellings mean the same unit. An empty second spelling means no unit.
fn same_unit(unit: &str, written: &str) -> bool {
    // Most units are already spelled as in the knowledge base.
    !written.is_empty() && (unit == written || normal_unit(unit) == normal_unit(written))
}

/// Whether a text contains only words that do not change the unit before them. "12 g per ..." would
/// be another unit.
fn is_remark(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.all(|word| {
        !word.eq_ignore_ascii_case("per")
            && word
                .chars()
                .all(|c| c.is_alphabetic() || ",.()-".contains(c))
    })
}

/// Normalises a unit, including spellings common in forms. Not for free text, where "beats" and
/// "score" are ordinary words.
fn usual_spelling(written: &str) -> String {
    let plain = normal_unit(written)
        .replace("litre", "l")
        .replace("liter", "l")
        .replace("hour", "h")
        .replace("hr", "h")
        .replace("mcg", "ug")
        .replace("micro", "u")
        .replace("iu/", "u/")
        .replace("mmols", "mmol")
        .replace("gm/", "g/")
        .replace('³', "3");
    let usual = match plain.as_str() {
        "℃" | "cel" => "c",
        "℉" => "f",
        "cpm" | "brpm" | "b/min" | "br/min" | "c/min" | "cycles/min" | "breath/min"
        | "beat/min" | "beats" | "breaths" => "/min",
        "second" | "seconds" | "sec" | "secs" => "s",
        "week" | "wk" | "wks" => "weeks",
        "month" => "months",
        "gram" | "grams" | "gm" | "gms" => "g",
        "cms" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => "cm",
        "mms" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => "mm",
        "metre" | "metres" | "meter" | "meters" => "m",
        "point" | "pts" | "score" => "points",
        "sd" | "z-score" | "zscore" => "z",
        "inr" => "ratio",
        "mm/hg" => "mmhg",
        "mmol" => "mmol/l",
        "k/ul" | "10^3/ul" => "10^9/l",
        _ => return plain,
    };
    usual.to_owned()
}

/// Normalises a unit: lower case, without spaces and points, "/" for "per", "u" for "µ".
pub fn normal_unit(unit: &str) -> String {
    let plain: String = unit
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '°' | 'º' | '.' | '˚'))
        .collect();
    let plain = plain
        .replace("degrees", "")
        .replace("deg", "")
        .replace("per", "/")
        .replace(['μ', 'µ'], "u");
    match plain.as_str() {
        "celsius" | "centigrade" => "c".to_owned(),
        "fahrenheit" => "f".to_owned(),
        "percent" | "/cent" => "%".to_owned(),
        "bpm" | "beats/min" | "beats/minute" | "breaths/min" | "breaths/minute" | "/minute" => {
            "/min".to_owned()
        }
        "pounds" | "pound" | "lb" => "lbs".to_owned(),
        "kgs" | "kilograms" | "kilogram" | "kilo" | "kilos" => "kg".to_owned(),
        _ => plain,
    }
}
