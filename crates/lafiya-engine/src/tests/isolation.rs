//! Tests that nothing sends a patient among people whom a rule isolates.

use lafiya_knowledge::Rule;
use lafiya_model::{Assessment, Choice, DeidentifiedCase, TriageLevel};

use super::{BASE, finding_id, item, patient_of};
use crate::{Parameters, assess, review};

/// Ways to travel among people, and company.
const AMONG_PEOPLE: [&str; 7] = [
    "taxi",
    "motorcycle",
    "bus",
    "boat",
    "never alone",
    "whatever is at hand",
    "a relative",
];

fn answer(case: &DeidentifiedCase) -> Assessment<'static> {
    review(assess(&BASE, case, &Parameters::default()), 0)
}

fn isolating() -> impl Iterator<Item = (&'static Rule, DeidentifiedCase)> {
    let rules = BASE.rules().iter().filter(|rule| rule.text.effect.isolate);
    rules.filter_map(|rule| Some((rule, patient_of(rule.text.example.as_ref())?)))
}

fn check(rule: &Rule, case: &DeidentifiedCase) {
    let answer = answer(case);
    let fired = answer
        .red_flags
        .iter()
        .any(|flag| flag.id == rule.text.id.as_str());
    assert!(fired, "{} fires on its example", rule.text.id);
    let action = answer.triage.recommended_action.to_lowercase();
    for words in AMONG_PEOPLE {
        let mut found = action.split(|letter: char| !letter.is_alphanumeric());
        let found = match words.contains(' ') {
            true => action.contains(words),
            false => found.any(|word| word == words),
        };
        assert!(!found, "{}: \"{words}\" in: {action}", rule.text.id);
    }
    let general = BASE.level_text(answer.triage.level).expect("a text");
    let general = general.recommended_action.to_lowercase();
    assert!(!action.contains(&general), "{}: {action}", rule.text.id);
}

#[test]
fn isolated_patients_are_not_sent_among_people() {
    let mut rules = 0;
    for (rule, case) in isolating() {
        check(rule, &case);
        rules += 1;
    }
    assert!(rules > 10, "only {rules} rules isolate");
}

/// A more serious sign decides the level, and isolation still holds.
#[test]
fn isolation_holds_beside_any_other_emergency() {
    for (rule, case) in isolating() {
        let emergencies = BASE.finding_indices().filter(|ix| {
            let finding = BASE.finding(*ix);
            let seriousness = finding.text.red_flag.seriousness();
            seriousness.is_some_and(|seriousness| seriousness.floor() == TriageLevel::Emergency)
                && finding.sex.allows(case.sex)
                && finding.ages.contains(case.age)
        });
        for ix in emergencies.step_by(9) {
            let mut worse = case.clone();
            worse.evidence.push(item(finding_id(ix), Choice::Present));
            check(rule, &worse);
        }
    }
}

/// The order to isolate is in the headline, not only among the actions.
#[test]
fn the_headline_orders_isolation() {
    for (rule, case) in isolating() {
        let answer = answer(&case);
        let effect = &rule.text.effect;
        let others = BASE.rules().iter().filter(|rule| rule.text.effect.isolate);
        // A reference to a medicine reads differently for each patient; the order stands before it.
        let own = std::iter::once(effect).chain(others.map(|rule| &rule.text.effect));
        let mut orders = own.map(|effect| effect.action.split('{').next().unwrap_or_default());
        let action = &answer.triage.recommended_action;
        let is_ordered = orders.any(|order| action.contains(order));
        assert!(is_ordered, "{}: {}", rule.text.id, action.as_str());
    }
}
