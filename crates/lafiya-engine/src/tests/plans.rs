//! Tests the advice and whom it is for, over the whole knowledge base.

use lafiya_knowledge::{Condition, KnowledgeBase, toy};
use lafiya_model::{Age, Assessment, Choice, DeidentifiedCase, Phrase, Sex, TriageLevel};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::properties::any_case;
use super::{BASE, case, item};
use crate::dosing::{Dosing, Place};
use crate::{Parameters, PatientFacts, assess, review};

fn answer(case: &DeidentifiedCase) -> Assessment<'static> {
    review(assess(&BASE, case, &Parameters::default()), 0)
}

fn condition(id: &str) -> &'static Condition {
    let concept = BASE.resolve(id).and_then(|concept| concept.condition());
    BASE.condition(concept.expect("a condition of the base"))
}

/// A pregnant woman with light bleeding and no pain: two candidates whose treatments contradict
/// each other.
fn early_bleeding() -> DeidentifiedCase {
    let present = ["s_vaginal_bleeding_in_early_pregnancy", "p_first_trimester"];
    let absent = ["s_abdominal_pain", "s_heavy_vaginal_bleeding"];
    let present = present.map(|id| item(id, Choice::Present));
    let absent = absent.map(|id| item(id, Choice::Absent));
    case(
        Age::from_years(28),
        Sex::Female,
        present.into_iter().chain(absent).collect(),
    )
}

#[test]
fn actions_for_a_less_likely_condition_name_it() {
    let answer = answer(&early_bleeding());
    let [leader, second] = &answer.conditions[..2] else {
        panic!("two candidates");
    };
    let actions = &answer.treatment.immediate_actions;
    for own in &condition(leader.id.as_str())
        .text
        .treatment
        .immediate_actions
    {
        assert!(
            actions.iter().any(|action| action.as_str() == own.as_str()),
            "{own}"
        );
    }
    for other in &condition(second.id.as_str())
        .text
        .treatment
        .immediate_actions
    {
        let named = format!("If {}: {other}", second.name);
        assert!(
            actions.iter().any(|action| action.as_str() == named),
            "{named}"
        );
        assert!(
            !actions
                .iter()
                .any(|action| action.as_str() == other.as_str()),
            "{other}"
        );
    }
}

/// A patient in whom one candidate explains most, at a usual level below the minimum that a danger
/// sign sets.
fn raised_by_danger(age: u32, sex: Sex, evidence_items: &[&str]) -> Assessment<'static> {
    let evidence_items = evidence_items
        .iter()
        .map(|id| item(id, Choice::Present))
        .collect();
    let answer = answer(&case(Age::from_years(age), sex, evidence_items));
    let leader = &answer.conditions[0];
    assert!(leader.probability > 0.5, "{}", leader.name);
    let usual = condition(leader.id.as_str()).text.triage.default;
    assert!(answer.triage.level > usual && answer.triage.overridden);
    answer
}

#[test]
fn a_raised_level_decides_the_specialist() {
    let retention = ["s_urinary_retention_symptom", "s_palpable_bladder"];
    let emergency = raised_by_danger(72, Sex::Male, &retention);
    let lump = ["s_hard_or_fixed_breast_lump", "s_breast_skin_dimpling"];
    let urgent = raised_by_danger(48, Sex::Female, &lump);
    // An emergency has a specialist of its own; at a lower level the patient stays with the
    // specialist of the leading condition.
    let by_level = BASE.services().specialist_at(TriageLevel::Emergency);
    let by_leader = &condition(urgent.conditions[0].id.as_str()).text.triage;
    let expected = [
        (&emergency, by_level.expect("somebody for emergencies")),
        (&urgent, by_leader.specialist.id.as_str()),
    ];
    for (answer, id) in expected {
        let level = BASE.level_text(answer.triage.level).expect("a text");
        let specialist = answer.triage.specialist.as_ref().expect("a specialist");
        assert_eq!(specialist.id, id);
        assert_eq!(specialist.reasoning, level.description.as_str());
    }
}

#[test]
fn a_test_is_recommended_only_within_its_limits() {
    let positive = r#"what_positive_means = "Anaemia.""#;
    let limits = r#"
        sex = "female"
        from = "15 years"
        to = "50 years"
        not_with = ["p_pregnancy"]
    "#;
    let limited = [positive, limits].concat();
    let files = toy::files_with("lab-tests.toml", positive, &limited);
    let base = KnowledgeBase::from_files(files).expect("a sound base");
    let tests = |years: u32, sex: Sex, also: &[&str]| -> Vec<String> {
        let evidence_items = ["s_fever", "s_headache"].iter().chain(also);
        let evidence_items = evidence_items.map(|id| item(id, Choice::Present)).collect();
        let case = case(Age::from_years(years), sex, evidence_items);
        let answer = review(assess(&base, &case, &Parameters::default()), 0);
        let tests = answer.investigations.into_iter();
        tests.map(|test| test.test_id.to_string()).collect()
    };
    let limited = "lt_haemoglobin".to_owned();
    assert!(tests(30, Sex::Female, &[]).contains(&limited));
    assert!(tests(30, Sex::Other, &[]).contains(&limited));
    let nobody_else = [
        tests(30, Sex::Male, &[]),
        tests(14, Sex::Female, &[]),
        tests(50, Sex::Female, &[]),
        tests(30, Sex::Female, &["p_pregnancy"]),
    ];
    for tests in nobody_else {
        assert!(!tests.contains(&limited), "{tests:?}");
        assert!(!tests.is_empty(), "the other tests stay");
    }
}

