//! Narratives told by someone other than the patient: statements about the patient count,
//! statements about others do not.

use lafiya_model::{Age, Sex};

use super::sentences::{check, found, read};
use crate::ParseContext;

/// Returns the findings for a patient of an age and a sex, with a minus for absent ones.
fn heard(years: u32, sex: Sex, text: &str) -> Vec<String> {
    let context = ParseContext {
        age: Some(Age::from_years(years)),
        sex: Some(sex),
        ..ParseContext::default()
    };
    found(&read(text, &context))
}

fn hears(years: u32, sex: Sex, text: &str, wanted: &[&str]) {
    let heard = heard(years, sex, text);
    for id in wanted {
        assert!(
            heard.iter().any(|understood| understood == id),
            "{text}: no {id} in {heard:?}"
        );
    }
}

fn does_not_hear(years: u32, sex: Sex, text: &str, unwanted: &[&str]) {
    let heard = heard(years, sex, text);
    for id in unwanted {
        assert!(
            !heard.iter().any(|understood| understood == id),
            "{text}: {id} in {heard:?}"
        );
    }
}

#[test]
fn whoever_brings_the_patient_describes_the_patient() {
    hears(
        26,
        Sex::Female,
        "My wife was frying plantain. She became dizzy and she told me the head is paining. She has no fever.",
        &["s_dizziness", "s_headache", "-s_fever"],
    );
    hears(
        13,
        Sex::Female,
        "I am her class teacher. They were sweeping and she started to cough. She has runny nose.",
        &["s_cough", "s_runny_nose"],
    );
    hears(
        23,
        Sex::Male,
        "They brought my friend from the bar, somebody stabbed him with a bottle. He is vomiting.",
        &["s_stab_wound_sign", "s_vomiting"],
    );
    hears(
        36,
        Sex::Female,
        "My sister-in-law drank farm chemical after a quarrel with her husband. She is vomiting.",
        &["s_poison_ingestion", "s_vomiting"],
    );
    hears(
        78,
        Sex::Female,
        "Our grandmother lives alone. We found her weak on the mat. She did not vomit. She is thirsty.",
        &["s_generalized_weakness", "-s_vomiting", "s_thirst"],
    );
}

#[test]
fn a_pronoun_refers_to_the_patient() {
    hears(
        0,
        Sex::Female,
        "My baby is thin. My mother gives her porridge. She is not coughing, no diarrhoea.",
        &["-s_cough", "-s_diarrhoea"],
    );
    hears(
        69,
        Sex::Male,
        "My papa is 69. Two times we saw blood in the urine. He has lost weight.",
        &["s_haematuria", "s_weight_loss"],
    );
}

#[test]
fn findings_of_others_stay_with_them() {
    does_not_hear(
        30,
        Sex::Male,
        "I have fever. My mother has a cough, she is vomiting as well.",
        &["s_cough", "s_vomiting"],
    );
    does_not_hear(
        9,
        Sex::Female,
        "She has fever. Her grandfather has a cough.",
        &["s_cough"],
    );
    check(
        "Headache for a week. Mother T2DM, father HTN.",
        &[
            "s_headache",
            "p_family_history_of_diabetes",
            "p_family_history_of_hypertension",
        ],
    );
}

#[test]
fn an_occupation_is_the_patients_when_stated_so() {
    check("34M, teacher, cough", &["p_teacher", "s_cough"]);
    check("I am a farmer and I have fever", &["p_farmer", "s_fever"]);
    check("the driver said I should come, I have fever", &["s_fever"]);
}

#[test]
fn a_main_clause_after_if_is_a_finding() {
    check(
        "If I lie flat, sour water comes up my mouth",
        &["s_regurgitation"],
    );
    check("come back if you vomit", &[]);
}

#[test]
fn one_word_may_belong_to_two_findings() {
    hears(
        30,
        Sex::Male,
        "tongue and lips are swelling after eating groundnuts",
        &["s_swollen_lips", "s_symptoms_soon_after_certain_food"],
    );
    check(
        "no urinary frequency or urgency",
        &["-s_urinary_frequency", "-s_urinary_urgency"],
    );
    hears(
        40,
        Sex::Male,
        "his tea had no smell and no taste",
        &["s_loss_of_taste"],
    );
}

#[test]
fn a_neighbours_child_is_not_the_patient() {
    for text in [
        "My neighbour's child convulsed last week because of fever. My own has only a cough. She eats well.",
        "My neighbour pikin convulse last week, dem rush am go hospital. My own dey cough, she dey chop well",
        "My friend's baby had convulsions. My daughter has a cough and she eats well.",
    ] {
        hears(6, Sex::Female, text, &["s_cough", "-s_loss_of_appetite"]);
        does_not_hear(6, Sex::Female, text, &["s_convulsion", "s_fever"]);
    }
    // Anyone may have brought the child.
    for text in [
        "I brought my neighbour's child, she is convulsing",
        "My neighbour's child is convulsing since morning, the child is 3 years old",
        "My neighbour's baby is convulsing and cannot sit on her own",
    ] {
        hears(3, Sex::Female, text, &["s_convulsion"]);
    }
}
