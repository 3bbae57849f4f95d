//! Negations, uncertainties and conditions as people write them: each row lists everything that
//! must be found.

use super::sentences::check;

#[test]
fn a_bare_list_after_no_is_denied_as_a_whole() {
    check(
        "No SOB, palpitations, syncope, fever, wt loss; walks",
        &[
            "-s_breathlessness",
            "-s_palpitations",
            "-s_fainting",
            "-s_fever",
            "-s_weight_loss",
        ],
    );
    check(
        "No fever, cough, night sweats. Headache for 2 days",
        &["-s_fever", "-s_cough", "-s_night_sweats", "s_headache"],
    );
    check(
        "no fever, cough, weight loss, he is vomiting",
        &["-s_fever", "-s_cough", "-s_weight_loss", "s_vomiting"],
    );
}

#[test]
fn two_items_or_a_time_or_a_verb_end_the_denied_list() {
    check("no fever, headache", &["-s_fever", "s_headache"]);
    check(
        "no cough, fever, headache, vomiting since Monday",
        &["-s_cough", "s_fever", "s_headache", "s_vomiting"],
    );
    check(
        "no cough, rash, convulsed twice",
        &["-s_cough", "s_rash", "s_convulsion"],
    );
}

#[test]
fn abbreviations_deny_too() {
    check("HIV neg", &["-p_hiv_infection_known"]);
    check("HIV -ve", &["-p_hiv_infection_known"]);
    check("HIV NR", &["-p_hiv_infection_known"]);
    check("the HIV part was negative", &["-p_hiv_infection_known"]);
    check("HIV +ve", &["p_hiv_infection_known"]);
    check(
        "abdomen soft, non tender",
        &["-s_rigid_abdomen", "-s_abdominal_tenderness"],
    );
    check("I have not gone down in weight", &["-s_weight_loss"]);
    check(
        "I did a pregnancy test and it came back negative",
        &["-p_pregnancy"],
    );
}

#[test]
fn a_sentence_about_something_else_denies_nothing() {
    check(
        "She has not woken up. When I pinch her she moans, she doesn't mind us",
        &["s_unconscious"],
    );
    check("My son has fever. I don't.", &["-s_fever"]);
}

#[test]
fn doubts_and_conditions_end_at_a_new_statement() {
    check("maybe it was the food, she is vomiting", &["s_vomiting"]);
    check("if I eat, I vomit", &["s_vomiting"]);
    check(
        "maybe three times a week I get palpitations",
        &["s_palpitations"],
    );
    check("maybe a fever", &["?s_fever"]);
}

#[test]
fn a_danger_sign_that_stopped_is_still_reported() {
    check("the convulsion has stopped", &["s_convulsion"]);
    check("the fever has gone now", &["-s_fever"]);
    check("his legs have gone weak", &["s_leg_weakness"]);
}

#[test]
fn a_negation_inside_a_phrase_belongs_to_the_phrase() {
    check("he does not breathe well", &["s_breathlessness"]);
    check("the dog is a bit old", &[]);
}

#[test]
fn a_relative_in_danger_is_the_patient_if_nobody_else_is() {
    check("my father collapsed at the market", &["s_collapse"]);
    check("somebody stabbed me", &["s_stab_wound_sign"]);
    check("I fainted when I was walking", &["s_fainting"]);
}

#[test]
fn a_past_finding_is_absent_and_not_well_means_ill() {
    check("I had fever on Monday. No fever now", &["-s_fever"]);
    check("I no dey cough", &["-s_cough"]);
    check("e no dey scratch me", &["-s_itching"]);
    check("he is not eating well", &["s_loss_of_appetite"]);
    check(
        "no fever, eating well",
        &["-s_fever", "-s_loss_of_appetite"],
    );
}

#[test]
fn a_feared_or_asked_about_illness_is_not_known() {
    check("I am afraid of HIV", &[]);
    check("He fears he has cancer", &[]);
    check("Is this a heart attack?", &[]);
    check(
        "She fears because she is diabetic",
        &["p_diabetes_mellitus_known"],
    );
    check(
        "Afraid of hospital, hypertensive",
        &["p_hypertension_known"],
    );
    check("we fear for the pregnancy", &["p_pregnancy"]);
    check("she fears her diabetes", &["p_diabetes_mellitus_known"]);
    check("I am afraid of the vomiting", &["s_vomiting"]);
    check(
        "is it safe in pregnancy? I am vomiting",
        &["p_pregnancy", "s_vomiting"],
    );
    check("afraid of water", &["s_hydrophobia"]);
}

#[test]
fn fit_as_a_pidgin_verb_is_not_a_convulsion() {
    check("I still fit do my house work small", &[]);
    check("e still fit carry water", &[]);
    check(
        "still fitting on arrival",
        &["s_convulsion_lasting_over_5_minutes"],
    );
}

#[test]
fn a_new_verb_or_statement_ends_a_denial() {
    check(
        "denies cough, had a convulsion this morning",
        &["-s_cough", "s_convulsion"],
    );
    check(
        "denies fever and has chest pain",
        &["-s_fever", "s_chest_pain"],
    );
    check(
        "denies fever, reports chest pain",
        &["-s_fever", "s_chest_pain"],
    );
    check("denies fever or chest pain", &["-s_fever", "-s_chest_pain"]);
    check(
        "I no dey cough and I dey vomit",
        &["-s_cough", "s_vomiting"],
    );
    check(
        "no cough, I smoke, my mother has diabetes",
        &[
            "-s_cough",
            "p_current_smoker",
            "p_family_history_of_diabetes",
        ],
    );
    check(
        "no known allergies, diabetic, hypertensive",
        &[
            "-p_allergy_known",
            "p_diabetes_mellitus_known",
            "p_hypertension_known",
        ],
    );
}

#[test]
fn plurals_family_history_and_yoruba_si_are_read() {
    check("No fits.", &["-s_convulsion"]);
    check(
        "No family history of diabetes",
        &["-p_family_history_of_diabetes"],
    );
    // "ó sì ní" is Yoruba for "and he has".
    check("Ọmọ mi ní ibà, ó sì ní gìrì", &["s_fever", "s_convulsion"]);
}
