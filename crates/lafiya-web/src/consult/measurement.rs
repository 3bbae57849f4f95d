//! Measured values: the field with its unit, and the check before a value counts. A value that
//! cannot be right is asked again, never used.

use askama::Template;
use lafiya_knowledge::base::normal_unit;
use lafiya_knowledge::schema::OtherUnit;
use lafiya_knowledge::{ConceptRef, KnowledgeBase, NotANumber, Person, split_number};

use super::patient::Patient;

/// A unit that can be chosen for a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UnitChoice {
    pub(crate) unit: String,
    /// The lowest and the highest possible value in this unit, as help in the browser.
    pub(crate) low: String,
    pub(crate) high: String,
}

/// A field for a value, with what was typed and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Template)]
#[template(path = "parts/value_field.html")]
pub(crate) struct ValueField {
    pub(crate) id: String,
    pub(crate) name: String,
    /// What the field is called in the form, before the id.
    pub(crate) prefix: &'static str,
    /// What was typed, unchanged.
    pub(crate) typed: String,
    /// The chosen unit; empty if none was chosen.
    pub(crate) unit: String,
    pub(crate) units: Vec<UnitChoice>,
    /// Whether some numbers are possible in more than one unit, so that one must be chosen.
    pub(crate) asks_unit: bool,
    /// Whether two numbers are typed, such as 120/80.
    pub(crate) is_pair: bool,
    /// The possible values, with the unit.
    pub(crate) possible: String,
    pub(crate) problem: Option<String>,
}

/// A value that can be right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadValue {
    /// The value as the service takes it, with its unit.
    pub(crate) text: String,
    /// The value with its unit, for people; in the usual unit too, if another was chosen.
    pub(crate) shown: String,
}

impl ValueField {
    /// Creates the field of a concept that takes a value.
    pub(crate) fn of(base: &KnowledgeBase, concept: ConceptRef, typed: &str, unit: &str) -> Self {
        let units = units(base, concept);
        Self {
            id: base.id_of(concept).to_owned(),
            name: base.common_name_of(concept).to_owned(),
            prefix: if is_measurement(concept) {
                "measure"
            } else {
                "value"
            },
            typed: typed.to_owned(),
            unit: unit.to_owned(),
            asks_unit: is_ambiguous(base, concept),
            is_pair: is_pair(base, concept),
            possible: base.plausible_words(concept).unwrap_or_default(),
            problem: None,
            units,
        }
    }

    /// The same field with what is wrong with its value. An empty field has no problem.
    pub(crate) fn checked(mut self, base: &KnowledgeBase, patient: Patient) -> Self {
        let concept = base.resolve(&self.id).filter(|_| !self.typed.is_empty());
        let read = concept.map(|concept| read(base, concept, &self.typed, &self.unit, patient));
        self.problem = read.and_then(Result::err);
        self
    }
}

/// Whether a concept is a measurement, which has a value or was not taken.
pub(crate) fn is_measurement(concept: ConceptRef) -> bool {
    matches!(concept, ConceptRef::Measure(_))
}

/// Whether a concept takes a value.
pub(crate) fn takes_value(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    is_measurement(concept) || base.quantity(concept).is_some()
}

fn is_pair(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    matches!(concept, ConceptRef::Measure(ix) if base.measure(ix).pair.is_some())
}

/// Reads a value as typed, with the unit chosen beside it. A unit that was typed takes precedence.
/// The error says what is wrong and what to do.
pub(crate) fn read(
    base: &KnowledgeBase,
    concept: ConceptRef,
    typed: &str,
    unit: &str,
    patient: Patient,
) -> Result<ReadValue, String> {
    let number = split_number(typed).filter(|(_, written)| written.is_empty());
    let text = match number {
        Some(_) if !unit.is_empty() && !is_pair(base, concept) => format!("{typed} {unit}"),
        _ => typed.to_owned(),
    };
    if unit.is_empty()
        && let Some((number, _)) = number
        && let Some(problem) = unit_needed(base, concept, number)
    {
        return Err(problem);
    }
    let values = base
        .read_value(concept, &text)
        .map_err(|problem| wrong(base, concept, typed, unit, &problem, patient))?;
    let own_unit = base.quantity(concept).map(|it| it.unit.as_str());
    let own_unit = own_unit.unwrap_or_default();
    let numbers: Vec<String> = values.iter().map(|(_, value)| value.to_string()).collect();
    let own = format!("{} {own_unit}", numbers.join("/"));
    let other = (!unit.is_empty() && unit != own_unit && number.is_some()).then_some(&text);
    Ok(ReadValue {
        shown: other.map_or_else(|| own.clone(), |typed| format!("{typed} = {own}")),
        text,
    })
}

