//! The subject and the time of findings, and illnesses that are only feared: each case with
//! counterexamples in which the rule must not apply.

use lafiya_model::{Age, Sex};

use super::REAL;
use super::sentences::{check, lasts, read};
use crate::ParseContext;

#[test]
fn danger_signs_listed_in_a_note_are_present() {
    check(
        "General danger signs: unable to drink, vomits everything, convulsed once this morning.",
        &["s_unable_to_drink", "s_vomits_everything", "s_convulsion"],
    );
    check(
        "He has the following danger signs: chest indrawing, stridor",
        &["s_chest_indrawing", "s_stridor"],
    );
    check(
        "No general danger signs: able to drink, no convulsions",
        &["-s_unable_to_drink", "-s_convulsion"],
    );
    check(
        "No danger signs such as convulsions or lethargy",
        &["-s_convulsion", "-s_lethargy"],
    );
    for advice in [
        "Counselled on danger signs: fever, convulsions.",
        "Danger signs explained: vaginal bleeding, severe headache",
        "Mother told to return for danger signs: convulsions, lethargy",
        "Side effects explained: rash, jaundice, vomiting",
    ] {
        check(advice, &[]);
    }
    check(
        "Counselled on danger signs; child is convulsing now",
        &["s_convulsion"],
    );
    check(
        "Danger signs discussed, baby has fever and is convulsing",
        &["s_fever", "s_convulsion"],
    );
    check(
        "Advised on feeding, convulsed twice at home",
        &["s_convulsion"],
    );
}

#[test]
fn a_child_brought_by_an_adult_is_the_patient() {
    let age = |text: &str| {
        let context = ParseContext::default();
        REAL.parser.parse(&REAL.base, text, &context).age
    };
    for (text, heard, told) in [
        (
            "A 26-year-old woman presents with her 4-year-old son, who swallowed kerosene 1 hour ago",
            "s_kerosene_drunk",
            Age::from_years(4),
        ),
        (
            "A 25-year-old woman presents with her 3-month-old infant who is convulsing",
            "s_convulsion",
            Age::from_months(3),
        ),
        (
            "A grandmother of 60 years brings her 2-year-old grandson with bloody diarrhoea",
            "s_bloody_diarrhoea",
            Age::from_years(2),
        ),
        (
            "A 30-year-old woman presents with fever and her 2-year-old son also has cough",
            "s_fever",
            Age::from_years(30),
        ),
        (
            "A 25-year-old mother with a 3-day-old baby has heavy bleeding",
            "s_heavy_bleeding",
            Age::from_years(25),
        ),
    ] {
        check(text, &[heard]);
        assert_eq!(age(text), Some(told), "{text}");
    }
    lasts(
        "A grandmother of 60 years brings her 2-year-old grandson with bloody diarrhoea",
        &[None],
    );
}

#[test]
fn a_doubted_disease_leaves_its_signs_present() {
    check(
        "It may be a stroke, his mouth is bent and he cannot talk",
        &["s_facial_droop", "s_loss_of_speech"],
    );
    check(
        "It could be meningitis: stiff neck, fever, very confused",
        &["s_neck_stiffness", "s_fever", "s_confusion"],
    );
    check(
        "I fear it may be cancer, the lump in my breast is 2 months old",
        &["?p_cancer_known", "s_breast_lump"],
    );
    check("not sure if fever, cough", &["?s_fever", "?s_cough"]);
    check("Possible: fever, cough", &["?s_fever", "?s_cough"]);
    check(
        "could be asthma, TB or HIV",
        &["?p_asthma_known", "?p_hiv_infection_known"],
    );
    check(
        "Maybe malaria: no fever, no cough",
        &["-s_fever", "-s_cough"],
    );
}

#[test]
fn past_history_is_not_current() {
    check(
        "He attempted suicide in 2017 by hanging; currently denies any suicidal ideation",
        &["p_previous_suicide_attempt", "-s_suicidal_thoughts"],
    );
    check(
        "PMH of depression with overdose at 17",
        &["p_depression_known"],
    );
    check(
        "Past obstetric history: PPH after second delivery",
        &["p_previous_postpartum_haemorrhage"],
    );
    check(
        "In my last pregnancy I bled a lot after birth",
        &["p_previous_postpartum_haemorrhage"],
    );
    for over in [
        "PMH: meningitis aged 3, febrile convulsions in infancy",
        "He had a similar episode of haematemesis in 2019 but none now",
        "Previous episodes of chest pain last year; currently asymptomatic",
    ] {
        check(over, &[]);
    }
    check(
        "Seizure-free on valproate",
        &["-s_convulsion", "p_epilepsy_known"],
    );
}

#[test]
fn current_findings_next_to_a_history_are_current() {
    for text in [
        "Previously well, had a convulsion this morning",
        "I had convulsions last year and again this morning",
        "PMH: nil. Convulsed at 3.",
        "3 previous episodes of convulsion since morning",
        "He had a seizure at age 5 and had another this morning",
        "He had a seizure this morning but none since",
        "seizure free on Monday, convulsing today",
    ] {
        check(text, &["s_convulsion"]);
    }
    check(
        "PMH: asthma, convulsion at 17:30",
        &["p_asthma_known", "s_convulsion"],
    );
    check(
        "In my last pregnancy I had convulsions, severe headache since morning",
        &["s_severe_headache"],
    );
}

#[test]
fn a_past_allergic_reaction_is_not_current() {
    for text in [
        "Allergies: penicillin - anaphylaxis. Sulfa - Stevens-Johnson.",
        "Allergic to quinine - causes vomiting and tinnitus",
        "Allergies: aspirin (bronchospasm), shellfish (facial swelling)",
    ] {
        check(text, &["p_allergy_known"]);
    }
    check("Allergic to penicillin (rash).", &["p_drug_allergy_known"]);
}