#[test]
fn an_emergency_plan_orders_no_later_visit() {
    let action = r#"action = "Take the baby to a clinic today.""#;
    let actions = |addition: &str, evidence_items: &[&str]| -> Vec<String> {
        let effect = [action, addition].concat();
        let files = toy::files_with("rules/fever.toml", action, &effect);
        let base = KnowledgeBase::from_files(files).expect("a sound base");
        let evidence_items = evidence_items
            .iter()
            .map(|id| item(id, Choice::Present))
            .collect();
        let case = case(Age::from_days(20), Sex::Female, evidence_items);
        let answer = review(assess(&base, &case, &Parameters::default()), 0);
        let actions = answer.treatment.immediate_actions.into_iter();
        actions.map(|action| action.to_string()).collect()
    };
    let (visit, rest) = ("Take the baby to a clinic today.", "Keep breastfeeding.");
    let first_aid = r#", in_emergency = "Keep breastfeeding.""#;
    let nothing = r#", in_emergency = """#;
    let (urgent, emergency) = (["s_fever"], ["s_fever", "s_neck_stiffness"]);
    let has = |actions: &[String], line: &str| actions.iter().any(|action| action == line);

    assert!(has(&actions(first_aid, &urgent), visit));
    assert!(!has(&actions(first_aid, &urgent), rest));
    let beside = actions(first_aid, &emergency);
    assert_eq!(beside[..2], ["Go to a hospital now.", rest]);
    assert!(!has(&beside, visit));
    assert!(!has(&actions(nothing, &emergency), visit));
    assert!(!has(&actions(nothing, &emergency), ""));
    // A rule without a shorter action keeps its full one: it may order more than a visit.
    assert!(has(&actions("", &emergency), visit));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, rng_seed: RngSeed::Fixed(20_261_115), ..ProptestConfig::default() })]

    #[test]
    fn the_specialist_fits_the_level_and_a_likely_condition(case in any_case()) {
        let answer = answer(&case);
        let (Some(leader), Some(specialist)) = (answer.conditions.first(), &answer.triage.specialist) else { return Ok(()); };
        let level = answer.triage.level;
        let likely = answer.conditions.iter().filter(|condition| condition.id == leader.id || condition.probability >= 0.079);
        let mut as_urgent = likely.map(|shown| &condition(shown.id.as_str()).text.triage).filter(|triage| triage.default >= level);
        let by_level = BASE.level_text(level).map(|text| &*text.description);
        let says_condition = as_urgent.any(|triage| specialist.id == triage.specialist.id.as_str() && specialist.reasoning == triage.specialist.reasoning.as_str());
        prop_assert!(says_condition || Some(specialist.reasoning.as_str()) == by_level, "{}", specialist.reasoning);
    }

    #[test]
    fn no_test_is_asked_for_sooner_than_the_visit(case in any_case()) {
        let answer = answer(&case);
        let words = ["when_convenient", "within_2_weeks", "within_72_hours", "within_24_hours", "within_2_hours", "immediate"];
        let rank = |word: &str| words.iter().position(|listed| *listed == word);
        let visit = rank(answer.triage.timeframe.as_str()).unwrap_or(words.len());
        for test in &answer.investigations {
            let asked = rank(&test.urgency);
            prop_assert!(asked.is_some() || test.urgency == "if_negative_for_primary", "{:?}", test.urgency);
            prop_assert!(asked.is_none_or(|asked| asked <= visit), "{} {:?} in {:?}", test.test_id, test.urgency, answer.triage.timeframe);
        }
    }

    #[test]
    fn only_danger_and_the_leading_condition_give_unnamed_actions(case in any_case()) {
        let answer = answer(&case);
        let Some(leader) = answer.conditions.first() else { return Ok(()); };
        let leading = condition(leader.id.as_str());
        let own = &leading.text;
        let facts = PatientFacts::gather(&BASE, &case);
        let listed = answer.conditions.iter().filter_map(|listed| {
            let ix = BASE.resolve(listed.id.as_str())?.condition()?;
            Some((ix, listed.probability))
        });
        let dosing = Dosing::new(&facts, listed.collect());
        let said = |line: &'static Phrase| dosing.of_condition(leading, line, Place::Treatment).to_string();
        let of_rule = |line: &'static Phrase| dosing.of_rule(line).to_string();
        let effects = || BASE.rules().iter().map(|rule| &rule.text.effect);
        let of_rules: Vec<String> = effects().map(|effect| &effect.action).chain(effects().filter_map(|effect| effect.in_emergency.as_ref())).map(of_rule).collect();
        let names: Vec<String> = answer.conditions.iter().map(|condition| format!("If {}: ", condition.name)).collect();
        let is_named = |line: &str| names.iter().any(|name| line.starts_with(name.as_str()));
        for line in &answer.treatment.immediate_actions {
            let is_own = own.treatment.immediate_actions.iter().any(|action| said(action) == line.as_str());
            prop_assert!(is_own || is_named(line) || of_rules.contains(&line.to_string()), "{}", line);
        }
        for line in &answer.treatment.supportive_care {
            let is_own = own.treatment.supportive_care.iter().any(|action| said(action) == line.as_str());
            prop_assert!(is_own || is_named(line), "{}", line);
        }
        for line in &answer.referral.pre_referral_actions {
            let referral = own.referral.as_ref();
            let is_own = referral.is_some_and(|referral| referral.pre_referral_actions.iter().any(|action| said(action) == line.as_str()));
            prop_assert!(is_own || is_named(line), "{}", line);
        }
        for line in &answer.treatment.avoid {
            prop_assert!(is_named(line), "{}", line);
        }
    }
}