/// Splits a value that was told with its unit into the number and the unit to choose. Without a
/// unit, the only one in which the number is possible is chosen.
pub(crate) fn apart(base: &KnowledgeBase, concept: ConceptRef, told: &str) -> (String, String) {
    let whole = || (told.to_owned(), String::new());
    let units = units(base, concept);
    let Some((number, written)) = split_number(told).filter(|_| !is_pair(base, concept)) else {
        return whole();
    };
    let digits = told.trim().strip_suffix(written).unwrap_or(told).trim();
    let chosen = if written.is_empty() {
        let is_possible = |unit: &&UnitChoice| {
            let text = format!("{number} {}", unit.unit);
            base.read_value(concept, &text).is_ok()
        };
        let mut possible = units.iter().filter(is_possible);
        possible.next().filter(|_| possible.next().is_none())
    } else {
        let same = |unit: &&UnitChoice| normal_unit(&unit.unit) == normal_unit(written);
        units.iter().find(same)
    };
    match chosen {
        Some(unit) => (digits.to_owned(), unit.unit.clone()),
        None => whole(),
    }
}

/// Asks for the unit of a number that is possible in several.
fn unit_needed(base: &KnowledgeBase, concept: ConceptRef, number: f64) -> Option<String> {
    if !is_ambiguous(base, concept) {
        return None;
    }
    let mut readings: Vec<f64> = base.quantity(concept)?.readings(number).collect();
    readings.dedup();
    let names = units(base, concept);
    let names: Vec<&str> = names.iter().map(|it| it.unit.as_str()).collect();
    (readings.len() > 1).then(|| format!("Choose the unit: {}.", names.join(" or ")))
}

/// Says what is wrong with a value and what to do.
fn wrong(
    base: &KnowledgeBase,
    concept: ConceptRef,
    typed: &str,
    unit: &str,
    problem: &NotANumber,
    patient: Patient,
) -> String {
    let possible = base.plausible_words(concept).unwrap_or_default();
    let what = match problem {
        NotANumber::UpsideDown => "The first number must be above the second.".to_owned(),
        NotANumber::Implausible { .. } => {
            format!("This value is not possible: {possible}.")
        }
        NotANumber::Unreadable(_) | NotANumber::NoUnit if is_pair(base, concept) => {
            format!("Write both numbers, such as 120/80; possible is {possible}.")
        }
        NotANumber::Unreadable(_) | NotANumber::NoUnit => {
            format!("Write a number; possible is {possible}.")
        }
    };
    let person = Person {
        age: patient.age,
        sex: patient.sex,
        state: None,
    };
    let other = split_number(typed).and_then(|(number, _)| {
        let units = units(base, concept);
        let mut others = units.into_iter().filter(|other| other.unit != unit);
        others.find(|other| {
            let text = format!("{number} {}", other.unit);
            base.read_value(concept, &text).is_ok()
        })
    });
    let what_to_do = match other {
        Some(other) if matches!(problem, NotANumber::Implausible { .. }) => {
            format!("Is it {}? Then choose that unit.", other.unit)
        }
        _ if base.is_dangerous_if_true(concept, problem, &person) => {
            "Measure again now: if it is true, the patient is in danger.".to_owned()
        }
        _ => "Measure again, or leave it empty.".to_owned(),
    };
    format!("{what} {what_to_do}")
}

