//! Values apart from their names, several values of one name, and numbers that are not values.

use super::REAL;
use super::sentences::{found, read};
use crate::{Mention, ParseContext};

/// Returns the values of a text, in text order.
fn values(text: &str) -> Vec<String> {
    let mentions = read(text, &ParseContext::default());
    mentions
        .into_iter()
        .filter_map(|mention| mention.value)
        .collect()
}

/// Returns all findings and tests of a text.
fn heard(text: &str) -> Vec<String> {
    let parsed = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    found(&[parsed.mentions, parsed.tests].concat())
}

#[test]
fn a_value_separated_from_its_name_is_read() {
    for (text, value) in [
        (
            "They told me my pressure is high, 180/110, but I feel nothing",
            "180/110",
        ),
        ("Her BP they said is 170/115", "170/115"),
        ("BP checked, she is bleeding heavily, 80/40", "80/40"),
        ("They checked my sugar and found 25", "25"),
        ("My pikin temperature na 40", "40"),
        ("Il a 40 de fièvre", "40"),
        ("GCS was 15 on arrival but has dropped to 10", "10"),
        ("GCS went from 8 to 14", "14"),
        ("Hb dropped from 11 to 6.8 g/dL", "6.8 g/dL"),
        ("His BP at home runs 130/80 but today is 224/136", "224/136"),
        (
            "BP was 210/130 at the clinic yesterday, today 138/84",
            "138/84",
        ),
        (
            "Hb was 5.0 on admission, transfused 2 units, now 9.2",
            "9.2",
        ),
        ("SpO2 84%, target 94-98", "84 %"),
        ("SpO2 98% yesterday, 80% today", "80 %"),
        ("Temp 36.8 last week, 39.9 today", "39.9"),
        ("Pulse 80 yesterday and 140 now", "140"),
        ("Glucose 5.6 yesterday, 1.9 this morning", "1.9"),
        ("RR 22 at home, 60 now", "60"),
        ("Hb 5.0 now 9.2", "9.2"),
        ("SpO2 98% yesterday, 80% today, pulse ok", "80 %"),
        ("SpO2 98% yesterday, 3 fits today", "98 %"),
        (
            "SpO2 98% yesterday, 3 days of cough, 2 tablets today",
            "98 %",
        ),
        ("GCS 15 yesterday, vomited 2 times today", "15"),
        ("when I checked my BP it was above 180/110", "180/110"),
    ] {
        assert_eq!(values(text), [value], "{text}");
    }
}

#[test]
fn an_earlier_dangerous_value_of_today_is_kept() {
    let shock = "s_systolic_blood_pressure_below_90".to_owned();
    for text in [
        "BP 80/50 on admission, improved to 112/70 after fluids",
        "BP on arrival 76/40, after 2 L saline 110/70",
        "BP lying 120/80, standing 80/50",
    ] {
        assert!(heard(text).contains(&shock), "{text}");
    }
    let low = heard("SpO2 98% yesterday, 80% today");
    assert!(low.contains(&"s_oxygen_saturation_below_92".to_owned()));
    let cool = heard("Temp 36.8 last week, 39.9 today");
    assert!(!cool.contains(&"-s_fever".to_owned()), "{cool:?}");
    let hot = heard("My temperature was 40 yesterday, now 36.8");
    assert!(hot.contains(&"s_fever".to_owned()), "{hot:?}");
}

#[test]
fn unrelated_numbers_are_not_values() {
    for text in [
        "Straight leg raise 80 degrees",
        "Neck flexion limited to 40 degrees",
        "It is very hot here, 38 degrees today outside",
        "The fridge temperature was 12 degrees",
        "Target BP < 130/80, target SpO2 94-98%",
        "Plan: fluids if BP < 90 systolic",
        "They checked my sugar and gave me 2 tablets",
        "pressure high for 2 weeks, 5/10 pain",
        "CSF turbid, 1200 cells predominantly neutrophils, glucose 0.8",
        "R 22",
    ] {
        assert!(values(text).is_empty(), "{text}");
    }
    for text in [
        "knee hot and swollen, 39 degrees",
        "The child is 39 degrees and convulsing",
        "CSF turbid, RBS 1.9",
        "CSF glucose 2.0, blood glucose 1.8",
        "P 88, R 22",
    ] {
        assert!(!values(text).is_empty(), "{text}");
    }
}

