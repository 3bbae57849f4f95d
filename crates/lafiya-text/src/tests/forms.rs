//! What forms and terse notes write next to a name: questions for which "no" is the danger sign,
//! arrows and plus signs, counts, and current values next to a target, a normal value or an earlier
//! one. Each group has counterexamples in which the rule must not apply.

use super::REAL;
use super::sentences::{check, found, read};
use crate::ParseContext;

/// Returns all findings and tests of a text.
fn heard(text: &str) -> Vec<String> {
    let parsed = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    found(&[parsed.mentions, parsed.tests].concat())
}

/// Whether a text says that the patient has something.
fn has(text: &str, id: &str) -> bool {
    heard(text).iter().any(|understood| understood == id)
}

/// Returns the values of a text, in text order.
fn values(text: &str) -> Vec<String> {
    let mentions = read(text, &ParseContext::default());
    mentions
        .into_iter()
        .filter_map(|mention| mention.value)
        .collect()
}

#[test]
fn a_no_to_a_vital_function_is_a_danger_sign() {
    for (text, id) in [
        ("Conscious? No", "s_unconscious"),
        ("Conscious: N", "s_unconscious"),
        ("is the patient conscious? no", "s_unconscious"),
        ("Conscient ? Non", "s_unconscious"),
        ("Alert - no", "s_lethargy"),
        ("Breathing: no", "s_slow_or_irregular_breathing"),
        ("E dey breathe? No", "s_slow_or_irregular_breathing"),
        ("Anapumua: hapana", "s_slow_or_irregular_breathing"),
        ("Baby moving? No", "s_no_fetal_movement"),
        ("Fetal movements: absent", "s_no_fetal_movement"),
        ("Able to drink? No", "s_unable_to_drink"),
        ("Able to drink [ ] Yes [x] No", "s_unable_to_drink"),
        ("Able to drink? Yes [ ] No [✓]", "s_unable_to_drink"),
        ("Conscious: [x] No [ ] Yes", "s_unconscious"),
        ("Able to drink: N.", "s_unable_to_drink"),
        ("O doente consegue beber? Não", "s_unable_to_drink"),
        ("Able to breastfeed? No", "s_not_able_to_breastfeed"),
        ("Passing urine: N", "s_anuria"),
        ("passing urine: no since yesterday", "s_anuria"),
        ("has he passed urine today? no", "s_anuria"),
        ("Did the baby cry? No", "s_delayed_cry_at_birth"),
        ("Cried at birth: no", "s_delayed_cry_at_birth"),
        ("Pulse palpable - no", "s_absent_peripheral_pulse"),
        ("Able to walk: no", "s_unable_to_stand_or_walk_without_help"),
        ("Feeding well? No", "s_poor_feeding_in_infant"),
        (
            "1. Fever: yes 2. Feeding well: no",
            "s_poor_feeding_in_infant",
        ),
    ] {
        assert!(has(text, id), "{text}: {:?}", heard(text));
    }
    check(
        "conscious: no breathing: no able to drink: no convulsions: yes",
        &[
            "s_unconscious",
            "s_slow_or_irregular_breathing",
            "s_unable_to_drink",
            "s_convulsion",
        ],
    );
    check(
        "Conscious: no, fever: yes, cough: no",
        &["s_unconscious", "s_fever", "-s_cough"],
    );
}

#[test]
fn a_yes_or_incomplete_answer_is_no_danger_sign() {
    for text in [
        "Conscious? Yes",
        "Conscious: yes, breathing: yes",
        "Breathing: yes",
        "Breathing: N",
        "Breathing: no distress",
        "Breathing normal, no wheeze",
        "Baby moving? Yes",
        "Able to drink: yes",
        "Able to drink [x] Yes [ ] No",
        "Able to drink [ ] Yes [ ] No",
        "Conscious: Yes [x] No [ ]",
        "Conscious [x] No convulsions",
        "Conscious [x] No [ ]",
        "Passing urine: Y",
        "Cried at birth: yes",
        "Pulse palpable - yes",
        "Able to walk: yes",
        "Feeding well? Yes",
        "Unconscious? No",
        "Not breathing? No",
        "Difficulty in breathing: no",
        "fast breathing: no",
        "Burning on passing urine: no",
        "Pain on walking: no",
        "Conscious Y/N",
        "Conscious: Yes/No",
        "Smoking: no, drinking: no",
        "FH: nil",
        "she is conscious, no fever",
        "FHR 140, fetal heart heard, no abnormality",
    ] {
        let heard = heard(text);
        let known = |text: &&String| !text.starts_with('-') && *text != "s_fetal_heart_rate";
        assert_eq!(heard.iter().find(known), None, "{text}: {heard:?}");
    }
}