/// Returns the units to choose from, the usual one first. A second spelling of a unit is none.
fn units(base: &KnowledgeBase, concept: ConceptRef) -> Vec<UnitChoice> {
    let Some(quantity) = base.quantity(concept) else {
        return Vec::new();
    };
    let in_unit = |unit: &str, convert: &dyn Fn(f64) -> f64| {
        let range = quantity.plausible_range();
        let figure = |at: usize| range.map_or_else(String::new, |it| rounded(convert(it[at])));
        UnitChoice {
            unit: unit.to_owned(),
            low: figure(0),
            high: figure(1),
        }
    };
    let mut units = vec![in_unit(&quantity.unit, &|value| value)];
    if is_pair(base, concept) {
        return units;
    }
    let others = other_units(base, concept).iter();
    let others = others.filter(|other| other.times != 1.0 || other.plus != 0.0);
    units.extend(
        others.map(|other| in_unit(&other.unit, &|value| (value - other.plus) / other.times)),
    );
    units
}

fn other_units(base: &KnowledgeBase, concept: ConceptRef) -> &[OtherUnit] {
    match concept {
        ConceptRef::Measure(ix) => &base.measure(ix).text.other_units,
        ConceptRef::Lab(ix) => &base.lab(ix).text.other_units,
        _ => &[],
    }
}

/// Whether a number without a unit can be possible in several units.
fn is_ambiguous(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    let units = units(base, concept);
    let ranges: Vec<(f64, f64)> = units
        .iter()
        .filter_map(|it| Some((it.low.parse().ok()?, it.high.parse().ok()?)))
        .collect();
    let overlaps = |a: &(f64, f64), b: &(f64, f64)| a.0 < b.1 && b.0 < a.1;
    let mut pairs = ranges
        .iter()
        .enumerate()
        .flat_map(|(at, one)| ranges[at + 1..].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| overlaps(one, other))
}

