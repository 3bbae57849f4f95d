//! Tests how values of tests and measures affect a case.

use lafiya_knowledge::{ConceptRef, FindingIx, MeasureIx, Person, Quantity};
use lafiya_model::assessment::{Warning, WarningKind, WarningSeverity};
use lafiya_model::{Age, Choice, DeidentifiedCase, Evidence, Severity, Sex, TriageLevel};

use super::{BASE, case, finding_id, item};
use crate::facts::{EvidenceItem, PatientFacts, Status};
use crate::{Parameters, assess, danger, review};

fn valued(id: &str, choice: Choice, value: f64) -> Evidence {
    Evidence {
        value: Some(value),
        ..item(id, choice)
    }
}

fn level(case: &DeidentifiedCase) -> TriageLevel {
    assess(&BASE, case, &Parameters::default()).level()
}

/// Returns whether a test counts as positive in an adult man with this evidence; `None` if its
/// result is unknown.
fn counts(test: &str, evidence: Evidence) -> (Option<bool>, usize) {
    let case = case(Age::from_years(30), Sex::Male, vec![evidence]);
    let facts = PatientFacts::gather(&BASE, &case);
    let concept = BASE.resolve(test).unwrap();
    let evidence_items = facts
        .evidence_items
        .iter()
        .find(|item| item.concept == concept);
    (
        evidence_items.map(|item| item.present),
        facts.concerns.len(),
    )
}

