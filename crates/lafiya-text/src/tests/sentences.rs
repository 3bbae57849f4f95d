//! Sentences by phenomenon and by language: each row lists everything that must be found, in order,
//! and nothing else.
//!
//! Findings are written `id`, `-id` for absent, `?id` for unknown; then severity and days where
//! they matter.

use jiff::civil::Date;
use lafiya_model::{Age, Choice, Severity, Sex};

use super::REAL;
use crate::{Mention, ParseContext};

pub(super) fn read(text: &str, context: &ParseContext) -> Vec<Mention> {
    REAL.parser.parse(&REAL.base, text, context).mentions
}

pub(super) fn found(mentions: &[Mention]) -> Vec<String> {
    let mark = |choice| match choice {
        Choice::Present => "",
        Choice::Absent => "-",
        Choice::Unknown => "?",
    };
    mentions
        .iter()
        .map(|mention| {
            format!(
                "{}{}",
                mark(mention.choice),
                REAL.base.id_of(mention.concept)
            )
        })
        .collect()
}

#[track_caller]
pub(super) fn check(text: &str, expected: &[&str]) {
    assert_eq!(
        found(&read(text, &ParseContext::default())),
        expected,
        "{text}"
    );
}

#[track_caller]
pub(super) fn lasts(text: &str, days: &[Option<u32>]) {
    let got: Vec<Option<u32>> = read(text, &ParseContext::default())
        .iter()
        .map(|mention| mention.duration_days)
        .collect();
    assert_eq!(got, days, "{text}");
}

#[track_caller]
fn graded(text: &str, severity: Option<Severity>) {
    let mentions = read(text, &ParseContext::default());
    assert_eq!(
        mentions.first().and_then(|mention| mention.severity),
        severity,
        "{text}"
    );
}

#[test]
fn a_denial_covers_its_list_and_no_more() {
    check(
        "no fever or cough but headache",
        &["-s_fever", "-s_cough", "s_headache"],
    );
    check(
        "No fever, no cough, just headache",
        &["-s_fever", "-s_cough", "s_headache"],
    );
    check(
        "no fever, cough or vomiting",
        &["-s_fever", "-s_cough", "-s_vomiting"],
    );
    check("no fever, cough for 3 days", &["-s_fever", "s_cough"]);
    check(
        "She denies fever, cough, and night sweats",
        &["-s_fever", "-s_cough", "-s_night_sweats"],
    );
    check(
        "fever without vomiting or diarrhoea",
        &["s_fever", "-s_vomiting", "-s_diarrhoea"],
    );
    check("no fever and I have headache", &["-s_fever", "s_headache"]);
    check("Not vomiting again", &["-s_vomiting"]);
    check("neck is not stiff", &["-s_neck_stiffness"]);
    check("no vomiting no stooling", &["-s_vomiting", "-s_diarrhoea"]);
    check("fever: no, cough: yes", &["-s_fever", "s_cough"]);
    check("no N/V", &["-s_nausea", "-s_vomiting"]);
}

#[test]
fn ended_findings_are_absent_and_continuing_ones_present() {
    check(
        "The vomiting has stopped but diarrhoea continues",
        &["-s_vomiting", "s_diarrhoea"],
    );
    check("The headache I had last week is gone", &["-s_headache"]);
    check("My child had fever yesterday but not today", &["-s_fever"]);
    check("the cough is not going away", &["s_cough"]);
    check(
        "Should I worry about fever? I don't have it now",
        &["-s_fever"],
    );
}

#[test]
fn a_doubted_finding_is_unknown() {
    check("maybe I have fever", &["?s_fever"]);
    check("not sure if it is a rash", &["?s_rash"]);
    check("I no sabi if I get fever", &["?s_fever"]);
    check("cough, ?fever", &["s_cough", "?s_fever"]);
}

#[test]
fn conditionals_and_instructions_give_no_findings() {
    check("If the fever comes back I will go to hospital", &[]);
    check("Come back if vomiting starts", &[]);
    check(
        "Doctor told me to come back if I have fever. I only have cough",
        &["s_cough"],
    );
}

