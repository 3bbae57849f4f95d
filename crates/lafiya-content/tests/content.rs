//! Tests that the real content has no complaints, and that the embedded content equals
//! `knowledge/`.

use std::path::Path;

use lafiya_knowledge::check_dir;
use lafiya_model::{Age, Sex};

use self::common::base;

mod common;

#[test]
fn the_knowledge_base_has_no_complaints() {
    let checked =
        check_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../knowledge")).unwrap();
    let complaints: Vec<String> = checked.complaints().map(ToString::to_string).collect();
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn the_embedded_base_loads() {
    let base = base();
    assert!(!base.conditions().is_empty());
    assert_eq!(base.content_hash().len(), 64);
}

#[test]
fn danger_signs_asked_for_fit_age_and_sex() {
    let base = base();
    let asked = |age: Age, sex: Sex| -> Vec<String> {
        let signs = base.danger_signs(age, sex);
        signs.map(|ix| base.finding(ix).text.id.clone()).collect()
    };
    let newborn = asked(Age::from_days(3), Sex::Male);
    let child = asked(Age::from_years(3), Sex::Female);
    let woman = asked(Age::from_years(30), Sex::Female);
    let man = asked(Age::from_years(60), Sex::Male);
    for signs in [&newborn, &child, &woman, &man] {
        assert!((9..=15).contains(&signs.len()), "{signs:?}");
        for sign in ["s_unconscious", "s_convulsion", "s_central_cyanosis"] {
            assert!(
                signs.iter().any(|raised| raised == sign),
                "no {sign} in {signs:?}"
            );
        }
    }
    let has = |signs: &[String], sign: &str| signs.iter().any(|raised| raised == sign);
    assert!(has(&newborn, "s_apnoea_in_infant") && !has(&child, "s_apnoea_in_infant"));
    assert!(has(&child, "s_unable_to_drink") && !has(&woman, "s_unable_to_drink"));
    assert!(has(&woman, "s_heavy_vaginal_bleeding") && !has(&man, "s_heavy_vaginal_bleeding"));
    assert!(!has(&newborn, "s_unable_to_complete_sentences"));
}
