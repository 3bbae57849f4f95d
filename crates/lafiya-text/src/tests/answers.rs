//! Answers in forms and short notes, negations after a finding, double negation, and findings that
//! are over or back again. Each group has counterexamples in which the rule must not apply.

use super::sentences::{check, lasts};

#[test]
fn a_no_after_a_question_denies_the_finding() {
    check("Convulsions? No.", &["-s_convulsion"]);
    check(
        "Vaginal bleeding? No. Headache? Yes, since yesterday. Blurred vision? No.",
        &[
            "-s_vaginal_bleeding_abnormal",
            "s_headache",
            "-s_blurred_vision",
        ],
    );
    check(
        "Any fever, cough or vomiting?\nNo",
        &["-s_fever", "-s_cough", "-s_vomiting"],
    );
    check(
        "Has the bleeding stopped? No.",
        &["s_bleeding_that_will_not_stop"],
    );
    lasts("Cough? Yes for 3 days.", &[Some(3)]);
}

#[test]
fn a_question_about_something_else_denies_no_finding() {
    check("Did he take something for the fever? No.", &["s_fever"]);
    check("She has fever, any cough? No.", &["s_fever", "-s_cough"]);
    check("Convulsions? No doubt he had them.", &["s_convulsion"]);
    check("Chest pain? No idea.", &["s_chest_pain"]);
    check("Is the fever gone? No.", &["s_fever"]);
    // A patient who does not drink well is not recorded as able to drink.
    check("Is he drinking well? No.", &[]);
}

#[test]
fn a_plus_or_minus_after_a_finding_is_its_answer() {
    check(
        "Headache +, vomiting -, neck stiffness -.",
        &["s_headache", "-s_vomiting", "-s_neck_stiffness"],
    );
    check(
        "Convulsions (-), fever (+), LOC (-ve).",
        &["-s_convulsion", "s_fever", "-s_loss_of_consciousness_brief"],
    );
    check(
        "Fever Y, cough N, vomiting Y, convulsions N.",
        &["s_fever", "-s_cough", "s_vomiting", "-s_convulsion"],
    );
    check(
        "Fever+ cough+ vomiting-",
        &["s_fever", "s_cough", "-s_vomiting"],
    );
    check("Suicidal ideation: N.", &["-s_suicidal_thoughts"]);
    check("Convulsions: 0.", &["-s_convulsion"]);
    check(
        "Haemoptysis [ ] Weight loss [x] Fever [ ]",
        &["-s_haemoptysis", "s_weight_loss", "-s_fever"],
    );
    check(
        "[ ] Fever [x] Cough [ ] Convulsions",
        &["-s_fever", "s_cough", "-s_convulsion"],
    );
}

#[test]
fn hyphens_letters_and_boxes_are_not_always_answers() {
    check(
        "Complaints: convulsions - vomiting - lethargy.",
        &["s_convulsion", "s_vomiting", "s_lethargy"],
    );
    check("Convulsions -", &["s_convulsion"]);
    check("- Fever\n- Convulsions\n", &["s_fever", "s_convulsion"]);
    check("Fever (- 2 days), rash (+).", &["s_fever", "s_rash"]);
    check("Convulsions N.B. since morning", &["s_convulsion"]);
    check("cough n fever", &["s_cough", "s_fever"]);
    check("Convulsions [x] No", &["-s_convulsion"]);
    check("Convulsions: [ ] Yes [x] No", &["-s_convulsion"]);
    check("Convulsions Yes [ ] No [x]", &["-s_convulsion"]);
    check(
        "Convulsions [ ] Yes [✓] No\nFever [✓] Yes [ ] No",
        &["-s_convulsion", "s_fever"],
    );
    check("Convulsions [x] Yes [ ] No", &["s_convulsion"]);
    check("Convulsions Yes [x] No [ ]", &["s_convulsion"]);
    check("Convulsions [x] No [ ]", &["s_convulsion"]);
    check("Convulsions [ ] Yes [ ] No", &["s_convulsion"]);
    check("Convulsions [x] No fever", &["s_convulsion", "-s_fever"]);
    check("Convulsions [ ] Fever [ ]", &["s_convulsion", "s_fever"]);
    check("Convulsions [✓] Fever [x]", &["s_convulsion", "s_fever"]);
}

