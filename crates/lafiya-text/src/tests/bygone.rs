//! Past and present findings, and the patient's age at the time; ages, pregnancies and values as
//! nurses write them.

use super::REAL;
use super::sentences::{check, found, read};
use crate::{ParseContext, Parsed};
use lafiya_model::Age;

fn of_age(years: u32, text: &str, expected: &[&str]) {
    let context = ParseContext {
        age: Some(Age::from_years(years)),
        ..ParseContext::default()
    };
    assert_eq!(found(&read(text, &context)), expected, "{text}");
}

#[test]
fn a_finding_from_another_year_is_not_current() {
    check(
        "He had a seizure in 2020. Today runny nose.",
        &["s_runny_nose"],
    );
    check("PMH: haematemesis 2017. c/o runny nose", &["s_runny_nose"]);
    check("In 2020 he had a seizure, cough", &["s_cough"]);
    check(
        "I attempted suicide in 2018 but I am fine",
        &["p_previous_suicide_attempt"],
    );
}

#[test]
fn a_finding_that_continues_since_a_year_is_current() {
    check("cough since 2020", &["s_cough"]);
    check(
        "was diagnosed with HTN in 2017 and has chest pain",
        &["p_hypertension_known", "s_chest_pain"],
    );
    check(
        "chest pain and HTN diagnosed 2017",
        &["s_chest_pain", "p_hypertension_known"],
    );
    check(
        "was operated in 2019 and vomits everything",
        &["s_vomits_everything"],
    );
    for text in [
        "Had a seizure in 2019 and had another today",
        "Diagnosed HIV in 2017 had convulsions this morning",
        "born in 2015 was brought in convulsing",
    ] {
        let heard = found(&read(text, &ParseContext::default()));
        assert!(
            heard.contains(&"s_convulsion".to_owned()),
            "{text}: {heard:?}"
        );
    }
}

#[test]
fn hours_amounts_and_places_are_not_years() {
    check("snake bite at 2030hrs", &["s_snake_bite"]);
    check("snake bite around 1940", &["s_snake_bite"]);
    check("convulsion 2010", &["s_convulsion"]);
    check("convulsion in 2012 ward", &["s_convulsion"]);
    check("convulsion in 2026", &["s_convulsion"]);
    check("bleeding gums, platelets 2010", &["s_bleeding_from_gums"]);
}

#[test]
fn being_well_before_does_not_put_the_illness_in_the_past() {
    check(
        "Previously well, admitted with convulsions",
        &["s_convulsion"],
    );
    check(
        "PMH hypertension, admitted with crushing chest pain",
        &["p_hypertension_known", "s_central_crushing_chest_pain"],
    );
    check(
        "She was brought convulsing, pregnant with her first child",
        &["s_convulsion", "p_first_pregnancy"],
    );
    check(
        "nothing is stopping the severe headache",
        &["s_severe_headache"],
    );
}

#[test]
fn a_finding_from_childhood_or_long_ago_is_not_current() {
    of_age(8, "h/o febrile convulsion at 2yrs, cough", &["s_cough"]);
    check("childhood febrile convulsions, cough", &["s_cough"]);
    of_age(
        8,
        "He had febrile convulsions when he was 2 years old but none since",
        &[],
    );
    check("Seizure 5 years ago. Runny nose", &["s_runny_nose"]);
    check("last fit was 8/12 ago", &[]);
    check("seizure free x2yrs", &["-s_convulsion"]);
}

#[test]
fn a_recent_last_time_or_current_age_is_not_past() {
    check("last fit was 2 hours ago", &["s_convulsion"]);
    check(
        "my last seizure was 3 weeks ago, I am having one now",
        &["s_convulsion"],
    );
    of_age(
        2,
        "child was brought convulsing at 2 years old",
        &["s_convulsion"],
    );
    check("was unconscious when sugar was 2", &["s_unconscious"]);
    check(
        "At age 60 he was brought with chest pain",
        &["s_chest_pain"],
    );
    check(
        "residual weakness with severe headache",
        &["s_severe_headache"],
    );
    check(
        "convulsing childhood epilepsy",
        &["s_convulsion", "p_epilepsy_known"],
    );
}

