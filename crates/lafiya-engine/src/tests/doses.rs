//! Tests that people below 12 years are shown no dose for adults, over all treatment lines.

use lafiya_knowledge::{Condition, ConditionIx};
use lafiya_model::{Age, Phrase, Sex, TriageLevel};

use super::{BASE, case};
use crate::citations::Citations;
use crate::doses::{self, ADULT_DOSE_FROM_YEARS};
use crate::dosing::Dosing;
use crate::facts::PatientFacts;
use crate::plan;

const SEE_FORMULARY: &str = "dose by weight: see the formulary";
const UNITS: [&str; 8] = ["mg", "g", "micrograms", "units", "mL", "ml", "L", "litres"];
const FROM: Age = Age::from_years(ADULT_DOSE_FROM_YEARS);

/// Every line of a condition that tells what to give, besides the one for children.
fn written(condition: &Condition) -> Vec<&str> {
    let treatment = &condition.text.treatment;
    let advice = [&treatment.first_line, &treatment.alternative];
    let advice = advice.into_iter().flatten().map(|advice| &advice.text);
    let referral = condition.text.referral.iter();
    let lines = advice
        .chain(&treatment.immediate_actions)
        .chain(&treatment.supportive_care)
        .chain(referral.flat_map(|referral| &referral.pre_referral_actions))
        .chain(condition.text.watch_for.iter().map(|sign| &sign.action));
    lines.map(|line| line.as_str()).collect()
}

/// Every such line as it reaches a patient in whom the condition is certain.
fn shown(ix: ConditionIx, age: Age) -> Vec<String> {
    let case = case(age, Sex::Other, Vec::new());
    let facts = PatientFacts::gather(&BASE, &case);
    let dosing = Dosing::new(&facts, Vec::new());
    let leaders = [(ix, 1.0)];
    let mut citations = Citations::new(&BASE);
    let treatment = plan::treatment(&dosing, &leaders, &[], TriageLevel::Routine, &mut citations);
    let referral = plan::referral(&dosing, &leaders, TriageLevel::Routine, &mut citations);
    let watch_for = plan::watch_for(&dosing, &leaders);
    let mut lines = Vec::new();
    lines.extend(treatment.immediate_actions);
    lines.extend(treatment.supportive_care);
    for treatment in treatment.condition_specific {
        lines.extend([treatment.first_line, treatment.alternative]);
    }
    let lines = lines.into_iter().map(|line| line.to_string());
    let mut lines: Vec<String> = lines.collect();
    let actions = watch_for.into_iter().map(|sign| sign.action);
    let actions = referral.pre_referral_actions.into_iter().chain(actions);
    lines.extend(actions.map(|line| line.to_string()));
    // The line for children names its own doses.
    let own = |line: String| match line.split_once(" Children: ") {
        Some((own, _)) => own.to_owned(),
        None => line,
    };
    lines.into_iter().map(own).collect()
}

/// The words up to and with each amount that stands right before "(adults": "furosemide 40 mg".
fn labelled_amounts(line: &str) -> Vec<String> {
    let places = line.match_indices("(adults").map(|(place, _)| place);
    let before = places.map(|place| line[..place].trim_end());
    let words = before.filter_map(|text| {
        let words: Vec<&str> = text.rsplit(' ').take(3).collect();
        let [unit, number, medicine] = words[..] else {
            return None;
        };
        let is_number = number.starts_with(|letter: char| letter.is_ascii_digit());
        let is_amount = is_number && UNITS.contains(&unit);
        is_amount.then(|| [medicine, " ", number, " ", unit].concat())
    });
    words.collect()
}

fn ages() -> impl Iterator<Item = Age> {
    [0, 10, 40, 200, 400, 1_200, 2_200, 4_000, 4_382]
        .into_iter()
        .map(Age::from_days)
        .chain([12, 13, 15, 30, 60, 90].map(Age::from_years))
}

#[test]
fn adult_doses_are_shown_from_12_years_only() {
    let (mut hidden, mut kept) = (0, 0);
    for ix in BASE.condition_indices() {
        let condition = BASE.condition(ix);
        for age in ages().filter(|age| condition.is_possible(*age, Sex::Other)) {
            let of_age = |line: &&str| {
                let line = Phrase::from((*line).to_owned());
                doses::of_condition(age, condition, &line).to_string()
            };
            let written = written(condition);
            let expected: Vec<String> = written.iter().map(of_age).collect();
            for (line, read) in written.iter().zip(&expected) {
                let amounts = labelled_amounts(line);
                for amount in &amounts {
                    let labelled = amounts
                        .iter()
                        .filter(|labelled| *labelled == amount)
                        .count();
                    let all = line.matches(amount.as_str()).count();
                    let left = read.matches(amount.as_str()).count();
                    if age < FROM {
                        let id = &condition.text.id;
                        assert!(
                            left + labelled <= all,
                            "{id} at {} days: {read}",
                            age.days()
                        );
                        hidden += 1;
                    } else {
                        assert_eq!(left, all);
                        kept += 1;
                    }
                }
            }
        }
    }
    // Doses that are data are tested in `dosing`.
    let are_data = !BASE.medicines().is_empty();
    assert!(
        are_data || (hidden > 500 && kept > 500),
        "{hidden} hidden, {kept} shown"
    );
}

