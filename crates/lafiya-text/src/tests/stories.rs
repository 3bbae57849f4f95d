//! Phrasings of case narratives and clinical notes: lists of negations, several adjectives,
//! recoveries, the reason for a medicine, and phrases to ignore that must not hide a symptom.

use super::sentences::check;

#[test]
fn a_denied_list_continues_after_an_unknown_item() {
    check(
        "Denies recent illness, fever, vomiting.",
        &["-s_fever", "-s_vomiting"],
    );
    check(
        "Denies new soaps, cough and chills.",
        &["-s_cough", "-s_chills"],
    );
}

#[test]
fn a_denied_list_ends_at_a_statement_about_a_finding() {
    check(
        "Denies alcohol use, fever started yesterday.",
        &["-p_alcohol_harmful_use", "s_fever"],
    );
    check(
        "Denies cough, headache is severe.",
        &["-s_cough", "s_severe_headache"],
    );
    check(
        "Denies allergies, complains of cough.",
        &["-p_allergy_known", "s_cough"],
    );
    check("without treatment, fever continued", &["s_fever"]);
}

#[test]
fn consecutive_adjectives_belong_to_one_phrase() {
    check(
        "sudden, painless loss of vision in her right eye",
        &["s_sudden_loss_of_vision"],
    );
}

#[test]
fn regained_consciousness_means_a_brief_loss_of_it() {
    check(
        "She was found unconscious on the floor. She regained consciousness after a minute.",
        &["s_loss_of_consciousness_brief", "-s_unconscious"],
    );
    check(
        "found unconscious, has not regained consciousness",
        &["s_unconscious"],
    );
    check(
        "He was fully conscious at noon, now unconscious",
        &["s_unconscious"],
    );
}

#[test]
fn a_denial_overrides_the_reason_for_a_medicine() {
    check(
        "She is afebrile and takes paracetamol for headache and fever.",
        &["-s_fever", "s_headache"],
    );
    check("takes paracetamol for fever", &["s_fever"]);
    check("no fever in the morning, fever at noon", &["s_fever"]);
}

#[test]
fn a_second_urinary_complaint_needs_no_body_part() {
    check(
        "no urinary frequency or urgency",
        &["-s_urinary_frequency", "-s_urinary_urgency"],
    );
}

#[test]
fn a_phrase_that_masks_a_word_masks_no_symptom() {
    check("he had a fit for five minutes", &["s_convulsion"]);
    check("he is fit for work", &[]);
    check("runny watery stool", &["s_watery_diarrhoea"]);
    check("there is running water at home", &[]);
    check("not responding to voice", &["s_unconscious"]);
    check("malaria fever and headache", &["s_fever", "s_headache"]);
    check("he keeps turning his head to the right", &[]);
    check("my head dey turn me", &["s_dizziness"]);
}

#[test]
fn a_phrase_also_gives_its_additional_findings() {
    check(
        "known sickle cell with severe bone pain",
        &["s_severe_bone_pain_crisis", "p_sickle_cell_disease_known"],
    );
    check(
        "the test says i carry sickle cell",
        &["s_genotype_question"],
    );
}

#[test]
fn a_phrase_ends_at_a_new_statement() {
    check(
        "my sister is a sickler and I have bone pain",
        &["p_family_history_of_sickle_cell", "s_bone_pain"],
    );
    check(
        "my skin is thick and it is rough",
        &["s_thickened_elephantoid_skin"],
    );
}

#[test]
fn radiating_chest_pain_is_not_chest_indrawing() {
    for story in [
        "pain in the chest going to the jaw",
        "tightness in the chest going to the left arm",
    ] {
        check(story, &["s_chest_pain_radiating_to_arm_or_jaw"]);
    }
    check("his chest goes in when he breathes", &["s_chest_indrawing"]);
}