#[test]
fn c_o_after_a_number_is_not_a_temperature() {
    check("45F c/o toothache", &["s_toothache"]);
    check("Bed 39 c/o cough", &["s_cough"]);
    check("34/40 c/o headache", &["p_third_trimester", "s_headache"]);
}

fn parsed(text: &str) -> Parsed {
    REAL.parser
        .parse(&REAL.base, text, &ParseContext::default())
}

#[test]
fn ages_in_clinical_shorthand_are_read() {
    let days = Age::from_days;
    for (text, age) in [
        ("D5 neonate, T 38.4", days(5)),
        ("Baby, day 5 of life, T 38.3", days(5)),
        ("5/7 old neonate with fever", days(5)),
        ("2/52 old baby not feeding", days(14)),
        ("18/12 F with cough", Age::from_months(18)),
        ("Aisha 6yrs, cough, fever", Age::from_years(6)),
    ] {
        let parsed = parsed(text);
        assert_eq!(parsed.age, Some(age), "{text}");
        let lasting = parsed
            .mentions
            .iter()
            .find_map(|mention| mention.duration_days);
        assert_eq!(lasting, None, "{text}");
    }
    assert_eq!(parsed("headache 2 years, vomiting").age, None);
}

#[test]
fn a_duration_in_hours_becomes_whole_days() {
    let lasting = |text: &str| parsed(text).mentions[0].duration_days;
    assert_eq!(lasting("fever for 96 hours"), Some(4));
    assert_eq!(lasting("vomiting for 36 hours"), Some(1));
    assert_eq!(lasting("headache for 6 hours"), Some(0));
    assert_eq!(lasting("severe headache since 0300h"), Some(0));
}

#[test]
fn weeks_of_gestation_are_read_without_the_word_pregnant() {
    check(
        "I'm 10 weeks, small headache",
        &["p_first_trimester", "s_headache"],
    );
    check("36+4 weeks, headache", &["p_third_trimester", "s_headache"]);
    check("EGA 36wks, headache", &["p_third_trimester", "s_headache"]);
    check("I am 3 weeks sick with cough", &["s_cough"]);
    check("I'm 6 weeks, delivered by CS, fever", &["s_fever"]);
    check("pain in my belly 2 weeks", &["s_abdominal_pain"]);
}

#[test]
fn values_in_ward_notation_are_read() {
    let value = |text: &str, id: &str| {
        let concept = REAL.base.resolve(id).unwrap();
        let found = parsed(text)
            .mentions
            .into_iter()
            .find(|mention| mention.concept == concept);
        found.and_then(|found| found.value)
    };
    for (text, id, expected) in [
        ("B.P. 208/126, headache", "s_blood_pressure", "208/126"),
        ("BP R arm 200/110", "s_blood_pressure", "200/110"),
        (
            "tension 17/11 et mal de tête",
            "s_blood_pressure",
            "170/110",
        ),
        ("BP 80 systolic", "s_systolic_blood_pressure", "80"),
        ("GCS E2V2M4", "s_glasgow_coma_score", "8"),
        ("GCS 3+2+4", "s_glasgow_coma_score", "9"),
        ("84% on room air", "s_oxygen_saturation", "84 %"),
        ("R/R 38", "s_respiratory_rate", "38"),
    ] {
        assert_eq!(value(text, id).as_deref(), Some(expected), "{text}");
    }
    // Dates, and the oxygen flow given, are not values.
    assert_eq!(
        value("BP 12/8/2026 fever", "s_blood_pressure").as_deref(),
        None
    );
    assert_eq!(value("on 100% oxygen, fever", "s_oxygen_saturation"), None);
    check("PCV3 and Penta3 up to date", &[]);
    check("AVPU: P", &["s_avpu_responds_to_pain_only"]);
}