#[test]
fn a_sign_that_was_not_seen_is_denied() {
    check("Papilloedema could not be seen", &["-s_papilloedema"]);
    check("Neck stiffness was not elicited", &["-s_neck_stiffness"]);
    check("Jaundice is not a feature", &["-s_jaundice"]);
    check("Convulsions were not observed today.", &["-s_convulsion"]);
    check("Rash was not noted until yesterday", &["s_rash"]);
    check(
        "The cause of her convulsions was not found.",
        &["s_convulsion"],
    );
    check("Convulsions were not seen by the nurse", &["s_convulsion"]);
}

#[test]
fn negative_eponymous_signs_are_denied() {
    let kernig = "-s_kernig_or_brudzinski_sign";
    check("Kernig's and Brudzinski's negative", &[kernig]);
    check("Kernig: neg.", &[kernig]);
    check("Babinski negative bilaterally", &["-s_extensor_plantar"]);
    check(
        "Phalen's and Tinel's tests are negative",
        &["-s_tinel_or_phalen_sign"],
    );
    check("Kernig positive, Brudzinski negative", &[&kernig[1..]]);
    check(
        "He has fever and HIV negative",
        &["s_fever", "-p_hiv_infection_known"],
    );
    check(
        "Percussion note stony dull on the right",
        &["s_stony_dull_percussion"],
    );
}

#[test]
fn a_double_negation_affirms_the_finding() {
    check("I can't go an hour without vomiting", &["s_vomiting"]);
    check("No week passes without convulsions", &["s_convulsion"]);
    check(
        "She can't walk without chest pain",
        &["s_chest_pain_on_exertion"],
    );
    check(
        "He cannot walk without help",
        &["s_unable_to_stand_or_walk_without_help"],
    );
    check(
        "The child cannot drink without vomiting",
        &["s_unable_to_drink", "s_vomiting"],
    );
    check("She is never without headache", &["s_headache"]);
    check(
        "He cannot breathe without pain",
        &["s_breathlessness", "s_pleuritic_chest_pain"],
    );
    check("No fever without chills", &["-s_fever", "-s_chills"]);
    check(
        "He has no cough and came without fever",
        &["-s_cough", "-s_fever"],
    );
}

#[test]
fn denying_knowledge_of_a_finding_does_not_deny_it() {
    check(
        "I never knew that chest pain can be serious, mine started today",
        &["s_chest_pain"],
    );
    check(
        "I don't understand why the bleeding does not stop",
        &["s_bleeding_that_will_not_stop"],
    );
    check("I am not aware of any fever", &["-s_fever"]);
    check("I don't think he has fever", &["-s_fever"]);
    check("She does not know of any fever", &["-s_fever"]);
    check("No change in the cough", &["s_cough"]);
    check("No change in voice", &["-s_hoarseness"]);
    check("I did not come for the headache", &["s_headache"]);
    check("There is no vomiting that worries me", &["-s_vomiting"]);
}

#[test]
fn a_finding_that_is_gone_is_absent_unless_it_came_back() {
    check("The chest pain is gone completely", &["-s_chest_pain"]);
    check(
        "The fever and headache are gone, but the cough is still there",
        &["-s_fever", "-s_headache", "s_cough"],
    );
    check("The fever came down after Panadol", &["-s_fever"]);
    check(
        "The fever has not come back and she is vomiting",
        &["-s_fever", "s_vomiting"],
    );
    check("My pressure has come down", &[]);
    check(
        "The bleeding stopped and started again this morning",
        &["s_bleeding_that_will_not_stop"],
    );
    check("The headache stopped. It came back today.", &["s_headache"]);
    check(
        "Fever gone but the headache came back",
        &["-s_fever", "s_headache"],
    );
    check("The fever came down but rose again at night", &["s_fever"]);
    check("Fever came down a little", &["s_fever"]);
    check("The boil has broken", &["s_skin_abscess_sign"]);
    check("His legs have gone completely numb", &["s_numbness"]);
    check(
        "I have fever and the headache is gone",
        &["s_fever", "-s_headache"],
    );
}

#[test]
fn a_retracted_no_denies_nothing() {
    for text in [
        "Convulsions? No, worse.",
        "Convulsions? No, I mean yes",
        "Convulsions? No, still there",
    ] {
        check(text, &["s_convulsion"]);
    }
    check("Convulsions? No.", &["-s_convulsion"]);
    check("Chest pain -, 2 hours", &["s_chest_pain"]);
}
