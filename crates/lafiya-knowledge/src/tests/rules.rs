//! Tests of each part of the rule language.

use lafiya_model::{Age, Sex};

use crate::base::{Facts, Person, PlainFacts, When};
use crate::words::State;
use crate::{KnowledgeBase, schema, toy};

fn when(base: &KnowledgeBase, text: &str) -> When {
    #[derive(serde::Deserialize)]
    struct Holder {
        when: schema::When,
    }
    let written: Holder = toml::from_str(&format!("when = {text}")).unwrap();
    base.compile_when(&written.when)
}

fn patient(base: &KnowledgeBase, text: &str) -> PlainFacts {
    #[derive(serde::Deserialize)]
    struct Holder {
        patient: schema::Example,
    }
    let written: Holder = toml::from_str(&format!("patient = {text}")).unwrap();
    PlainFacts::of_example(base, &written.patient)
}

#[test]
fn fresh_needs_a_present_finding_without_a_longer_duration() {
    let base = toy::base();
    let fresh = when(&base, "{ fresh = { id = \"s_fever\", within_days = 3 } }");
    let check = |told: &str, expected: bool| {
        assert_eq!(fresh.holds(&patient(&base, told)), expected, "{told}");
    };
    check("{ present = [\"s_fever\"] }", true);
    check("{ days = { s_fever = 3 } }", true);
    check("{ days = { s_fever = 4 } }", false);
    check("{ present = [\"s_high_fever\"] }", false);
    check("{ present = [\"s_fever\", \"s_high_fever\"] }", true);
    check("{ absent = [\"s_fever\"] }", false);
}

#[test]
fn each_part_of_when_is_evaluated() {
    let base = toy::base();
    let check = |asked: &str, told: &str, expected: bool| {
        assert_eq!(
            when(&base, asked).holds(&patient(&base, told)),
            expected,
            "{asked} of {told}"
        );
    };
    check("{}", "{ present = [\"s_fever\"] }", false);
    check(
        "{ all = [\"s_fever\", \"s_cough\"] }",
        "{ present = [\"s_fever\", \"s_cough\"] }",
        true,
    );
    check(
        "{ all = [\"s_fever\", \"s_cough\"] }",
        "{ present = [\"s_fever\"] }",
        false,
    );
    check(
        "{ all = [\"s_fever\"] }",
        "{ present = [\"s_high_fever\"] }",
        true,
    );
    check(
        "{ all = [\"s_fever\"] }",
        "{ values = { s_body_temperature = \"38\" } }",
        true,
    );
    check(
        "{ all = [\"s_fever\"] }",
        "{ values = { s_body_temperature = \"101 F\" } }",
        true,
    );
    check(
        "{ any = [\"s_fever\", \"s_cough\"] }",
        "{ present = [\"s_cough\"] }",
        true,
    );
    check(
        "{ any = [\"s_fever\", \"s_cough\"] }",
        "{ absent = [\"s_cough\"] }",
        false,
    );
    check(
        "{ at_least = { count = 2, of = [\"s_fever\", \"s_cough\", \"s_vomiting\"] } }",
        "{ present = [\"s_cough\", \"s_vomiting\"] }",
        true,
    );
    check(
        "{ at_least = { count = 2, of = [\"s_fever\", \"s_cough\", \"s_vomiting\"] } }",
        "{ present = [\"s_cough\"] }",
        false,
    );
    check(
        "{ any_of = [{ all = [\"s_fever\", \"s_cough\"] }, { all = [\"s_vomiting\"] }] }",
        "{ present = [\"s_vomiting\"] }",
        true,
    );
    check(
        "{ any_of = [{ all = [\"s_fever\", \"s_cough\"] }, { all = [\"s_vomiting\"] }] }",
        "{ present = [\"s_fever\"] }",
        false,
    );
    check(
        "{ severe = [\"s_abdominal_pain\"] }",
        "{ severe = [\"s_lower_abdominal_pain\"] }",
        true,
    );
    check(
        "{ severe = [\"s_abdominal_pain\"] }",
        "{ present = [\"s_abdominal_pain\"] }",
        false,
    );
    check(
        "{ all = [\"s_fever\"], age = { from = \"2 months\", below = \"5 years\" } }",
        "{ age = \"2 months\", present = [\"s_fever\"] }",
        true,
    );
    check(
        "{ all = [\"s_fever\"], age = { from = \"2 months\", below = \"5 years\" } }",
        "{ age = \"5 years\", present = [\"s_fever\"] }",
        false,
    );
    check(
        "{ all = [\"s_fever\"], sex = \"female\" }",
        "{ sex = \"male\", present = [\"s_fever\"] }",
        false,
    );
    check(
        "{ all = [\"s_fever\"], sex = \"female\" }",
        "{ sex = \"other\", present = [\"s_fever\"] }",
        true,
    );
    check(
        "{ all = [\"s_fever\"], state = \"pregnant\" }",
        "{ sex = \"female\", present = [\"s_fever\", \"p_pregnancy\"] }",
        true,
    );
    check(
        "{ all = [\"s_fever\"], state = \"pregnant\" }",
        "{ sex = \"female\", present = [\"s_fever\"] }",
        false,
    );
    check(
        "{ any = [\"p_age_under_5\"] }",
        "{ age = \"3 years\" }",
        true,
    );
    check(
        "{ any = [\"p_age_under_5\"] }",
        "{ age = \"6 years\" }",
        false,
    );
    check(
        "{ values = [{ id = \"s_heart_rate\", at_least = 130 }] }",
        "{ values = { s_heart_rate = \"130\" } }",
        true,
    );
    check(
        "{ values = [{ id = \"s_heart_rate\", above = 130 }] }",
        "{ values = { s_heart_rate = \"130\" } }",
        false,
    );
    check(
        "{ values = [{ id = \"s_heart_rate\", at_least = 130 }] }",
        "{ present = [\"s_fast_pulse\"] }",
        false,
    );
    check(
        "{ values = [{ id = \"s_systolic_blood_pressure\", below = 90 }] }",
        "{ values = { s_blood_pressure = \"80/50\" } }",
        true,
    );
    check(
        "{ days = { id = \"s_cough\", at_least = 14 } }",
        "{ days = { s_cough = 14 } }",
        true,
    );
    check(
        "{ days = { id = \"s_cough\", at_least = 14 } }",
        "{ present = [\"s_cough\"] }",
        false,
    );
    check(
        "{ all = [\"lt_haemoglobin\"] }",
        "{ values = { lt_haemoglobin = \"9\" } }",
        true,
    );
}

