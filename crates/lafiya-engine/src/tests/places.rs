//! Tests that the risk factors implied by a place have the same effect as stated ones.

use lafiya_model::{Age, Choice, DeidentifiedCase, Evidence, Sex, TriageLevel};

use super::{BASE, case, item};
use crate::facts::PatientFacts;
use crate::{Differential, Parameters, assess, danger};

const COMPLAINTS: &[&[&str]] = &[
    &["s_fever"],
    &["s_fever", "s_runny_nose"],
    &["s_fever", "s_vomiting", "s_diarrhoea"],
    &["s_fever", "s_headache"],
    &["s_cough"],
    &["s_diarrhoea"],
];

fn ages() -> [Age; 6] {
    [
        Age::from_months(1),
        Age::from_months(8),
        Age::from_years(3),
        Age::from_years(4),
        Age::from_years(9),
        Age::from_years(30),
    ]
}

fn at(region: Option<&str>, age: Age, evidence: Vec<Evidence>) -> DeidentifiedCase {
    DeidentifiedCase {
        region: region.map(str::to_owned),
        ..case(age, Sex::Female, evidence)
    }
}

fn present(ids: &[&str]) -> Vec<Evidence> {
    ids.iter().map(|id| item(id, Choice::Present)).collect()
}

fn level(case: &DeidentifiedCase) -> TriageLevel {
    assess(&BASE, case, &Parameters::default()).level()
}

fn floor(case: &DeidentifiedCase) -> Option<TriageLevel> {
    let facts = PatientFacts::gather(&BASE, case);
    danger::alarms(&facts)
        .into_iter()
        .map(|alarm| alarm.level)
        .max()
}

/// Returns the ids of the risk factors that a place implies.
fn implied(slug: &str) -> Vec<&'static str> {
    let place = BASE.place(slug).expect("a place");
    place
        .implies
        .iter()
        .map(|ix| BASE.risk(*ix).text.id.as_str())
        .collect()
}

/// Returns one place per set of belts: places with the same belts are identical to the engine.
fn places() -> Vec<&'static str> {
    let mut places: Vec<_> = BASE.places().iter().collect();
    places.sort_by_key(|place| {
        (
            place.belts.clone(),
            place.setting.map(|setting| setting as u8),
        )
    });
    places.dedup_by_key(|place| {
        (
            place.belts.clone(),
            place.setting.map(|setting| setting as u8),
        )
    });
    places
        .into_iter()
        .map(|place| place.slug.as_str())
        .collect()
}

#[test]
fn a_region_and_its_stated_risks_give_the_same_level() {
    for slug in places() {
        let implied = implied(slug);
        for age in ages() {
            for complaint in COMPLAINTS {
                let in_place = at(Some(slug), age, present(complaint));
                let both = at(
                    Some(slug),
                    age,
                    present(&[complaint, &implied[..]].concat()),
                );
                let in_words = at(None, age, present(&[complaint, &implied[..]].concat()));
                let about = format!("{complaint:?} at {age:?} in {slug}");
                assert_eq!(level(&in_place), level(&both), "{about}");
                assert_eq!(floor(&in_place), floor(&in_words), "{about}");
            }
        }
    }
}

#[test]
fn a_risk_implied_by_a_region_is_weighed_once() {
    for slug in ["kano", "lagos", "greater-accra", "baringo"] {
        let evidence = present(&["s_fever", "s_headache"]);
        let evidence_items = present(&[&["s_fever", "s_headache"], &implied(slug)[..]].concat());
        let probabilities = |evidence| {
            let case = at(Some(slug), Age::from_years(9), evidence);
            let facts = PatientFacts::gather(&BASE, &case);
            Differential::of(&facts, &case, &Parameters::default())
                .probabilities()
                .to_vec()
        };
        assert_eq!(
            probabilities(evidence),
            probabilities(evidence_items),
            "{slug}"
        );
    }
}

#[test]
fn a_region_removes_no_stated_risk() {
    let slug = "tunisia";
    assert!(
        implied(slug).is_empty(),
        "malaria is not passed on in {slug}"
    );
    let ill = present(&["s_fever", "p_lives_in_malaria_area"]);
    assert_eq!(
        floor(&at(Some(slug), Age::from_years(3), ill.clone())),
        floor(&at(None, Age::from_years(3), ill))
    );
}

#[test]
fn a_feverish_child_in_a_malaria_area_is_seen_within_a_day() {
    for place in BASE
        .places()
        .iter()
        .filter(|place| !place.implies.is_empty())
    {
        if !implied(&place.slug).contains(&"p_lives_in_malaria_area") {
            continue;
        }
        let child = at(
            Some(&place.slug),
            Age::from_years(3),
            present(&["s_fever", "s_runny_nose"]),
        );
        assert!(floor(&child) >= Some(TriageLevel::Urgent), "{}", place.slug);
    }
}

#[test]
fn a_feverish_child_with_diarrhoea_is_seen_within_a_day_everywhere() {
    for slug in ["kano", "littoral-bj", "greater-accra", "nairobi", "tunisia"] {
        let child = at(
            Some(slug),
            Age::from_years(4),
            present(&["s_fever", "s_vomiting", "s_diarrhoea"]),
        );
        assert!(level(&child) >= TriageLevel::Urgent, "{slug}");
    }
}