#[test]
fn ambiguous_words_are_resolved_by_context() {
    check("discharge in her pants", &["s_vaginal_discharge"]);
    check("he pants", &["s_breathlessness"]);
    check("I cannot lie down", &["s_orthopnoea"]);
    check("known breast cancer", &["p_cancer_known"]);
    check(
        "The abdomen is soft and non-tender.",
        &["-s_abdominal_tenderness"],
    );
    check("She takes no medications", &[]);
    check("drinks alcohol socially", &["-p_alcohol_harmful_use"]);
    check(
        "does not smoke or drink alcohol but does drink coffee",
        &["-p_current_smoker", "-p_alcohol_harmful_use"],
    );
    check(
        "denies any tunnel vision or feelings of fainting",
        &["-s_tunnel_vision", "-s_fainting"],
    );
}

#[test]
fn past_findings_are_not_current() {
    check(
        "I had malaria last year but now I only have back pain",
        &["s_back_pain"],
    );
    check("I had a rash two years ago", &[]);
    check("cough since last year", &["s_chronic_cough_over_8_weeks"]);
    check("I gave birth 5 days ago", &["p_postpartum_within_6_weeks"]);
    check("I gave birth three years ago", &[]);
    check("negative pregnancy test", &["-p_pregnancy"]);
    let (caesarean, childbed) = (
        "p_previous_caesarean_section",
        "p_postpartum_within_6_weeks",
    );
    check("had a caesarean 10 days ago", &[caesarean, childbed]);
    check("I had CS last week", &[caesarean, childbed]);
    check("caesarean 2 years ago", &[caesarean]);
    check("caesarean in 2019", &[caesarean]);
}

#[test]
fn findings_of_other_people_are_not_the_patients() {
    check("My sister has fever", &[]);
    check(
        "My sister has fever but I only have a sore throat",
        &["s_sore_throat"],
    );
    check(
        "Everyone in the house is coughing except me, I have headache",
        &["s_headache"],
    );
    check(
        "My husband is coughing but I only have a headache",
        &["s_headache"],
    );
    check(
        "My son had measles last week and now I have rash",
        &["s_rash"],
    );
    check("my wife says I am confused", &["s_confusion"]);
}

#[test]
fn a_clinicians_note_is_about_its_patient() {
    check(
        "34 year old female with cough. No contact with sick people, no chest pain, no fatigue",
        &[
            "s_cough",
            "-p_household_contact_with_similar_illness",
            "-s_chest_pain",
            "-s_fatigue",
        ],
    );
    check(
        "A 67-year-old man. His best friend died this morning. His pulse is 84/min.",
        &["s_heart_rate"],
    );
    check(
        "The patient's mother has asthma. He has fever.",
        &["p_family_history_of_asthma_or_allergy", "s_fever"],
    );
    check(
        "She denies any cough, colour changes in her digits, or chills",
        &["-s_cough", "-s_chills"],
    );
    check("Non-smoker.", &["-p_current_smoker"]);
    check("A child with cough and fever", &["s_cough", "s_fever"]);
}

#[test]
fn weeks_of_pregnancy_refine_a_finding() {
    let reads = |text: &str, id: &str| {
        let all = found(&read(text, &ParseContext::default()));
        assert_eq!(
            all.iter().any(|understood| understood == id),
            !text.contains("39"),
            "{all:?}"
        );
    };
    reads(
        "30 weeks pregnant with contractions",
        "s_contractions_before_37_weeks",
    );
    reads(
        "39 weeks pregnant with contractions",
        "s_contractions_before_37_weeks",
    );
    reads(
        "10 weeks pregnant with vaginal bleeding",
        "s_vaginal_bleeding_in_early_pregnancy",
    );
}

#[test]
fn a_carer_describes_the_patient() {
    check(
        "My baby has fever and she is vomiting",
        &["s_fever", "s_vomiting"],
    );
    check("my 2 year old has fever and rash", &["s_fever", "s_rash"]);
    check(
        "My wife dey carry belle, her leg swell",
        &["p_pregnancy", "s_bilateral_leg_swelling"],
    );
    check(
        "Papa dey vomit since morning and he is confused",
        &["s_vomiting", "s_confusion"],
    );
}

#[test]
fn diseases_of_relatives_become_family_history() {
    check(
        "My mother and grandmother have diabetes",
        &["p_family_history_of_diabetes"],
    );
    check(
        "My father died of stroke, I have headache",
        &["p_family_history_of_stroke", "s_headache"],
    );
    check(
        "Chest pain for 2 hours. Father had diabetes and epilepsy.",
        &[
            "s_chest_pain_lasting_over_20_minutes",
            "p_family_history_of_diabetes",
            "p_family_history_of_epilepsy",
        ],
    );
    check(
        "Mother has fever and is vomiting",
        &["s_fever", "s_vomiting"],
    );
}