/// One decimal is enough for a limit that only helps with typing.
fn rounded(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

/// Returns the measurement that is typed together with this one: blood pressure for its upper
/// number.
pub(crate) fn typed_with(base: &KnowledgeBase, concept: ConceptRef) -> ConceptRef {
    let ConceptRef::Measure(part) = concept else {
        return concept;
    };
    let all = (0..base.measures().len()).map(lafiya_knowledge::MeasureIx::at);
    let mut whole = all.filter(|&ix| {
        base.measure(ix)
            .pair
            .is_some_and(|pair| pair.contains(&part))
    });
    whole.next().map_or(concept, ConceptRef::Measure)
}

/// Returns the concepts that a value of this one is recorded under.
pub(crate) fn parts(base: &KnowledgeBase, concept: ConceptRef) -> Vec<ConceptRef> {
    match concept {
        ConceptRef::Measure(ix) => match base.measure(ix).pair {
            Some(pair) => pair.map(ConceptRef::Measure).to_vec(),
            None => vec![concept],
        },
        _ => vec![concept],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use lafiya_model::{Age, Sex};

    use super::*;

    static BASE: LazyLock<KnowledgeBase> =
        LazyLock::new(|| lafiya_content::load().expect("the embedded base loads"));
    const WOMAN: Patient = Patient {
        age: Age::from_years(30),
        sex: Sex::Female,
    };

    fn read_as(id: &str, typed: &str, unit: &str) -> Result<ReadValue, String> {
        let concept = BASE.resolve(id).expect("a known id");
        read(&BASE, concept, typed, unit, WOMAN)
    }

    fn measurements() -> impl Iterator<Item = ConceptRef> {
        (0..BASE.measures().len())
            .map(lafiya_knowledge::MeasureIx::at)
            .map(ConceptRef::Measure)
    }

    #[test]
    fn no_measurement_takes_what_is_not_possible() {
        for concept in measurements() {
            for typed in [
                "abc", "39 abc", "--", "1e3", "-1", "9999999", "38 to 39", "12/",
            ] {
                let id = BASE.id_of(concept);
                for unit in units(&BASE, concept) {
                    let problem = read(&BASE, concept, typed, &unit.unit, WOMAN).expect_err(id);
                    assert!(problem.ends_with('.'), "{id}: {problem}");
                }
            }
        }
    }

    #[test]
    fn every_limit_beside_a_field_is_possible_in_its_unit() {
        for concept in measurements().filter(|it| !is_pair(&BASE, *it)) {
            for unit in units(&BASE, concept) {
                let (low, high): (f64, f64) =
                    (unit.low.parse().unwrap(), unit.high.parse().unwrap());
                let id = BASE.id_of(concept);
                // Limits are rounded to one decimal, so a value within them is tried.
                let within = [low + (high - low) * 0.1, high - (high - low) * 0.1];
                for value in within {
                    let read = read(&BASE, concept, &format!("{value:.1}"), &unit.unit, WOMAN);
                    assert!(read.is_ok(), "{id} {value} {}: {read:?}", unit.unit);
                }
                let beyond = format!("{:.1}", high * 1.1 + 1.0);
                let read = read(&BASE, concept, &beyond, &unit.unit, WOMAN);
                assert!(read.is_err(), "{id} {beyond} {}", unit.unit);
            }
        }
    }

    #[test]
    fn values_are_converted_from_the_chosen_unit() {
        let shown = |id, typed, unit| read_as(id, typed, unit).expect("possible").shown;
        assert_eq!(shown("s_body_temperature", "39.5", "°C"), "39.5 °C");
        assert_eq!(shown("s_body_temperature", "39,5", "°C"), "39.5 °C");
        assert_eq!(shown("s_body_temperature", "104", "°F"), "104 °F = 40 °C");
        assert_eq!(
            shown("s_blood_glucose", "90", "mg/dL"),
            "90 mg/dL = 5 mmol/L"
        );
        assert_eq!(shown("s_blood_glucose", "5.4", "mmol/L"), "5.4 mmol/L");
        assert_eq!(shown("s_blood_pressure", "120/80", ""), "120/80 mmHg");
        assert_eq!(shown("s_blood_pressure", "120/80", "mmHg"), "120/80 mmHg");
    }

    #[test]
    fn a_number_possible_in_two_units_needs_one() {
        let problem = read_as("s_blood_glucose", "30", "").expect_err("30 is both");
        assert!(problem.contains("mmol/L or mg/dL"), "{problem}");
        assert_eq!(
            read_as("s_blood_glucose", "5.2", "").unwrap().shown,
            "5.2 mmol/L"
        );
        let elsewhere = read_as("s_body_temperature", "102", "°C").expect_err("not °C");
        assert!(elsewhere.contains("Is it °F?"), "{elsewhere}");
        let other = read_as("s_blood_glucose", "90", "mmol/L").expect_err("not mmol/L");
        assert!(other.contains("Is it mg/dL?"), "{other}");
    }

    #[test]
    fn a_value_that_would_be_dangerous_is_measured_again_now() {
        for (id, typed) in [("s_oxygen_saturation", "9"), ("s_blood_pressure", "80/120")] {
            let problem = read_as(id, typed, "").expect_err(id);
            assert!(problem.contains("Measure again now"), "{problem}");
        }
        let problem = read_as("s_glasgow_coma_score", "99", "").expect_err("99 points");
        assert!(problem.contains("or leave it empty"), "{problem}");
    }

    #[test]
    fn either_number_of_a_pair_is_typed_as_the_pair() {
        let of = |id| typed_with(&BASE, BASE.resolve(id).expect("a known id"));
        let pair = BASE.resolve("s_blood_pressure").expect("a known id");
        assert_eq!(of("s_systolic_blood_pressure"), pair);
        assert_eq!(of("s_diastolic_blood_pressure"), pair);
        assert_eq!(of("s_blood_pressure"), pair);
        let single = BASE.resolve("s_body_temperature").expect("a known id");
        assert_eq!(of("s_body_temperature"), single);
        assert_eq!(parts(&BASE, pair).len(), 2);
    }
}
