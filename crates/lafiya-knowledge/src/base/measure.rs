//! Measured values: reading the number somebody typed, and what it makes present or absent.
//!
//! Lenient in units, strict in numbers: a text that is not clearly one number is refused, never guessed at.

use std::borrow::Cow;

use lafiya_model::{Age, Sex};
use thiserror::Error;

use super::directory::Directory;
use super::index::{ConceptRef, MeasureIx};
use crate::schema::{self, Derivation, Limits, NormalRange, OtherUnit};
use crate::words::{AgeSpan, SexLimit, State};

/// What deriving needs to know of a patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Person {
    /// The age.
    pub age: Age,
    /// The sex.
    pub sex: Sex,
    /// Known to be in this state.
    pub state: Option<State>,
}

/// A measured value, with what its file says.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The file's words.
    pub text: schema::Measure,
    /// How to read and use a value.
    pub quantity: Quantity,
    /// The two measures of a value written as two numbers.
    pub pair: Option<[MeasureIx; 2]>,
}

/// How to read and use the values of a measure or a lab test.
#[derive(Clone, Debug, Default)]
pub struct Quantity {
    /// The unit values are kept in.
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

/// Why a text is not a value.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NotANumber {
    /// It is not one clear number.
    #[error("`{0}` is not a number")]
    Unreadable(String),
    /// It is a number that no living patient has.
    #[error("{value} {unit} is outside what is possible ({low} to {high} {unit}): a typing error?")]
    Implausible {
        /// The number.
        value: f64,
        /// The lowest possible.
        low: f64,
        /// The highest possible.
        high: f64,
        /// The unit.
        unit: String,
    },
    /// A value written as two numbers whose first is not above its second.
    #[error("the first number must be above the second")]
    UpsideDown,
    /// The concept has no unit: nothing to read.
    #[error("this concept takes no value")]
    NoUnit,
}

/// What a value makes present or absent. Ancestors are not listed: they follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// Present.
    pub present: Vec<ConceptRef>,
    /// Absent.
    pub absent: Vec<ConceptRef>,
}

impl Quantity {
    /// Reads `39.5`, `39,5`, `102 F`: a number in the quantity's own unit.
    pub fn read_value(&self, text: &str) -> Result<f64, NotANumber> {
        let unreadable = || NotANumber::Unreadable(text.to_owned());
        let (number, unit) = split_number(text).ok_or_else(unreadable)?;
        // A unit of something else is no reading of this; nor are "38 to 39", "120/80" and "5e3" one clear number.
        let unit = self.unit_in(unit).ok_or_else(unreadable)?;
        self.read_number(number, unit)
    }

    /// The unit in what stands behind a number, as the base spells it: none, one that we know, or one with a remark
    /// such as "% on air".
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

    fn units(&self) -> impl Iterator<Item = &str> {
        let others = self.other_units.iter().map(|other| other.unit.as_str());
        std::iter::once(self.unit.as_str()).chain(others)
    }

    /// A number as written, with a unit or with none: the number in the quantity's own unit.
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
        // "102" for a temperature can only be Fahrenheit: a bare number that one other unit alone explains is that.
        let mut explained = self.readings(number);
        match (explained.next(), explained.next()) {
            (Some(value), None) => Ok(value),
            _ => own,
        }
    }

    /// All that a number without a unit could mean: in the quantity's own unit and in the others, where that can be.
    pub fn readings(&self, number: f64) -> impl Iterator<Item = f64> {
        let others = self.other_units.iter();
        let others = others.map(move |other| convert(number, other));
        let all = std::iter::once(number).chain(others);
        all.filter(|value| self.checked(*value).is_ok())
    }

    /// The normal range at an age.
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
        let absent = absent.filter(|it| !present.contains(it)).collect();
        Derived { present, absent }
    }

    /// What some value makes present in this person. A value cannot make anything else absent: "below 94 in a
    /// child" says nothing of an adult.
    pub fn derivable_in(&self, person: &Person) -> impl Iterator<Item = ConceptRef> {
        let rules = self.derive.iter().filter(|rule| rule.applies_to(person));
        rules.map(|rule| rule.concept)
    }

    /// Whether a value lies far outside what is normal at an age: beyond it by more than the width of the normal
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

    /// What a living patient can have, in the quantity's own unit, where the file says.
    pub fn plausible_range(&self) -> Option<[f64; 2]> {
        self.plausible
    }

    /// What a value makes present; a concept of several rules may come more than once.
    pub fn present(&self, value: f64, person: &Person) -> impl Iterator<Item = ConceptRef> {
        let hold = move |rule: &&Rule| rule.limits.hold(value) && rule.applies_to(person);
        self.derive.iter().filter(hold).map(|rule| rule.concept)
    }

    /// Every concept a value can say something about.
    pub fn derivable(&self) -> impl Iterator<Item = ConceptRef> + '_ {
        self.derive
            .iter()
            .map(|rule| rule.concept)
            .chain(self.absent_unless_derived.iter().copied())
    }

    /// Whether a unit is one that values can be read in.
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
        .filter_map(|it| {
            Some(Rule {
                concept: directory.exact(&it.finding)?,
                limits: it.limits(),
                ages: it.ages(),
                sex: it.sex.unwrap_or(SexLimit::Any),
                state: it.state,
            })
        })
        .collect()
}

fn known(ids: &[String], directory: &Directory) -> Vec<ConceptRef> {
    ids.iter().filter_map(|id| directory.exact(id)).collect()
}

fn convert(number: f64, other: &OtherUnit) -> f64 {
    // Two decimals are finer than any bedside device and hide the noise of the factor.
    ((number * other.times + other.plus) * 100.0).round() / 100.0
}

/// The number at the start of a text and the rest, which is the unit.
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

/// A decimal comma becomes a point; commas that group thousands fall away; anything doubtful is refused.
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

/// Whether two spellings name one unit. An empty second spelling names no unit.
fn same_unit(unit: &str, written: &str) -> bool {
    // Mostly it is written as the base has it.
    !written.is_empty() && (unit == written || normal_unit(unit) == normal_unit(written))
}

/// Words that change nothing of the unit before them. "12 g per ..." would be another unit.
fn is_remark(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.all(|word| {
        !word.eq_ignore_ascii_case("per")
            && word
                .chars()
                .all(|c| c.is_alphabetic() || ",.()-".contains(c))
    })
}

/// A unit in one spelling, with those that people use who fill in a form. Not for free text, where "beats" and "score"
/// are words like others.
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

/// A unit in one spelling: small letters, no gaps and points, "/" for "per", "u" for "µ".
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