#[test]
fn absent_fetal_heart_sounds_and_fixed_pupils_are_recognised() {
    for text in [
        "fetal heartbeat not detected",
        "FHS: nil",
        "no fetal heart sounds",
        "FHR absent",
        "foetal heart not heard since morning",
        "G2P1 at term, FHS not heard on doppler",
        "Fetal heart rate: none",
    ] {
        assert!(
            has(text, "s_fetal_heart_rate_abnormal"),
            "{text}: {:?}",
            heard(text)
        );
        assert!(!has(text, "s_heart_murmur"), "{text}");
    }
    for text in [
        "Pupils 6 mm, not reactive",
        "pupils fixed",
        "pupils: unreactive",
        "both pupils 7mm and fixed",
        "Pupils reactive: no",
    ] {
        assert!(
            has(text, "s_dilated_unreactive_pupils"),
            "{text}: {:?}",
            heard(text)
        );
    }
    for text in [
        "pupils equal and reactive",
        "Pupils 3 mm, reactive",
        "Pupils 3 mm, reacting. HIV not reactive",
        "Pupils reactive: yes",
    ] {
        assert!(!has(text, "s_dilated_unreactive_pupils"), "{text}");
    }
}

#[test]
fn an_arrow_or_a_word_after_a_colon_gives_the_level() {
    for (text, id) in [
        ("JVP: raised", "s_raised_jugular_venous_pressure"),
        ("JVP ↑", "s_raised_jugular_venous_pressure"),
        ("JVP +", "s_raised_jugular_venous_pressure"),
        ("JVP - elevated", "s_raised_jugular_venous_pressure"),
        ("BP ↑", "s_systolic_140_to_159"),
        ("BP: low", "s_systolic_blood_pressure_below_90"),
        ("Hb ↓", "lt_haemoglobin"),
        ("↑ RR", "s_fast_breathing_for_age"),
        ("urine output ↓", "s_oliguria"),
        ("WBC ↑↑", "lt_white_cell_count"),
        ("LOC ↓", "s_lethargy"),
        ("Sats ↓↓ since morning", "s_oxygen_saturation_below_92"),
        ("+++ pain", "s_severe_pain_score_7_to_10"),
        ("oedema ++", "s_bilateral_leg_swelling"),
    ] {
        assert!(has(text, id), "{text}: {:?}", heard(text));
    }
    check(
        "↑RR ↑HR ↓SpO2",
        &[
            "s_fast_breathing_for_age",
            "s_tachycardia",
            "s_oxygen_saturation_below_92",
        ],
    );
    check(
        "BP ↓ HR ↑",
        &["s_systolic_blood_pressure_below_90", "s_tachycardia"],
    );
}

#[test]
fn a_denied_supposed_or_changing_level_is_ignored() {
    for text in [
        "JVP: not raised",
        "JVP: normal",
        "no ↑ JVP",
        "JVP not raised",
        "BP ↓ after labetalol",
        "if BP ↑ call the doctor",
        "JVP: raised?",
        "pulmonary function normal, oedema -",
        "pain + nausea denied",
        "Hb ↑",
    ] {
        let levels = [
            "s_raised_jugular_venous_pressure",
            "s_systolic_140_to_159",
            "s_systolic_blood_pressure_below_90",
            "s_bilateral_leg_swelling",
            "s_severe_pain_score_7_to_10",
            "lt_haemoglobin",
        ];
        assert!(!levels.iter().any(|id| has(text, id)), "{text}");
    }
    assert!(!has("pulmonary oedema ++", "s_bilateral_leg_swelling"));
    // The number is more precise than the arrow.
    assert_eq!(values("BP ↑ 180/110, Hb ↓ 6.1"), ["180/110", "6.1"]);
    check(
        "BP ↑ 124/80",
        &["s_blood_pressure", "-s_systolic_140_to_159"],
    );
}