#[test]
fn a_test_that_was_only_sought_gives_no_risk_factor() {
    let hiv = "p_hiv_infection_known".to_owned();
    for text in [
        "HIV status unknown",
        "HIV screening declined",
        "I came for HIV counselling",
        "HIV ELISA: non reactive",
        "How much be pregnancy test?",
        "Combien coûte le test de grossesse?",
    ] {
        let heard = heard(text);
        assert!(
            heard.iter().all(|understood| understood.starts_with('-')),
            "{text}: {heard:?}"
        );
    }
    for text in [
        "HIV status: known, on ART",
        "I have HIV and came for counselling",
    ] {
        assert!(heard(text).contains(&hiv), "{text}");
    }
    assert_eq!(heard("urine pregnancy test 2 lines"), ["p_pregnancy"]);
}

#[test]
fn names_of_scales_signs_and_fluids_are_not_findings() {
    for (text, expected) in [
        ("Blantyre coma score 5/5", &[] as &[&str]),
        (
            "Blantyre coma score 1/5",
            &["s_glasgow_coma_score_8_or_less"],
        ),
        ("JVP: normal", &[]),
        ("JVP normal", &["-s_raised_jugular_venous_pressure"]),
        ("JVP not raised", &["-s_raised_jugular_venous_pressure"]),
        ("JVP ++", &["s_raised_jugular_venous_pressure"]),
        ("JVP raised", &["s_raised_jugular_venous_pressure"]),
        ("CSF: protein high, glucose low", &[]),
        ("Urinalysis: leucocytes neg", &[]),
        ("occult blood negative", &[]),
        ("blood group O negative", &["p_rhesus_negative_mother"]),
        (
            "Xpert MTB detected, rifampicin resistance not detected",
            &["lt_xpert_mtb_rif"],
        ),
        ("WHZ -4.1", &[]),
        ("PSA 85 ng/mL", &[]),
        ("Na 138, K+ 6.8, urea 20", &["-lt_sodium", "lt_potassium"]),
        (
            "Bilirubin 18 mg/dL in a 4-day-old",
            &["lt_neonatal_serum_bilirubin"],
        ),
        ("BW 1.6 kg at 32/40", &["p_preterm_birth"]),
        ("Booked at 12/40", &[]),
        ("Booked at 12/40, now 32/40", &["p_third_trimester"]),
    ] {
        assert_eq!(heard(text), expected, "{text}");
    }
}

/// A value that cannot be right is not dropped: the client must be able to ask for it again.
#[test]
fn a_value_that_cannot_be_right_is_kept_and_not_obvious() {
    let parsed = |name: &str, number: f64, unit: &str| {
        let text = format!("{name} {number} {unit}, cough");
        REAL.parser
            .parse(&REAL.base, &text, &ParseContext::default())
    };
    let mut checked = 0;
    for measure in REAL.base.measures() {
        let (Some([low, high]), unit) = (measure.quantity.plausible_range(), &measure.text.unit)
        else {
            continue;
        };
        let name = &measure.text.common_name;
        let has_value = |mention: &Mention| {
            let value = mention.value.as_deref().unwrap_or_default();
            REAL.base.id_of(mention.concept) == measure.text.id && value.ends_with(unit.as_str())
        };
        let middle = f64::midpoint(low, high).round();
        if unit.is_empty() || !parsed(name, middle, unit).mentions.iter().any(has_value) {
            continue;
        }
        checked += 1;
        let wrong = parsed(name, high * 10.0 + 1.0, unit);
        assert!(
            wrong.mentions.iter().any(has_value),
            "{name} {unit}: {wrong:?}"
        );
        assert!(!wrong.obvious, "{name}: {wrong:?}");
    }
    assert!(checked >= 4, "only {checked} measures are read by name");
}