#[test]
fn durations_are_converted_to_days() {
    lasts("I have fever and headache for 3 days", &[Some(3), Some(3)]);
    lasts(
        "Cough for two weeks, weight loss for 2 months",
        &[Some(14), Some(60)],
    );
    lasts(
        "3/7 hx of fever, chills & vomiting",
        &[Some(3), Some(3), Some(3)],
    );
    lasts("fever 2/52", &[Some(14)]);
    lasts("cough 3/12", &[Some(90)]);
    lasts("fever, cough, catarrh x5days", &[Some(5), Some(5), Some(5)]);
    lasts("fever on and off for 2 weeks", &[Some(14)]);
    lasts("vomiting since yesterday", &[Some(1)]);
    lasts("headache since morning", &[Some(0)]);
    lasts("snake bite 2 hours ago", &[Some(0)]);
    lasts("fever since Sunday", &[None]);
    lasts("headache for months", &[None]);
    lasts("I have fever. I smoke 20 cigarettes a day", &[None, None]);
    lasts("feaver for 2 dys", &[Some(2)]);
    lasts("cough 2-3 days", &[Some(3)]);
    lasts("E don tey wey I dey cough, reach three weeks", &[Some(21)]);
    lasts("I delivered 2 years ago and now I have headache", &[None]);
    lasts("travelled 2 weeks ago and now fever", &[None]);
    lasts("3 days now, fever and cough", &[Some(3), Some(3)]);
    lasts("nina homa siku 3", &[Some(3)]);
    lasts("zazzabi kwana 4", &[Some(4)]);
    lasts("day 3 of fever", &[None]);
    lasts("2 weeks belle dey pain me", &[Some(14)]);
}

#[test]
fn an_age_is_neither_a_duration_nor_part_of_a_finding() {
    for aged in [
        "6 month old baby with cough",
        "6 months baby with cough",
        "baby 6 months with cough",
        "baby of 6 months with cough",
        "my 6 months daughter has cough",
        "my son who is 5 months has cough",
        "he is 3 months old with cough",
        "a 2-month-old with cough",
        "infant aged 4 months with cough",
        "infant 4 months of age with cough",
        "neonate, 20 days of life, cough",
        "man 45 years with cough",
        "45 yrs male with cough",
        "30 yrs F with cough",
        "mtoto wa miezi 6 ana kikohozi",
        "bébé de 5 mois avec toux",
    ] {
        check(aged, &["s_cough"]);
        lasts(aged, &[None]);
    }
    lasts("patient 60 years, cough 3 weeks", &[Some(21)]);
    lasts("boy 3yrs fever 2 days", &[Some(2)]);
    lasts("baby 2 to 3 months with cough", &[None]);
    lasts("child 2-3 years with cough", &[None]);
}

#[test]
fn an_implausible_age_is_read_as_a_duration() {
    lasts("woman 3 weeks cough", &[Some(21)]);
    lasts("60 years old, 3 weeks cough", &[Some(21)]);
    lasts("my son 4 days fever", &[Some(4)]);
    lasts("newborn 4 days fever", &[None]);
    lasts("fever for 3 days baby vomiting", &[Some(3), None]);
    lasts("fever 3 days baby vomiting", &[Some(3), None]);
    lasts("diarrhoea 15 days baby weak", &[Some(15), None]);
    lasts("my daughter, 2 days of vomiting", &[Some(2)]);
    let days = |text: &str, age| {
        let context = ParseContext {
            age: Some(age),
            ..ParseContext::default()
        };
        read(text, &context)[0].duration_days
    };
    assert_eq!(days("my son 4 days fever", Age::from_years(4)), Some(4));
    assert_eq!(days("my son 4 years fever", Age::from_years(4)), None);
    assert_eq!(days("patient 3 weeks cough", Age::from_years(40)), Some(21));
    assert_eq!(days("baby 6 months cough", Age::from_months(6)), None);
    // The same baby with its age given in whole years, which is 0.
    assert_eq!(days("baby 6 months cough", Age::from_years(0)), None);
}