#[test]
fn the_current_value_wins_over_targets_and_earlier_values() {
    for (text, value) in [
        ("SpO2 target 94-98%, actual 80%", "80 %"),
        ("GCS not 15, it is 8", "8"),
        ("SpO2 is not 98 but 80", "80"),
        ("temp no be 36 it is 40", "40"),
        ("normal RR 12-20, hers is 44", "44"),
        ("normal BP 120/80, hers 180/110", "180/110"),
        ("SpO2 80 (normal >94)", "80"),
        ("temp was 36.5 this morning, now 40.1", "40.1"),
        ("BP 80/50 (usual 130/80)", "80/50"),
        ("BP 130/80 -> 80/50", "80/50"),
        ("BP 130/80 → 80/50", "80/50"),
        ("GCS 15 -> 8", "8"),
        ("Hb 11 => 6", "6"),
        ("RBS before 3.1, after 8", "8"),
        ("reference Hb 12-16, patient's 5.2", "5.2"),
        ("GCS dropped 15 to 8", "8"),
        // The same words do not affect these values.
        ("normal BP 120/80", "120/80"),
        ("BP 160/100 after 2 tabs", "160/100"),
        ("temp 39 after 3 doses of PCM", "39"),
        ("SpO2 91 not on oxygen", "91"),
        ("GCS 15, not 3 days ill", "15"),
    ] {
        assert_eq!(values(text), [value], "{text}");
    }
    for text in ["normal RR 12-20", "SpO2 target 94-98%"] {
        assert!(values(text).is_empty(), "{text}");
    }
}

#[test]
fn the_current_result_wins_over_an_earlier_one() {
    for (text, id) in [
        (
            "HIV negative last year, now reactive",
            "p_hiv_infection_known",
        ),
        (
            "HIV negative in 2023, today positive",
            "p_hiv_infection_known",
        ),
        (
            "RDT negative yesterday, now positive",
            "lt_malaria_rapid_diagnostic_test",
        ),
        (
            "RDT positive last week, today negative",
            "-lt_malaria_rapid_diagnostic_test",
        ),
        (
            "HIV test negative in January, positive now",
            "p_hiv_infection_known",
        ),
        (
            "pregnancy test negative last month, now positive",
            "p_pregnancy",
        ),
        (
            "HIV negative, husband now reactive",
            "-p_hiv_infection_known",
        ),
        (
            "No HIV. Today the RDT is positive",
            "-p_hiv_infection_known",
        ),
        ("HIV negative, now well", "-p_hiv_infection_known"),
        ("HIV negative last year and now", "-p_hiv_infection_known"),
        ("HIV negative, RDT now positive", "-p_hiv_infection_known"),
    ] {
        assert!(has(text, id), "{text}: {:?}", heard(text));
    }
}

#[test]
fn no_of_is_a_count_and_not_a_denial() {
    for text in [
        "No of convulsions = 3",
        "No. of convulsions: 3",
        "no of fits today: 4",
        "no fever, no of convulsions 2",
        "Number of convulsions: 3",
    ] {
        assert!(has(text, "s_convulsion"), "{text}: {:?}", heard(text));
    }
    assert!(has("No of episodes of vomiting 5", "s_vomiting"));
    check("No. of stools today: 8", &[]);
    for text in [
        "No convulsions",
        "No of convulsions 0",
        "No of convulsions: 0",
        "No of convulsions nil",
        "no convulsions, 3 stools",
    ] {
        check(text, &["-s_convulsion"]);
    }
}

#[test]
fn a_count_of_zero_denies_the_finding() {
    for text in [
        "No of convulsions since admission = 0",
        "No of convulsions (24h): 0",
        "No of convulsions: zero",
        "No of convulsions",
    ] {
        check(text, &["-s_convulsion"]);
    }
    for text in [
        "No of convulsions = 3",
        "No. of convulsions in the last 24 hours: 2",
    ] {
        assert!(has(text, "s_convulsion"), "{text}");
    }
    check("Conscious: no. of convulsions: 1", &["s_convulsion"]);
    assert!(!has("Able to drink: No. of stools 6", "s_unable_to_drink"));
    assert!(!has(
        "Male 30y. Breastfeeding: no.",
        "s_not_able_to_breastfeed"
    ));
}

#[test]
fn an_arrow_belongs_to_its_adjacent_word() {
    check(
        "fluids ↑ BP ↓ HR ↑",
        &["s_systolic_blood_pressure_below_90", "s_tachycardia"],
    );
    check("pain ↓ BP stable", &[]);
    check(
        "cold hands, ↓ BP, ↑ HR",
        &[
            "s_cold_extremities",
            "s_systolic_blood_pressure_below_90",
            "s_tachycardia",
        ],
    );
    check(
        "JVP ↑, oedema ++.",
        &[
            "s_raised_jugular_venous_pressure",
            "s_bilateral_leg_swelling",
        ],
    );
    check("BP ↓ now normal", &[]);
    for elsewhere in ["oedema ++ of the face", "oedema ++ left arm only"] {
        assert!(!has(elsewhere, "s_bilateral_leg_swelling"), "{elsewhere}");
    }
}
