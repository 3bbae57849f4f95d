//! Test results as nurses and patients phrase them: each row lists everything that must be found
//! besides the findings.

use super::REAL;
use super::sentences::{found, read};
use crate::ParseContext;

const RDT: &str = "lt_malaria_rapid_diagnostic_test";

#[track_caller]
fn tells(text: &str, expected: &[&str]) {
    let parsed = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    assert_eq!(found(&parsed.tests), expected, "{text}");
}

#[test]
fn a_result_is_read_after_its_test() {
    for text in [
        "fever for 3 days, malaria RDT positive",
        "mRDT +ve",
        "RDT: positive",
        "RDT (positive)",
        "RDT done today came back positive",
        "the malaria test was positive",
        "malaria parasite positive",
        "malaria rapid test: pos",
        "RDT +",
    ] {
        tells(text, &[RDT]);
    }
    for text in [
        "RDT negative, fever",
        "mRDT -ve",
        "malaria test was negative but still hot body",
        "RDT result is negative",
        "malaria test not positive",
    ] {
        tells(text, &["-lt_malaria_rapid_diagnostic_test"]);
    }
    tells("widal positive", &["lt_widal_test"]);
    tells("urine nitrite positive", &["lt_urine_nitrite"]);
    tells("chest x-ray normal", &["-lt_chest_x_ray"]);
}

#[test]
fn a_result_is_read_before_its_test_or_target() {
    tells("positive malaria RDT", &[RDT]);
    tells("she tested positive for malaria", &[RDT]);
    tells("tested negative for typhoid", &["-lt_widal_test"]);
    tells("negative RDT", &["-lt_malaria_rapid_diagnostic_test"]);
}

#[test]
fn tests_of_a_list_share_their_result() {
    tells(
        "RDT and widal negative",
        &["-lt_malaria_rapid_diagnostic_test", "-lt_widal_test"],
    );
    tells(
        "RDT negative, widal positive",
        &["-lt_malaria_rapid_diagnostic_test", "lt_widal_test"],
    );
    tells("RDT, widal: both positive", &[RDT, "lt_widal_test"]);
}

#[test]
fn text_without_a_result_gives_no_result() {
    for text in [
        "if RDT is positive give medicine",
        "awaiting RDT",
        "RDT not done",
        "please do malaria test",
        "malaria RDT positive two years ago",
        "I had malaria last year",
        "my neighbour tested positive for malaria",
        "positive attitude, typhoid season",
        "blood group O positive",
        "pregnancy test positive",
        "HIV positive",
        "normal delivery, chest clear",
    ] {
        tells(text, &[]);
    }
}

#[test]
fn a_result_changes_no_finding_beside_it() {
    let plain = REAL.parser.parse(
        &REAL.base,
        "fever for 3 days, cough",
        &ParseContext::default(),
    );
    let text = "fever for 3 days, cough, RDT negative";
    let tested = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    assert_eq!(plain.mentions, tested.mentions);
    assert_eq!(plain.obvious, tested.obvious);
}

#[test]
fn a_number_after_a_test_is_interpreted_by_the_knowledge_base() {
    let high = |text| tells(text, &["lt_white_cell_count"]);
    for text in [
        "WBC 18,000",
        "WBC 18,000/mm3",
        "WBC: 18 x 10^9/L",
        "leukocyte count of 18,000/mm³.",
        "white blood cell count was 18.5 × 10⁹/L, fever",
        "WBC 18.2 K/uL",
        "white count of 18000 cells per mm3",
        "WBC 18 x10^3/µL",
    ] {
        high(text);
    }
    tells("WBC 7,400/mm3", &["-lt_white_cell_count"]);
    tells(
        "creatinine 2.4 mg/dL and potassium of 6.9 mEq/L",
        &["lt_serum_creatinine", "lt_potassium"],
    );
    tells(
        "serum sodium is 138 mmol/L, CRP 120 mg/L (normal below 10)",
        &["-lt_sodium", "lt_c_reactive_protein"],
    );
    tells("platelets 45,000", &["lt_platelet_count"]);
    tells("K+ 6.9 mmol/L", &["lt_potassium"]);
    tells("HbA1c 9.2%", &["lt_hba1c"]);
    tells("creatinine raised (450 umol/L)", &["lt_serum_creatinine"]);
    tells("platelets 40 000", &["lt_platelet_count"]);
    tells("viral load <50 copies/mL", &["-lt_hiv_viral_load"]);
    tells("CD4 less than 200", &["lt_cd4_count"]);
    tells("dark urine, creatinine 4.5 mg/dL", &["lt_serum_creatinine"]);
    tells(
        "Na+: 118 mEq/L, K+: 4.1 mEq/L",
        &["lt_sodium", "-lt_potassium"],
    );
    tells(
        "alanine aminotransferase (ALT) 860 U/L",
        &["lt_alanine_aminotransferase"],
    );
    tells("lipase of 1,250 U/L", &["lt_lipase"]);
    tells("albumin 2.1", &["lt_albumin"]);
    tells("Labs: ESR 80 mm/hr", &["lt_erythrocyte_sedimentation_rate"]);
}