#[test]
fn a_weekday_counts_back_from_the_evaluation_date() {
    // 15 November 2026 is a Sunday.
    let context = ParseContext {
        evaluated_at: Some(Date::constant(2026, 11, 15)),
        ..ParseContext::default()
    };
    assert_eq!(
        read("fever since Friday", &context)[0].duration_days,
        Some(2)
    );
}

#[test]
fn severity_is_read_before_and_after_the_finding() {
    graded("severe headache", Some(Severity::Severe));
    graded("Head dey pain me well well", Some(Severity::Severe));
    graded("mild cough", Some(Severity::Mild));
    graded("small small cough, nothing serious", Some(Severity::Mild));
    graded("The headache is moderate", Some(Severity::Moderate));
    graded("nakohoa sana", Some(Severity::Severe));
    graded("headache", None);
}

#[test]
fn a_measured_value_gives_the_measure_and_the_finding() {
    check("temp 39.5", &["s_body_temperature", "s_fever"]);
    check("Temperature 36.8", &["s_body_temperature", "-s_fever"]);
    check("T 38.9C", &["s_body_temperature", "s_fever"]);
    check("fever of 39", &["s_body_temperature", "s_fever"]);
    check("PR 120", &["s_heart_rate", "s_tachycardia"]);
    check(
        "SpO2 88%",
        &["s_oxygen_saturation", "s_oxygen_saturation_below_92"],
    );
    check("RBS 2.8", &["s_blood_glucose", "s_blood_glucose_below_4"]);
    check(
        "RR 60 in a 4 month old",
        &["s_respiratory_rate", "s_fast_breathing_for_age"],
    );
    let value = |text: &str| read(text, &ParseContext::default())[0].value.clone();
    assert_eq!(
        value("BP one-eighty over one-ten").as_deref(),
        Some("180/110")
    );
    assert_eq!(value("BP: 180/110").as_deref(), Some("180/110"));
    assert_eq!(value("temp was 102 F").as_deref(), Some("102 °F"));
    assert_eq!(value("MUAC 11 cm").as_deref(), Some("11 cm"));
}

#[test]
fn vital_sign_limits_depend_on_age() {
    let context = ParseContext {
        age: Some(Age::from_months(6)),
        sex: Some(Sex::Male),
        evaluated_at: None,
    };
    assert_eq!(found(&read("RR 45", &context)), ["s_respiratory_rate"]);
    assert_eq!(
        found(&read("RR 55", &context)),
        ["s_respiratory_rate", "s_fast_breathing_for_age"]
    );
}

#[test]
fn shorthand_is_read() {
    check(
        "pt c/o SOB and N/V",
        &["s_breathlessness", "s_nausea", "s_vomiting"],
    );
    check(
        "known HTN and DM",
        &["p_hypertension_known", "p_diabetes_mellitus_known"],
    );
    check("SOB on exertion", &["s_breathlessness_on_exertion"]);
    check("PV bleeding", &["s_vaginal_bleeding_abnormal"]);
}

#[test]
fn body_parts_and_complaints_share_words() {
    check("Eye dey pain me and e red", &["s_eye_pain", "s_red_eye"]);
    check(
        "running stomach since 2 days, no blood",
        &["s_diarrhoea", "-s_blood_mixed_with_stool"],
    );
    check(
        "pain in my chest and belly",
        &["s_chest_pain", "s_abdominal_pain"],
    );
    check("her neck is stiff", &["s_neck_stiffness"]);
    check("swelling of the lips", &["s_swollen_lips"]);
}

#[test]
fn a_medicine_implies_the_condition_it_treats() {
    check("I use insulin", &["p_diabetes_mellitus_known"]);
    check("taking amlodipine", &["p_hypertension_known"]);
    check(
        "She is on ARVs, stopped 2 months ago",
        &["p_hiv_infection_known", "p_hiv_not_on_treatment"],
    );
    check("Took Coartem", &["p_recent_antimalarial_use"]);
}

#[test]
fn misspelt_findings_are_recognised() {
    check("feaver and hedache", &["s_fever", "s_headache"]);
    check("vomitting", &["s_vomiting"]);
    check("diarhea", &["s_diarrhoea"]);
    assert!(
        !REAL
            .parser
            .parse(&REAL.base, "hedache", &ParseContext::default())
            .obvious
    );
    assert!(
        REAL.parser
            .parse(&REAL.base, "headache", &ParseContext::default())
            .obvious
    );
}

