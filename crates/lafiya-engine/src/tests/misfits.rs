//! Tests of danger that does not fit the age or sex as entered.

use lafiya_knowledge::words::{AgeSpan, SexLimit};
use lafiya_knowledge::{ConceptRef, FindingIx};
use lafiya_model::assessment::{WarningKind, WarningSeverity};
use lafiya_model::{Age, Assessment, Choice, DeidentifiedCase, Sex, TriageLevel};

use super::{BASE, case, finding_id, item, patient_of};
use crate::{Parameters, assess, review};

const OLDEST: Age = Age::from_years(100);

/// Ages outside a span, nearest and far.
fn ages_outside(span: AgeSpan) -> Vec<Age> {
    let younger = span.from.filter(|from| from.days() > 0);
    let younger = younger.map(|from| Age::from_days(from.days() - 1));
    let newborn = span.from.map(|_| Age::from_days(3));
    let oldest = span.below.map(|_| OLDEST);
    let outside = [younger, newborn, span.below, oldest].into_iter().flatten();
    outside.filter(|age| !span.contains(*age)).collect()
}

fn sex_outside(limit: SexLimit) -> Option<Sex> {
    [Sex::Male, Sex::Female]
        .into_iter()
        .find(|sex| !limit.allows(*sex))
}

fn age_within(span: AgeSpan) -> Age {
    let middle = Age::from_years(30);
    let oldest = |below: Age| Age::from_days(below.days() - 1);
    if span.contains(middle) {
        middle
    } else {
        span.from.or(span.below.map(oldest)).unwrap_or(middle)
    }
}

fn answer(case: &DeidentifiedCase) -> Assessment<'static> {
    review(assess(&BASE, case, &Parameters::default()), 0)
}

/// The answer reaches the level and asks first for the age and sex, unless the danger is there
/// without what does not fit.
fn check(case: &DeidentifiedCase, least: TriageLevel, what: &str) {
    let given = answer(case);
    let who = (case.age.days(), case.sex);
    let level = given.triage.level;
    assert!(level >= least, "{what} in {who:?} gives {level}");
    let mut fitting = case.clone();
    fitting.evidence.retain(|item| {
        let concept = BASE.resolve(item.id.as_str());
        concept.is_some_and(|concept| BASE.fits(concept, case.age, case.sex))
    });
    let alone = answer(&fitting);
    if alone.red_flags.iter().any(|flag| flag.id == what) {
        return;
    }
    let answer = given;
    let first = answer.warnings.first().expect("a warning");
    assert_eq!(
        first.kind,
        WarningKind::ValidationConcern,
        "{what} in {who:?}"
    );
    assert_eq!(first.severity, WarningSeverity::High, "{what} in {who:?}");
    assert!(
        first.recommended_action.contains("age and the sex"),
        "{what}"
    );
}

fn bound_danger() -> impl Iterator<Item = FindingIx> {
    BASE.finding_indices().filter(|ix| {
        let finding = BASE.finding(*ix);
        let is_bound = finding.sex != SexLimit::Any || finding.ages != AgeSpan::default();
        finding.is_danger() && is_bound
    })
}

#[test]
fn a_danger_sign_outside_its_age_or_sex_keeps_its_level() {
    let mut checked = 0;
    for ix in bound_danger() {
        let finding = BASE.finding(ix);
        let least = finding.text.red_flag.seriousness().expect("danger").floor();
        let evidence = vec![item(finding_id(ix), Choice::Present)];
        let sex = [Sex::Female, Sex::Male].into_iter();
        let mut sex = sex.filter(|sex| finding.sex.allows(*sex));
        let sex = sex.next().expect("a sex");
        let mut people: Vec<(Age, Sex)> = Vec::new();
        people.extend(ages_outside(finding.ages).into_iter().map(|age| (age, sex)));
        people.extend(sex_outside(finding.sex).map(|sex| (age_within(finding.ages), sex)));
        for (age, sex) in people {
            check(&case(age, sex, evidence.clone()), least, finding_id(ix));
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} people");
}

/// A wrong sex, or a wrong age, in the example of every rule that rests on evidence of one sex or
/// age.
#[test]
fn a_rule_outside_its_age_or_sex_keeps_its_level() {
    let mut checked = 0;
    for rule in BASE.rules() {
        let Some(example) = patient_of(rule.text.example.as_ref()) else {
            continue;
        };
        let concepts = example
            .evidence
            .iter()
            .filter(|item| item.choice == Choice::Present);
        let concepts = concepts.filter_map(|item| BASE.resolve(item.id.as_str()));
        let mut people: Vec<(Age, Sex)> = Vec::new();
        for concept in concepts {
            let (sex, ages) = BASE.limits(concept);
            people.extend(sex_outside(sex).map(|sex| (example.age, sex)));
            people.extend(ages_outside(ages).into_iter().map(|age| (age, example.sex)));
        }
        for (age, sex) in people {
            let wrong = DeidentifiedCase {
                age,
                sex,
                ..example.clone()
            };
            let mut fitting = example.clone();
            fitting.evidence.retain(|item| {
                let concept = BASE.resolve(item.id.as_str());
                concept.is_some_and(|concept| BASE.fits(concept, age, sex))
            });
            // A rule that fires without the misfit says nothing about it.
            let flags = answer(&fitting).red_flags;
            if flags.iter().any(|flag| flag.id == rule.text.id.as_str()) {
                continue;
            }
            check(&wrong, rule.text.effect.level, &rule.text.id);
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} people");
}

#[test]
fn a_harmless_misfit_is_left_out_with_a_lesser_warning() {
    let harmless = BASE.finding_indices().find(|ix| {
        let finding = BASE.finding(*ix);
        let mut rules = BASE.rules().iter().flat_map(|rule| rule.when.concepts());
        finding.sex == SexLimit::Female
            && !finding.is_danger()
            && !rules.any(|concept| concept == ConceptRef::Finding(*ix))
    });
    let ix = harmless.expect("a finding of women that is in no rule");
    let evidence = vec![
        item("s_runny_nose", Choice::Present),
        item(finding_id(ix), Choice::Present),
    ];
    let case = case(Age::from_years(30), Sex::Male, evidence);
    let answer = answer(&case);
    let first = answer.warnings.first().expect("a warning");
    assert_eq!(first.severity, WarningSeverity::Medium);
    assert!(answer.red_flags.is_empty());
}
