//! Contrasts: findings that were absent and are now present, double negation, exceptions from a
//! negation, and guesses. Each row lists everything that must be found.

use super::sentences::check;

#[test]
fn a_denial_for_yesterday_does_not_deny_today() {
    check("no fever yesterday but fever today", &["s_fever"]);
    check("today fever but no fever yesterday", &["s_fever"]);
    check("no vomiting yesterday, vomiting today", &["s_vomiting"]);
    check("no headache last week but headache now", &["s_headache"]);
    check(
        "was fine yesterday, convulsing since this morning",
        &["s_convulsion"],
    );
    check("fever yesterday but not today", &["-s_fever"]);
    check("no fever today but fever yesterday", &["-s_fever"]);
    check("had fever, no fever now", &["-s_fever"]);
    check("no fever yesterday and no fever today", &["-s_fever"]);
}

#[test]
fn absent_until_a_time_means_present_since_then() {
    check(
        "no bleeding from the vagina until last night",
        &["s_vaginal_bleeding_abnormal"],
    );
    check("never had chest pain before today", &["s_chest_pain"]);
    check("never had a fit until this morning", &["s_convulsion"]);
    check(
        "no fever or cough until 2 days ago",
        &["s_fever", "s_cough"],
    );
    check("no headache till Monday", &["s_headache"]);
    check("denies chest pain until this morning", &["s_chest_pain"]);
    check("she no get fever until yesterday", &["s_fever"]);
    check("pas de fièvre jusqu'à hier", &["s_fever"]);
    check("sem febre até ontem", &["s_fever"]);
    check("hana homa hadi jana", &["s_fever"]);
    check(
        "diarrhoea stopped on Monday and came back today",
        &["s_diarrhoea"],
    );
    check("first time ever to have chest pain", &["s_chest_pain"]);
}

#[test]
fn before_or_until_without_a_time_stays_denied() {
    check("no cough before the fever", &["-s_cough", "s_fever"]);
    check("never had chest pain before or today", &["-s_chest_pain"]);
    check("no fever till date", &["-s_fever"]);
    check("no fever, took drugs until 2 days ago", &["-s_fever"]);
    check("no fever, cough until yesterday", &["-s_fever", "s_cough"]);
    check(
        "no fever no cough until yesterday",
        &["-s_fever", "s_cough"],
    );
    check("no diarrhoea up to 3 times", &["-s_diarrhoea"]);
    // Absent so far, or present since now: unknown.
    check("no fever until now", &["?s_fever"]);
    check(
        "vomiting stopped on Monday and has not come back",
        &["-s_vomiting"],
    );
}

#[test]
fn a_negated_denial_is_present_or_unknown() {
    check("does not deny chest pain", &["s_chest_pain"]);
    check(
        "she doesn't deny vaginal bleeding, denies fever",
        &["s_vaginal_bleeding_abnormal", "-s_fever"],
    );
    check("cannot say she has no fever", &["?s_fever"]);
    check("can't say there is no headache", &["?s_headache"]);
    check("it is not true that she has no headache", &["?s_headache"]);
    check("it is not that she has no fever", &["?s_fever"]);
    check("no be say e no get fever", &["?s_fever"]);
    check("not without pain in the chest", &["s_chest_pain"]);
    check("maybe no fever", &["?s_fever"]);
}

#[test]
fn a_single_denial_with_a_doubt_still_denies() {
    check("it is not true that she has fever", &["-s_fever"]);
    check("it is not that she has fever", &["-s_fever"]);
    check("not sure, no fever", &["-s_fever"]);
    check("possible UTI no fever", &["-s_fever"]);
    check("fever no, denies cough", &["-s_fever", "-s_cough"]);
}

#[test]
fn a_finding_excepted_from_a_denial_is_present() {
    check("no complaint but chest pain", &["s_chest_pain"]);
    check("no problem besides cough", &["s_cough"]);
    check("besides cough no fever", &["s_cough", "-s_fever"]);
    check("all well save for headache", &["s_headache"]);
    check("pas de plainte sauf la toux", &["s_cough"]);
    check("hana shida isipokuwa homa", &["s_fever"]);
    check(
        "no other problem apart from vaginal bleeding",
        &["s_vaginal_bleeding_abnormal"],
    );
    check(
        "everything fine except that she cannot pass urine",
        &["s_urinary_retention_symptom"],
    );
    check("nothing pains me except the chest", &["s_chest_pain"]);
    check("no pain except in the chest", &["s_chest_pain"]);
}

#[test]
fn an_uncertain_disease_leaves_its_signs_present() {
    check("Possible malaria with convulsions", &["s_convulsion"]);
    check("possible stroke with facial droop", &["s_facial_droop"]);
    check(
        "may have pneumonia with chest indrawing",
        &["s_chest_indrawing"],
    );
    check("query meningitis, has stiff neck", &["s_neck_stiffness"]);
    check(
        "Pt ?malaria with vomiting everything",
        &["s_vomits_everything"],
    );
    check("peut être le paludisme avec convulsions", &["s_convulsion"]);
}

#[test]
fn an_uncertain_finding_stays_unknown() {
    check("possible fever with cough", &["?s_fever", "?s_cough"]);
    check("may have come with fever", &["?s_fever"]);
    check("maybe headache with fever", &["?s_headache", "?s_fever"]);
}

#[test]
fn french_and_portuguese_negations_are_read() {
    check("ni fièvre ni toux", &["-s_fever", "-s_cough"]);
    check(
        "il n'a ni fièvre ni toux, il vomit",
        &["-s_fever", "-s_cough", "s_vomiting"],
    );
    check("pas de fièvre ni toux", &["-s_fever", "-s_cough"]);
    check("n'a plus de fièvre", &["-s_fever"]);
    check("elle ne vomit plus", &["-s_vomiting"]);
    check(
        "il ne tousse plus mais il a de la fièvre",
        &["-s_cough", "s_fever"],
    );
    check("plus de vomissements depuis hier", &["-s_vomiting"]);
    check("já não tem febre mas tem tosse", &["-s_fever", "s_cough"]);
    check("deixou de vomitar", &["-s_vomiting"]);
    check("hana homa wala kikohozi", &["-s_fever", "-s_cough"]);
    check(
        "hana homa tena lakini anaharisha",
        &["-s_fever", "s_diarrhoea"],
    );
}

#[test]
fn similar_words_that_do_not_negate_deny_nothing() {
    check("il y a plus de vomissements depuis hier", &["s_vomiting"]);
    check("plus de 3 jours de fièvre", &["s_fever"]);
    check("vomiting plus diarrhoea", &["s_vomiting", "s_diarrhoea"]);
    check("ni homa ni kikohozi", &["s_fever", "s_cough"]);
    check("ne répond plus", &["s_unconscious"]);
    check("sans fièvre, avec toux", &["-s_fever", "s_cough"]);
}

#[test]
fn never_before_and_still_not_is_denied() {
    for text in [
        "Never had chest pain before today and has none today",
        "No chest pain before today's review",
        "no chest pain from yesterday until this morning",
    ] {
        check(text, &["-s_chest_pain"]);
    }
    check("Il n'a plus que la fièvre", &["s_fever"]);
    check("il n'a plus arrêté de convulser", &["s_convulsion"]);
    check("não consegue nem beber água", &["s_unable_to_drink"]);
}