#[test]
fn packed_cell_volume_is_read_as_haemoglobin() {
    let low = ["s_haemoglobin", "s_haemoglobin_below_5_signs"];
    check("PCV 12%", &low);
    check("haematocrit is 13", &low);
    check("PCV 36%", &["s_haemoglobin"]);
    let written = read("PCV 12%", &ParseContext::default());
    assert_eq!(written[0].value.as_deref(), Some("12 % PCV"));
}

#[test]
fn systolic_or_diastolic_pressure_alone_is_read() {
    let low = [
        "s_systolic_blood_pressure",
        "s_systolic_blood_pressure_below_90",
    ];
    check("systolic of 80", &low);
    check("SBP 120", &["s_systolic_blood_pressure"]);
    let high = ["s_diastolic_blood_pressure", "s_diastolic_110_or_above"];
    check("diastolic 115", &high);
}

#[test]
fn weeks_of_pregnancy_are_not_a_duration() {
    for text in [
        "pregnant for 7 months with fever",
        "pregnant for about 7 months with fever",
        "pregnant for 7 to 8 months with fever",
        "pregnant thirty two weeks with fever",
        "thirty two weeks pregnant with fever",
        "7 months pregnant with fever",
        "nina mimba ya miezi saba na homa",
        "nina mimba ya miezi 7 na homa",
        "enceinte de 7 mois avec fièvre",
        "32/52 pregnant with fever",
        "pregnant 32/40 with fever",
    ] {
        check(text, &["p_pregnancy", "p_third_trimester", "s_fever"]);
        let mentions = read(text, &ParseContext::default());
        let days: Vec<u32> = mentions
            .iter()
            .filter_map(|mention| mention.duration_days)
            .collect();
        assert_eq!(days, [0; 0], "{text}");
    }
    lasts("my water broke at 30 weeks", &[None]);
    for note in [
        "G2P1 at 38/40, fever",
        "G5 P4, 29 years, 38 weeks, fever",
        "G8P7, about 33 weeks, fever",
        "G3P2 34 weeks by fundal height, fever",
    ] {
        check(note, &["p_pregnancy", "p_third_trimester", "s_fever"]);
    }
    check(
        "this pregnancy is now 27 weeks, fever",
        &["p_pregnancy", "p_second_trimester", "s_fever"],
    );
    check(
        "Primigravida, fever for 6 weeks",
        &["p_first_pregnancy", "s_fever"],
    );
    let man = ParseContext {
        sex: Some(Sex::Male),
        ..ParseContext::default()
    };
    let of_a_man = read("scored 30/40, fever", &man);
    assert_eq!(found(&of_a_man), ["s_fever"]);
    let baby = ParseContext {
        age: Some(Age::from_days(20)),
        ..ParseContext::default()
    };
    let of_a_baby = read("born at 34/40, fever", &baby);
    assert_eq!(found(&of_a_baby), ["p_preterm_birth", "s_fever"]);
}

#[test]
fn months_in_the_text_refine_an_age_in_years() {
    let context = ParseContext {
        age: Some(Age::from_years(0)),
        ..ParseContext::default()
    };
    let of = |text: &str| found(&read(text, &context));
    // The finding is possible from six months on.
    assert_eq!(of("10 months old, eats soil"), ["s_eating_soil"]);
    assert_eq!(of("1 month old, eats soil"), [""; 0]);
}

#[test]
fn hot_water_over_the_belly_is_not_ascites() {
    check("burnt with hot water over chest and belly", &["s_burn"]);
    check("water in my belly", &["s_ascites"]);
}

#[test]
fn words_similar_to_danger_signs_are_not_danger_signs() {
    for text in [
        "nataka kujua kama nina malaria",
        "I delivered in 2015",
        "I delivered 2 years ago",
        "she had her baby vaccinated",
        "my husband is violent",
        "erection lasting only 2 minutes",
    ] {
        let danger = [
            "s_suicidal_thoughts",
            "p_postpartum_within_6_weeks",
            "s_combative_behaviour",
            "s_painful_erection_over_4_hours",
        ];
        let got = found(&read(text, &ParseContext::default()));
        assert!(
            !got.iter()
                .any(|understood| danger.contains(&understood.as_str())),
            "{text}: {got:?}"
        );
    }
}