#[test]
fn a_rule_with_unknown_concepts_never_matches() {
    let base = toy::base();
    let told = patient(&base, "{ present = [\"s_fever\"] }");
    for asked in [
        "{ all = [\"s_fever\", \"s_ghost\"] }",
        "{ any = [\"s_ghost\"] }",
        "{ severe = [\"s_ghost\"] }",
    ] {
        assert!(!when(&base, asked).holds(&told), "{asked}");
    }
}

#[test]
fn a_rule_lists_the_evidence_that_matched() {
    let base = toy::base();
    let check = |asked: &str, told: &str, expected: &[&str]| {
        let found = when(&base, asked)
            .evidence(&patient(&base, told))
            .unwrap_or_default();
        let ids: Vec<&str> = found
            .into_iter()
            .map(|concept| base.id_of(concept))
            .collect();
        assert_eq!(ids, expected, "{asked} of {told}");
    };
    check(
        "{ all = [\"s_fever\"], any = [\"s_cough\", \"s_fever\", \"s_vomiting\"] }",
        "{ present = [\"s_fever\", \"s_vomiting\"] }",
        &["s_fever", "s_vomiting"],
    );
    check(
        "{ any_of = [{ all = [\"s_cough\"] }, { values = [{ id = \"s_heart_rate\", above = 100 }] }] }",
        "{ values = { s_heart_rate = \"120\" } }",
        &["s_heart_rate"],
    );
    check(
        "{ all = [\"s_fever\"] }",
        "{ present = [\"s_cough\"] }",
        &[],
    );
}

#[test]
fn a_score_counts_known_items() {
    let base = toy::base();
    let check = |told: &str, expected: Option<(i32, Option<&str>)>| {
        let result = base.scores()[0].count(&patient(&base, told));
        let found = result.map(|score| (score.points, score.band.map(|band| band.level.as_str())));
        assert_eq!(found, expected, "{told}");
    };
    check("{}", Some((0, None)));
    check("{ values = { s_heart_rate = \"110\" } }", Some((2, None)));
    check(
        "{ values = { s_heart_rate = \"130\" } }",
        Some((3, Some("urgent"))),
    );
    check(
        "{ values = { s_heart_rate = \"130\", s_blood_pressure = \"70/40\" } }",
        Some((6, Some("emergency"))),
    );
    check(
        "{ age = \"5 years\", values = { s_heart_rate = \"130\" } }",
        None,
    );
}

#[test]
fn pregnancy_as_a_risk_factor_sets_the_state() {
    let base = toy::base();
    let person = Person {
        age: Age::from_years(25),
        sex: Sex::Female,
        state: None,
    };
    let mut facts = PlainFacts::new(&base, person);
    assert!(!facts.is_in(State::Pregnant));
    facts.add(&base, base.resolve("p_pregnancy").unwrap());
    assert!(facts.is_in(State::Pregnant));
}