#[test]
fn an_ambiguous_number_gives_no_result() {
    for text in [
        // 12 µmol/L is normal, 12 mg/dL is not.
        "bilirubin 12",
        "CRP 2 days ago",
        "CD4 count 3 weeks ago",
        "sodium (135-145)",
        "potassium 3.5-5.0",
        "WBC 20/hpf in the urine",
        "neutrophils 80%",
        "AST/ALT 200/150",
        "magnesium 400 mg tablets",
        "calcium 2 tablets daily",
        "vitamin K 10 mg",
        "fever na 39, mimi na 2 watoto",
        "took potassium 5 mls",
        "creatinine pending",
        "Potassium (normal 3.5-5.0) was 6.8 mmol/L",
        "ALT normal value up to 40, his is 300",
        "normal value of sodium is 135",
        "Synovial fluid leukocyte count 85,000/mm3",
        "Urinalysis: leukocytes 3+, protein 2+",
        "urine WBC 40",
        "urine pH 7.0",
        "baseline creatinine 0.9 mg/dL",
        "in 2018 his CD4 was 40",
        "Creatinine 1.0 -> 4.2 mg/dL",
        "goal potassium 4",
        "viral load 4.3 log10",
        "platelets 1.5 lakhs",
        "platelets 1 bag transfused",
        "ALT 1.200 U/L",
        "ionised calcium 1.1 mmol/L",
        "AST and ALT 250 and 180",
        "CD4 6 monthly",
        "ESR 1st hour 80",
        "if creatinine 300 refer",
    ] {
        tells(text, &[]);
    }
}

#[test]
fn the_original_words_of_a_number_are_returned() {
    let parsed = REAL.parser.parse(
        &REAL.base,
        "Weak. Serum creatinine of 2.4 mg/dL today.",
        &ParseContext::default(),
    );
    assert_eq!(parsed.tests[0].orth, "Serum creatinine of 2.4 mg/dL");
}

#[test]
fn fluid_day_and_comma_change_the_meaning_of_a_number() {
    let value = |text: &str| {
        let mentions = read(text, &ParseContext::default());
        let valued = mentions.into_iter().find_map(|mention| mention.value);
        valued.unwrap_or_default()
    };
    assert_eq!(value("CSF WBC 450/mm3, glucose 0.8 mmol/L"), "");
    assert_eq!(value("pleural fluid glucose 1.2 mmol/L"), "");
    assert_eq!(value("Hb 3 days ago was 11"), "");
    assert_eq!(
        value("Previous Hb 6.2 g/dL, transfused, Hb today 11.8"),
        "11.8"
    );
    assert_eq!(value("target Hb 10 g/dL"), "");
    assert_eq!(value("Hb: 7,5 g/dl"), "7.5 g/dL");
    assert_eq!(value("RBS 18 before breakfast"), "18");
}

#[test]
fn a_reported_abnormality_is_a_positive_result() {
    for text in [
        "CXR: cavitation in the upper lobe",
        "a chest radiograph reveals bilateral infiltrates",
        "chest x-ray done today showed a left effusion",
    ] {
        tells(text, &["lt_chest_x_ray"]);
    }
    tells(
        "ECG: ST elevation in leads II, III, aVF",
        &["lt_12_lead_electrocardiogram"],
    );
    tells("blood culture grew salmonella", &["lt_blood_culture"]);
    tells("chest x-ray unremarkable", &["-lt_chest_x_ray"]);
}

#[test]
fn absent_or_sought_abnormalities_give_no_result() {
    for text in [
        "chest x-ray: no consolidation or effusion",
        "CXR for ?TB",
        "blood culture: no growth",
        "waiting for chest x-ray, has a mass in the neck",
        "chest x-ray done. Has a mass in the abdomen",
        "chest x-ray and a neck mass",
        "she had a chest x-ray last year with a cavity",
        "CT of the head shows no bleeding",
    ] {
        tells(text, &[]);
    }
}

#[test]
fn the_heading_of_a_report_is_not_a_complaint() {
    let text = "CT of the head shows no bleeding, peripheral blood smear shows target cells";
    let parsed = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    assert!(found(&parsed.mentions).is_empty(), "{:?}", parsed.mentions);
}

#[test]
fn an_imaging_result_is_not_an_external_finding() {
    for report in [
        "CXR: cavity right upper lobe",
        "Chest x-ray showed a cavity in the left lung",
        "Spine x-ray: collapse of T10",
        "Echo: mitral regurgitation",
        "CT head shows haemorrhage",
        "Abdominal ultrasound: liver abscess",
    ] {
        let context = ParseContext::default();
        let parsed = REAL.parser.parse(&REAL.base, report, &context);
        let heard: Vec<_> = parsed
            .mentions
            .iter()
            .map(|mention| &mention.orth)
            .collect();
        assert!(heard.is_empty(), "{report}: {heard:?}");
    }
    for (text, finding) in [
        ("tooth pain, there is a cavity", "s_black_teeth_or_cavities"),
        ("CXR done. He collapsed at home", "s_collapse"),
        (
            "chest x-ray normal, abscess on the buttock",
            "s_skin_abscess_sign",
        ),
        ("Abdominal ultrasound: ascites", "s_ascites"),
    ] {
        let context = ParseContext::default();
        let parsed = REAL.parser.parse(&REAL.base, text, &context);
        let mut ids = parsed
            .mentions
            .iter()
            .map(|mention| REAL.base.id_of(mention.concept));
        assert!(ids.any(|id| id == finding), "{text}");
    }
}