#[test]
fn a_current_allergic_reaction_is_present() {
    check(
        "allergic reaction - swollen lips and breathlessness",
        &["p_allergy_known", "s_swollen_lips", "s_breathlessness"],
    );
    check(
        "Allergic to groundnuts - swollen face, wheezing",
        &["p_food_allergy_known", "s_facial_puffiness", "s_wheeze"],
    );
    check(
        "Allergic to groundnuts (face is swollen and cannot breathe)",
        &[
            "p_food_allergy_known",
            "s_facial_puffiness",
            "s_breathlessness",
        ],
    );
    check(
        "Allergies: none - fever and cough",
        &["p_allergy_known", "s_fever", "s_cough"],
    );
    check(
        "took penicillin, now rash and swelling of the face",
        &["s_rash", "s_facial_puffiness"],
    );
}

#[test]
fn a_line_about_the_family_is_not_about_the_patient() {
    check(
        "FHx: father has hypertension and had a stroke at 60",
        &[
            "p_family_history_of_hypertension",
            "p_family_history_of_stroke",
        ],
    );
    check(
        "FHx: paternal uncle with colon cancer, aunt with goitre",
        &[],
    );
    check("My late husband had HIV and I have a cough", &["s_cough"]);
    check(
        "FHx: father DM, c/o chest pain",
        &["p_family_history_of_diabetes", "s_chest_pain"],
    );
    check("FHx: not known, fever 3 days", &["s_fever"]);
    check(
        "FHx: mother hypertensive, she has chest pain",
        &["p_family_history_of_hypertension", "s_chest_pain"],
    );
    check("My husband has chest pain", &["s_chest_pain"]);
}

#[test]
fn breathing_and_killing_phrases_are_read_precisely() {
    check(
        "My child is not breathing well, the nose is blocked",
        &["s_breathlessness", "s_blocked_nose"],
    );
    check("My child is not breathing", &["s_apnoea_in_infant"]);
    check("I want to kill that man", &["s_thoughts_of_harming_others"]);
    check(
        "she wants to kill her baby",
        &["s_thoughts_of_harming_the_baby"],
    );
}

#[test]
fn conditionals_in_french_and_portuguese_give_no_findings() {
    check("Si l'enfant a de la fièvre, je viens?", &[]);
    check("Se tiver febre eu volto", &[]);
    check("Même si l'enfant a de la fièvre, il joue", &["s_fever"]);
    check("Se queixa de febre", &["s_fever"]);
    check("si homa", &["-s_fever"]);
    check("Não tem febre nem tosse", &["-s_fever", "-s_cough"]);
}

#[test]
fn comparing_with_a_past_pregnancy_means_pregnant() {
    check(
        "In my last pregnancy I was well, this one I have convulsions",
        &["p_pregnancy", "s_convulsion"],
    );
}

#[test]
fn pregnant_with_twins_means_pregnant() {
    check(
        "I am pregnant with twins, bleeding",
        &[
            "p_multiple_pregnancy_carried",
            "p_pregnancy",
            "s_vaginal_bleeding_abnormal",
        ],
    );
}

#[test]
fn asking_about_an_illness_does_not_make_it_known() {
    for asked in [
        "He wants to know about diabetes",
        "came for information about epilepsy",
        "attended a talk on asthma",
    ] {
        let mentions = read(asked, &ParseContext::default());
        let known = mentions
            .iter()
            .find(|mention| REAL.base.id_of(mention.concept).starts_with("p_"));
        assert!(known.is_none(), "{asked}");
    }
    check("asking about her diabetes", &["p_diabetes_mellitus_known"]);
    check(
        "asking about HIV drugs, HIV positive",
        &["p_hiv_infection_known"],
    );
    check(
        "asked about treatment because she is diabetic",
        &["p_diabetes_mellitus_known"],
    );
}

#[test]
fn a_woman_with_a_newborn_is_postpartum() {
    let childbed = "p_postpartum_within_6_weeks";
    let woman = |years| ParseContext {
        age: Some(Age::from_years(years)),
        sex: Some(Sex::Female),
        ..ParseContext::default()
    };
    let hears = |text: &str, context: &ParseContext| {
        let mentions = read(text, context);
        mentions
            .iter()
            .any(|mention| REAL.base.id_of(mention.concept) == childbed)
    };
    for text in [
        "I have fever and my breast is painful. My baby is twelve days old.",
        "The baby is 9 days old. My wife has not slept and hears voices",
        "headache since yesterday, I have a 3-week-old baby at home",
        "bad smell from below, my newborn is 5 days old",
        "Baby is 2 weeks old, mother has swollen leg",
    ] {
        assert!(hears(text, &woman(24)), "{text}");
        assert!(!hears(text, &woman(63)), "a grandmother: {text}");
        let man = ParseContext {
            sex: Some(Sex::Male),
            ..woman(24)
        };
        assert!(!hears(text, &man), "a man: {text}");
    }
    for text in [
        "I have fever, my baby is 8 months old",
        "my sister's baby is 5 days old and I have a cough",
        "I have had fever for 5 days and my baby is well",
        "My dog is 10 days old and bit me",
    ] {
        assert!(!hears(text, &woman(24)), "{text}");
    }
    let newborn = ParseContext {
        age: Some(Age::from_days(9)),
        ..woman(0)
    };
    assert!(!hears("The baby is 9 days old and does not suck", &newborn));
}