#[test]
fn the_number_of_a_test_overrides_the_stated_result() {
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
fn a_number_also_decides_related_tests() {
    let high = valued("lt_white_cell_count", Choice::Present, 150.0);
    assert_eq!(counts("lt_very_high_white_cell_count", high).0, Some(true));
    let calcium = valued("lt_calcium_total", Choice::Absent, 3.4);
    assert_eq!(counts("lt_hypercalcaemia", calcium).0, Some(true));
    let bedside = |value| valued("s_haemoglobin", Choice::Present, value);
    assert_eq!(counts("lt_haemoglobin", bedside(6.5)).0, Some(true));
    assert_eq!(counts("lt_haemoglobin", bedside(15.0)).0, Some(false));
}

#[test]
fn duration_and_severity_imply_a_narrower_finding() {
    let lasting = |id, days| Evidence {
        duration_days: Some(days),
        ..item(id, Choice::Present)
    };
    let long_cough = |evidence| counts("s_cough_more_than_2_weeks", evidence).0;
    assert_eq!(long_cough(lasting("s_cough", 21)), Some(true));
    assert_eq!(long_cough(lasting("s_cough", 14)), None);
    // A productive cough is a kind of cough.
    assert_eq!(long_cough(lasting("s_productive_cough", 21)), Some(true));
    assert_eq!(long_cough(lasting("s_fever", 21)), None);
    // Consequences are transitive.
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
fn a_duration_that_cannot_be_right_is_reported_and_not_used() {
    let lasting = |id: &str, days| Evidence {
        duration_days: days,
        ..item(id, Choice::Present)
    };
    let mut acute = 0;
    for ix in BASE.finding_indices() {
        let finding = BASE.finding(ix);
        let concept = ConceptRef::Finding(ix);
        let years = [30, 1, 8, 70, 15].into_iter().map(Age::from_years);
        let mut people = years.flat_map(|age| [(age, Sex::Female), (age, Sex::Male)]);
        let Some((age, sex)) = people.find(|&(age, sex)| BASE.fits(concept, age, sex)) else {
            continue;
        };
        let told = |days| case(age, sex, vec![lasting(finding_id(ix), days)]);
        let longest = BASE.longest_acute_days(ix);
        acute += usize::from(longest.is_some());
        for days in [Some(age.days() + 1000), longest.map(|longest| longest + 1)] {
            let (Some(days), name) = (days, &finding.text.name) else {
                continue;
            };
            let long = told(Some(days));
            let facts = PatientFacts::gather(&BASE, &long);
            assert_eq!(facts.days_of_illness(), None, "{name}");
            let mut concerns = facts.concerns.iter();
            let reported = concerns
                .any(|concern| concern.left_out && concern.says.contains(&format!("{days} days")));
            assert!(reported, "{name}: {:?}", facts.concerns);
        }
        if let Some(longest) = longest {
            let possible = told(Some(longest));
            assert!(PatientFacts::gather(&BASE, &possible).concerns.is_empty());
        }
    }
    assert!(acute > 20, "{acute}");
}

#[test]
fn a_doubtful_duration_never_lowers_the_level() {
    for ix in BASE.finding_indices().step_by(7) {
        let level = |days| {
            let evidence = vec![Evidence {
                duration_days: days,
                ..item(finding_id(ix), Choice::Present)
            }];
            let case = case(Age::from_years(30), Sex::Female, evidence);
            let draft = assess(&BASE, &case, &Parameters::default());
            review(draft, 0).triage.level
        };
        let (doubtful, unknown) = (level(Some(30_000)), level(None));
        assert!(
            doubtful >= unknown,
            "{}: {doubtful} below {unknown}",
            finding_id(ix)
        );
    }
}

#[test]
fn an_explicit_denial_overrides_an_implied_finding() {
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
    let evidence_items = facts
        .evidence_items
        .iter()
        .find(|item| item.concept == concept);
    assert_eq!(evidence_items.map(|item| item.present), Some(false));
}

/// Returns ages on both sides of every age limit in the knowledge base, and some in between.
fn ages() -> Vec<Age> {
    let days = [
        0, 2, 3, 6, 7, 13, 14, 20, 27, 28, 29, 31, 45, 59, 61, 100, 182, 190, 360, 366,
    ];
    let years = (1..=20).chain((25..=90).step_by(5));
    let days = days.into_iter().map(Age::from_days);
    days.chain(years.map(Age::from_years)).collect()
}

const SEXES: [Sex; 2] = [Sex::Male, Sex::Female];

/// Returns every concept that takes a value.
fn quantities() -> Vec<(ConceptRef, &'static Quantity)> {
    let measures =
        (0..BASE.measures().len()).map(|place| ConceptRef::Measure(MeasureIx::at(place)));
    let labs = BASE.lab_indices().map(ConceptRef::Lab);
    let all = measures.chain(labs);
    let all = all.filter_map(|concept| Some((concept, BASE.quantity(concept)?)));
    all.filter(|(_, quantity)| quantity.plausible_range().is_some())
        .collect()
}

fn measured(concept: ConceptRef, value: f64, age: Age, sex: Sex) -> DeidentifiedCase {
    case(
        age,
        sex,
        vec![valued(BASE.id_of(concept), Choice::Present, value)],
    )
}

fn person(age: Age, sex: Sex) -> Person {
    Person {
        age,
        sex,
        state: None,
    }
}

/// Returns values over the whole plausible range, and the limits of the normal range.
fn values(quantity: &Quantity, age: Age) -> Vec<f64> {
    let [low, high] = quantity.plausible_range().expect("has one");
    let steps = (0..=8).map(|step| low + (high - low) * f64::from(step) / 8.0);
    steps
        .chain(quantity.normal_at(age).into_iter().flatten())
        .collect()
}

#[test]
fn findings_outside_their_ages_are_unknown() {
    for (concept, quantity) in quantities() {
        for age in ages() {
            for (sex, value) in SEXES.into_iter().flat_map(|sex| {
                values(quantity, age)
                    .into_iter()
                    .map(move |value| (sex, value))
            }) {
                let facts = PatientFacts::gather(&BASE, &measured(concept, value, age, sex));
                let about = || format!("{} = {value} at {age:?}, {sex}", BASE.id_of(concept));
                for item in &facts.evidence_items {
                    assert!(
                        BASE.fits(item.concept, age, sex),
                        "{} by {}",
                        BASE.id_of(item.concept),
                        about()
                    );
                }
                for ix in BASE.finding_indices() {
                    let is_known = facts.finding(ix) != Status::Unasked;
                    let fits = BASE.fits(ConceptRef::Finding(ix), age, sex);
                    assert!(!is_known || fits, "{} by {}", finding_id(ix), about());
                }
            }
        }
    }
}

#[test]
fn a_denied_finding_outside_its_ages_is_unknown() {
    for age in [
        Age::from_days(5),
        Age::from_months(8),
        Age::from_years(7),
        Age::from_years(40),
    ] {
        for sex in SEXES {
            let outside = |ix: &FindingIx| !BASE.fits(ConceptRef::Finding(*ix), age, sex);
            let absent = BASE.finding_indices().filter(outside);
            let absent = absent
                .map(|ix| item(finding_id(ix), Choice::Absent))
                .collect();
            let facts = PatientFacts::gather(&BASE, &case(age, sex, absent));
            assert!(
                facts.evidence_items.is_empty(),
                "{age:?}, {sex}: {:?}",
                facts.evidence_items
            );
        }
    }
}

#[test]
fn a_value_denies_only_what_another_value_could_affirm() {
    let absent = |id: &str, value, years| {
        let age = Age::from_years(years);
        let facts = PatientFacts::gather(
            &BASE,
            &measured(BASE.resolve(id).unwrap(), value, age, Sex::Male),
        );
        let evidence_items = facts.evidence_items.iter().filter(|item| !item.present);
        evidence_items
            .map(|item| BASE.id_of(item.concept))
            .collect::<Vec<_>>()
    };
    assert!(
        !absent("s_oxygen_saturation", 93.0, 30).contains(&"s_oxygen_saturation_below_94_in_child")
    );
    assert!(
        absent("s_oxygen_saturation", 97.0, 3).contains(&"s_oxygen_saturation_below_94_in_child")
    );
    assert!(!absent("s_heart_rate", 118.0, 30).contains(&"s_tachycardia_for_age_child"));
    assert!(!absent("s_systolic_blood_pressure", 172.0, 7).contains(&"s_systolic_160_or_above"));
    assert!(absent("s_systolic_blood_pressure", 120.0, 40).contains(&"s_systolic_160_or_above"));
}

/// Measures without a normal range: the value alone says nothing about health.
const WITHOUT_NORM: [&str; 3] = ["s_weight", "s_height", "s_gestational_age_weeks"];
/// Measures that are not taken at every age; their normal range starts later.
const FROM_LATER: [(&str, u32); 4] = [
    ("s_muac", 7),
    ("lt_mid_upper_arm_circumference", 7),
    ("s_peak_flow_percent", 61),
    ("lt_peak_expiratory_flow", 61),
];

#[test]
fn a_value_far_from_normal_is_never_ignored() {
    for (concept, quantity) in quantities() {
        let id = BASE.id_of(concept);
        for age in ages() {
            let later = FROM_LATER.iter().find(|exempt| exempt.0 == id);
            let has_norm = quantity.normal_at(age).is_some();
            let is_exempt = WITHOUT_NORM.contains(&id)
                || later.is_some_and(|later| age < Age::from_months(later.1));
            assert!(has_norm || is_exempt, "{id} has no normal range at {age:?}");
            for (sex, value) in SEXES.into_iter().flat_map(|sex| {
                values(quantity, age)
                    .into_iter()
                    .map(move |value| (sex, value))
            }) {
                if !quantity.is_far_from_normal(value, age) {
                    continue;
                }
                let case = measured(concept, value, age, sex);
                let facts = PatientFacts::gather(&BASE, &case);
                // The positive test that was sent would appear even without its value.
                let follows = |item: &EvidenceItem| item.present && item.concept != concept;
                let is_positive = BASE
                    .derive(concept, value, &person(age, sex))
                    .present
                    .contains(&concept);
                let is_seen = is_positive
                    || facts.evidence_items.iter().any(follows)
                    || !facts.unusual.is_empty();
                assert!(is_seen, "{id} = {value} at {age:?}, {sex}");
            }
        }
    }
}

/// Vital signs and their dangerous side, with values that are dangerous at every age.
const DANGEROUS: &[(&str, f64)] = &[
    ("s_body_temperature", 34.0),
    ("s_body_temperature", 40.5),
    ("s_respiratory_rate", 6.0),
    ("s_respiratory_rate", 80.0),
    ("s_heart_rate", 35.0),
    ("s_heart_rate", 230.0),
    ("s_systolic_blood_pressure", 45.0),
    ("s_systolic_blood_pressure", 205.0),
    ("s_diastolic_blood_pressure", 130.0),
    ("s_oxygen_saturation", 82.0),
    ("s_blood_glucose", 1.4),
    ("s_blood_glucose", 28.0),
    ("s_glasgow_coma_score", 6.0),
    ("s_capillary_refill_time", 6.0),
    ("s_haemoglobin", 3.5),
    ("s_urine_output", 0.1),
];

#[test]
fn a_dangerous_vital_sign_raises_the_level_at_every_age() {
    for &(id, value) in DANGEROUS {
        for age in ages() {
            for sex in SEXES {
                let case = measured(BASE.resolve(id).unwrap(), value, age, sex);
                let facts = PatientFacts::gather(&BASE, &case);
                let floor = danger::alarms(&facts)
                    .into_iter()
                    .map(|alarm| alarm.level)
                    .max();
                assert!(
                    floor >= Some(TriageLevel::Urgent),
                    "{id} = {value} at {age:?}, {sex}: {floor:?}"
                );
            }
        }
    }
}

/// Vital signs whose limits change with age.
const BIRTHDAYS: [&str; 9] = [
    "s_body_temperature",
    "s_respiratory_rate",
    "s_heart_rate",
    "s_systolic_blood_pressure",
    "s_diastolic_blood_pressure",
    "s_oxygen_saturation",
    "s_blood_glucose",
    "s_capillary_refill_time",
    "s_haemoglobin",
];

/// Returns the minimum level that danger signs alone require.
fn floor(case: &DeidentifiedCase) -> TriageLevel {
    let facts = PatientFacts::gather(&BASE, case);
    let levels = danger::alarms(&facts).into_iter().map(|alarm| alarm.level);
    levels.max().unwrap_or(TriageLevel::SelfCare)
}

#[test]
fn a_birthday_changes_the_level_by_one_step_at_most() {
    let ages: Vec<Age> = ages()
        .into_iter()
        .filter(|age| *age < Age::from_years(21))
        .collect();
    let mut steps = Vec::new();
    for id in BIRTHDAYS {
        let concept = BASE.resolve(id).unwrap();
        let [low, high] = BASE.plausible_range(concept).unwrap();
        let step = if high - low <= 40.0 { 0.5 } else { 5.0 };
        // Avoids the limits themselves, most of which are round numbers.
        let mut value = low + step / 5.0;
        while value <= high {
            let floors = ages
                .iter()
                .map(|age| floor(&measured(concept, value, *age, Sex::Female)));
            let floors: Vec<TriageLevel> = floors.collect();
            for (levels, ages) in floors.windows(2).zip(ages.windows(2)) {
                if (levels[0] as i32).abs_diff(levels[1] as i32) > 1 {
                    steps.push(format!("{id} = {value}: {levels:?} at {ages:?}"));
                }
            }
            value += step;
        }
    }
    assert!(steps.is_empty(), "{steps:#?}");
}

#[test]
fn a_very_high_pressure_with_complaints_is_an_emergency_at_every_age() {
    for age in ages() {
        for complaint in ["s_convulsion", "s_confusion"] {
            let evidence = vec![
                item(complaint, Choice::Present),
                valued("s_systolic_blood_pressure", Choice::Present, 190.0),
                valued("s_diastolic_blood_pressure", Choice::Present, 126.0),
            ];
            assert_eq!(
                level(&case(age, Sex::Male, evidence)),
                TriageLevel::Emergency,
                "{complaint} at {age:?}"
            );
        }
    }
    for years in [3, 5, 7, 8, 10, 12, 13, 15, 17] {
        for (upper, lower) in [(190.0, 126.0), (172.0, 118.0)] {
            let evidence = vec![
                item("s_severe_headache", Choice::Present),
                item("s_blurred_vision", Choice::Present),
                valued("s_systolic_blood_pressure", Choice::Present, upper),
                valued("s_diastolic_blood_pressure", Choice::Present, lower),
            ];
            assert_eq!(
                level(&case(Age::from_years(years), Sex::Male, evidence)),
                TriageLevel::Emergency,
                "{upper}/{lower} at {years}"
            );
        }
    }
}

#[test]
fn a_finding_named_after_an_age_group_is_limited_to_it() {
    let youngest = |ix: FindingIx| BASE.finding(ix).ages.contains(Age::from_days(3));
    let grown = |ix: FindingIx| BASE.finding(ix).ages.contains(Age::from_years(30));
    let is_of = |id: &str, word: &str| {
        id.ends_with(&format!("_{word}")) || id.contains(&format!("_in_{word}"))
    };
    for ix in BASE.finding_indices() {
        let id = finding_id(ix);
        let of_child = [
            "child",
            "infant",
            "newborn",
            "young_infant",
            "age_2_to_11_months",
            "age_1_to_4_years",
        ];
        // "Fathering a child" applies to men.
        if of_child.iter().any(|word| is_of(id, word)) && !id.contains("fathering") {
            assert!(!grown(ix), "{id} has no upper age");
        }
        if is_of(id, "adult") {
            assert!(!youngest(ix), "{id} has no lower age");
        }
    }
}

#[test]
fn contradictory_numbers_are_not_used() {
    let evidence = vec![
        item("s_fever", Choice::Present),
        valued("s_systolic_blood_pressure", Choice::Present, 80.0),
        valued("s_diastolic_blood_pressure", Choice::Present, 120.0),
    ];
    let case = case(Age::from_years(30), Sex::Male, evidence);
    let facts = PatientFacts::gather(&BASE, &case);
    assert_eq!(
        facts.evidence_items.len(),
        1,
        "nothing follows from them: {:?}",
        facts.evidence_items
    );
    let answer = review(assess(&BASE, &case, &Parameters::default()), 0);
    let is_high = |warning: &&Warning<'_>| {
        warning.severity == WarningSeverity::High && warning.kind == WarningKind::ValidationConcern
    };
    assert_eq!(answer.warnings.iter().filter(is_high).count(), 1);
}
