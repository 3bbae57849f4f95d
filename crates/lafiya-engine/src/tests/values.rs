//! What numbers of tests and measures make of a case.

use lafiya_model::{Age, Choice, Evidence, Severity, Sex};

use super::{BASE, case, item};
use crate::facts::PatientFacts;

fn valued(id: &str, choice: Choice, value: f64) -> Evidence {
    Evidence {
        value: Some(value),
        ..item(id, choice)
    }
}

/// Whether a test counts as positive in an adult man with this evidence; none where nothing is known of it.
fn counts(test: &str, evidence: Evidence) -> (Option<bool>, usize) {
    let case = case(Age::from_years(30), Sex::Male, vec![evidence]);
    let facts = PatientFacts::gather(&BASE, &case);
    let concept = BASE.resolve(test).unwrap();
    let told = facts.told.iter().find(|it| it.concept == concept);
    (told.map(|it| it.present), facts.concerns.len())
}

#[test]
fn the_number_of_a_test_decides_and_not_the_word_beside_it() {
    let white = |choice, value| {
        counts(
            "lt_white_cell_count",
            valued("lt_white_cell_count", choice, value),
        )
    };
    assert_eq!(white(Choice::Present, 25.0), (Some(true), 0));
    assert_eq!(white(Choice::Absent, 7.0), (Some(false), 0));
    assert_eq!(white(Choice::Present, 7.0), (Some(false), 1));
    assert_eq!(white(Choice::Absent, 25.0), (Some(true), 1));
}

#[test]
fn a_number_speaks_of_other_tests_as_well() {
    let high = valued("lt_white_cell_count", Choice::Present, 150.0);
    assert_eq!(counts("lt_very_high_white_cell_count", high).0, Some(true));
    let calcium = valued("lt_calcium_total", Choice::Absent, 3.4);
    assert_eq!(counts("lt_hypercalcaemia", calcium).0, Some(true));
    let bedside = |value| valued("s_haemoglobin", Choice::Present, value);
    assert_eq!(counts("lt_haemoglobin", bedside(6.5)).0, Some(true));
    assert_eq!(counts("lt_haemoglobin", bedside(15.0)).0, Some(false));
}

#[test]
fn how_long_and_how_bad_a_finding_is_makes_it_a_narrower_one() {
    let lasting = |id, days| Evidence {
        duration_days: Some(days),
        ..item(id, Choice::Present)
    };
    let long_cough = |evidence| counts("s_cough_more_than_2_weeks", evidence).0;
    assert_eq!(long_cough(lasting("s_cough", 21)), Some(true));
    assert_eq!(long_cough(lasting("s_cough", 14)), None);
    // A kind of cough is a cough.
    assert_eq!(long_cough(lasting("s_productive_cough", 21)), Some(true));
    assert_eq!(long_cough(lasting("s_fever", 21)), None);
    // One that follows from another follows from what that follows from.
    let chronic = |days| counts("s_chronic_cough_over_8_weeks", lasting("s_cough", days)).0;
    assert_eq!(chronic(60), Some(true));
    assert_eq!(chronic(30), None);
    let headache = |severity| Evidence {
        severity: Some(severity),
        ..item("s_headache", Choice::Present)
    };
    let severe = |evidence| counts("s_severe_headache", evidence).0;
    assert_eq!(severe(headache(Severity::Severe)), Some(true));
    assert_eq!(severe(headache(Severity::Mild)), None);
}

#[test]
fn who_says_that_it_is_not_so_is_believed() {
    let evidence = vec![
        Evidence {
            duration_days: Some(21),
            ..item("s_cough", Choice::Present)
        },
        item("s_cough_more_than_2_weeks", Choice::Absent),
    ];
    let case = case(Age::from_years(30), Sex::Male, evidence);
    let facts = PatientFacts::gather(&BASE, &case);
    let concept = BASE.resolve("s_cough_more_than_2_weeks").unwrap();
    let told = facts.told.iter().find(|it| it.concept == concept);
    assert_eq!(told.map(|it| it.present), Some(false));
}