/// From 12 years on nothing is changed.
#[test]
fn lines_from_12_years_are_as_written() {
    for ix in BASE.condition_indices() {
        let condition = BASE.condition(ix);
        let written = written(condition);
        // References to doses are rendered for the patient.
        if written.iter().any(|line| line.contains(['{', '<'])) {
            continue;
        }
        for age in ages().filter(|age| *age >= FROM && condition.is_possible(*age, Sex::Other)) {
            for line in shown(ix, age) {
                let line = line.trim_end_matches('.');
                let is_written = written.iter().any(|whole| whole.starts_with(line));
                assert!(
                    is_written,
                    "{} at {} days: {line}",
                    condition.text.id,
                    age.days()
                );
            }
        }
    }
}

/// A medicine that loses its amount says where the amount is found.
#[test]
fn a_lost_dose_refers_to_the_formulary() {
    let check = |line: &str, expected: &str| {
        let line = Phrase::from(line.to_owned());
        let child = doses::for_age(Age::from_years(11), &line);
        assert_eq!(child.as_str(), expected);
        let adult = doses::for_age(FROM, &line);
        assert_eq!(adult.as_str(), line.as_str());
    };
    check(
        "Furosemide 40 mg (adults) daily until dry",
        &format!("Furosemide ({SEE_FORMULARY}) daily until dry"),
    );
    check(
        "Ibuprofen 400 mg (adults; child 10 mg/kg) for pain",
        "Ibuprofen (child 10 mg/kg) for pain",
    );
    check(
        "Ibuprofen 400 mg (child 10 mg/kg) for pain",
        "Ibuprofen (child 10 mg/kg) for pain",
    );
    check(
        "Adults: ceftriaxone 2 g daily; oxygen. Children: ceftriaxone 80 mg/kg daily",
        &format!(
            "Ceftriaxone ({SEE_FORMULARY}) daily; oxygen. Children: ceftriaxone 80 mg/kg daily"
        ),
    );
    check(
        "Pain (adults): morphine 5 mg, then 2 mg; rest",
        &format!("Pain: morphine ({SEE_FORMULARY}); rest"),
    );
    check(
        "Adrenaline, adult 0.5 mg, child 0.01 mg/kg (at most 0.5 mg)",
        "Adrenaline, child 0.01 mg/kg (at most 0.5 mg)",
    );
    check(
        "Glucose (adults 50 g, 6 to 12 years 20 g)",
        "Glucose (6 to 12 years 20 g)",
    );
    check("Vitamin K 1 mg (newborn)", "Vitamin K 1 mg (newborn)");
    check(
        "Tetanus vaccine 0.5 ml (any age); rest for adults",
        "Tetanus vaccine 0.5 ml (any age); rest for adults",
    );
    check(
        "Amoxicillin 40 mg/kg (at most 2 g, the adult dose)",
        "Amoxicillin 40 mg/kg (at most 2 g, the adult dose)",
    );
    check(
        "5 to 14 years 480 mg, adults 960 mg",
        "5 to 14 years 480 mg",
    );
    check("Rest, drink enough", "Rest, drink enough");
    check(
        "Ceftriaxone 2 g with gentamicin 5 mg/kg (or amikacin 15 mg/kg)",
        &format!("Ceftriaxone ({SEE_FORMULARY}) with gentamicin 5 mg/kg (or amikacin 15 mg/kg)"),
    );
    check(
        "Paracetamol 1 g (under 50 kg 15 mg/kg) for fever",
        "Paracetamol (under 50 kg 15 mg/kg) for fever",
    );
    check(
        "Adults: enoxaparin 1 mg/kg, then warfarin 5 mg",
        &format!("Adults: enoxaparin 1 mg/kg, then warfarin ({SEE_FORMULARY})"),
    );
}

/// The actions of danger rules pass the same filter, and none gives an adult tablet to a child.
#[test]
fn actions_of_rules_hold_no_adult_dose_for_a_child() {
    for rule in BASE.rules() {
        let effect = &rule.text.effect;
        let lines = [Some(&effect.action), effect.in_emergency.as_ref()];
        for line in lines.into_iter().flatten() {
            let shown = doses::for_age(Age::from_years(5), line);
            for amount in labelled_amounts(line) {
                assert!(!shown.contains(&amount), "{}: {shown}", rule.text.id);
            }
        }
    }
}
/// A dose by weight that is for adults keeps its label.
#[test]
fn a_dose_by_weight_for_adults_is_still_labelled() {
    let child = Age::from_years(3);
    for (line, read) in [
        (
            "Adults: ampicillin 2 g with gentamicin 5 mg/kg by vein",
            "Adults: ampicillin (dose by weight: see the formulary) with gentamicin 5 mg/kg by vein",
        ),
        (
            "Adults: ampicillin 2 g by vein",
            "Ampicillin (dose by weight: see the formulary) by vein",
        ),
    ] {
        let line = Phrase::from(line.to_owned());
        assert_eq!(doses::for_age(child, &line).to_string(), read);
    }
}
