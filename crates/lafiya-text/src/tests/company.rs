//! Other people and animals: shared illness, illness of others only, and animals. Each row lists
//! everything that must be found.

use lafiya_model::Severity;

use super::REAL;
use super::sentences::check;
use crate::ParseContext;

#[test]
fn a_finding_shared_with_someone_is_the_patients() {
    check("He and his brother both have diarrhoea", &["s_diarrhoea"]);
    check("She and her sister have fever", &["s_fever"]);
    check("both he and his wife have fever", &["s_fever"]);
    check(
        "the patient and his younger brother have cough",
        &["s_cough"],
    );
    check("I and my brother have diarrhoea", &["s_diarrhoea"]);
    check(
        "the whole family including the patient has diarrhoea",
        &["s_diarrhoea"],
    );
    check("my whole family including me has fever", &["s_fever"]);
}

#[test]
fn a_finding_of_someone_else_alone_is_not_the_patients() {
    check("his brother has diarrhoea", &[]);
    check("he has fever and his brother has diarrhoea", &["s_fever"]);
    check("My sister has fever and I have cough", &["s_cough"]);
    check("my neighbour's child died of measles", &[]);
}

#[test]
fn an_ill_relative_is_the_patient_when_the_speaker_is_well() {
    check("My husband coughs blood, I am fine", &["s_haemoptysis"]);
    check(
        "My father collapsed at the market, I am fine",
        &["s_collapse"],
    );
    check("My son has fever, I am fine", &["s_fever"]);
    check(
        "My wife is 30 weeks pregnant with blurred vision, I am well",
        &["p_pregnancy", "p_third_trimester", "s_blurred_vision"],
    );
}

#[test]
fn working_with_animals_is_about_the_patient() {
    check("A man of 45 who works on a cattle farm", &["p_farmer"]);
    check("our goat is pregnant and I have a cough", &["s_cough"]);
}

#[test]
fn an_animals_illness_is_not_the_patients() {
    check("the goat has diarrhoea", &[]);
    check("our cow has fever", &[]);
    check(
        "goats dying with bloody diarrhoea, patient has fever",
        &["s_fever"],
    );
    check("the chickens are coughing but he has fever", &["s_fever"]);
    check("le chien a la diarrhée", &[]);
    check("mbuzi ana homa, mtoto ana kikohozi", &["s_cough"]);
    check("My dog was sick. I have fever", &["s_fever"]);
}

#[test]
fn an_injury_by_an_animal_is_the_patients() {
    check(
        "our dog was vomiting before it bit me",
        &["s_dog_bite_wound"],
    );
    check(
        "the dog had convulsions and bit the child",
        &["s_dog_bite_wound"],
    );
    check("the dog was vomiting and bit my brother", &[]);
    check(
        "bitten by a dog, fever since yesterday",
        &["s_dog_bite_wound", "s_fever"],
    );
    check(
        "fell from horse, has back pain",
        &["s_fall_from_height", "s_back_pain"],
    );
    check(
        "a dog had bitten him and he has fever",
        &["s_dog_bite_wound", "s_fever"],
    );
}

#[test]
fn a_numbered_pregnancy_is_current() {
    check(
        "Third pregnancy, bleeding",
        &["p_pregnancy", "s_vaginal_bleeding_abnormal"],
    );
    check(
        "4th pregnancy with bleeding",
        &["p_pregnancy", "s_vaginal_bleeding_abnormal"],
    );
    check(
        "second pregnancy, headache and blurred vision",
        &["p_pregnancy", "s_headache", "s_blurred_vision"],
    );
    check(
        "first time mother with headache",
        &["p_first_pregnancy", "s_headache"],
    );
}

#[test]
fn the_amount_eaten_is_not_a_severity() {
    let severities = |text: &str| -> Vec<Option<Severity>> {
        let parsed = REAL
            .parser
            .parse(&REAL.base, text, &ParseContext::default());
        parsed
            .mentions
            .iter()
            .map(|mention| mention.severity)
            .collect()
    };
    assert_eq!(severities("vomited once after eating too much"), [None]);
    assert_eq!(severities("pain in belly after walking too much"), [None]);
    assert_eq!(
        severities("stomach pain after eating is severe"),
        [Some(Severity::Severe)]
    );
}
