//! Postures, drinks and medicines that danger rules order: safe for everybody in whom a rule can
//! fire, and without contradiction to other rules that can fire in the same person.

use lafiya_knowledge::schema::When;
use lafiya_knowledge::words::State;
use lafiya_knowledge::{Person, PlainFacts, Rule};
use lafiya_model::{Age, Sex, TriageLevel};

use self::common::{base, has_any};

mod common;

/// What a rule tells somebody who goes to hospital now, in lower case.
fn orders(rule: &Rule) -> String {
    let effect = &rule.text.effect;
    let text = match &effect.in_emergency {
        Some(text) if effect.level < TriageLevel::Emergency => text,
        _ => &effect.action,
    };
    text.to_lowercase()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(". ")
}

/// Whether a person without some findings can meet a condition. Any value can be measured, unless
/// its measure is left out.
fn can_hold(when: &When, person: Person, left_out: &[&str]) -> bool {
    let has = |id: &str| !has_any(id, left_out);
    let each = |list: &[String]| list.iter().all(|id| has(id));
    let some = |list: &[String]| list.is_empty() || list.iter().any(|id| has(id));
    let enough = when.at_least.as_ref().is_none_or(|least| {
        least.of.iter().filter(|id| has(id)).count() >= usize::from(least.count)
    });
    let any_of = when.any_of.is_empty()
        || when
            .any_of
            .iter()
            .any(|part| can_hold(part, person, left_out));
    each(&when.all)
        && some(&when.any)
        && enough
        && any_of
        && each(&when.severe)
        && when.age.as_ref().is_none_or(|range| {
            range.from.is_none_or(|from| person.age >= from)
                && range.to.is_none_or(|to| person.age < to)
        })
        && when.sex.is_none_or(|sex| sex.allows(person.sex))
        && when.state.is_none_or(|state| person.state == Some(state))
        && when.values.iter().all(|value| has(&value.id))
        && when.days.as_ref().is_none_or(|days| has(&days.id))
        && when.fresh.as_ref().is_none_or(|fresh| has(&fresh.id))
}

fn mentions(when: &When, words: &[&str]) -> bool {
    let in_list = |list: &[String]| list.iter().any(|id| has_any(id, words));
    in_list(&when.all)
        || in_list(&when.any)
        || in_list(&when.severe)
        || when
            .at_least
            .as_ref()
            .is_some_and(|least| in_list(&least.of))
        || when.any_of.iter().any(|part| mentions(part, words))
}

/// A person of each of many ages, and women in and after pregnancy.
fn people() -> Vec<Person> {
    let ages = [3, 20, 100, 300].map(Age::from_days).into_iter();
    let ages = ages.chain([2, 4, 8, 11, 14, 20, 30, 45, 60, 80].map(Age::from_years));
    let mut all = Vec::new();
    for age in ages {
        for sex in [Sex::Female, Sex::Male] {
            all.push(Person {
                age,
                sex,
                state: None,
            });
        }
        if age >= Age::from_years(14) && age < Age::from_years(50) {
            for state in [State::Pregnant, State::Postpartum] {
                all.push(Person {
                    age,
                    sex: Sex::Female,
                    state: Some(state),
                });
            }
        }
    }
    all
}

/// Findings of hard breathing and of a narrow throat: who has one sits as is easiest.
const HARD_BREATHING: &[&str] = &[
    "breath",
    "orthopnoea",
    "dyspnoea",
    "stridor",
    "wheeze",
    "indrawing",
    "grunting",
    "oxygen",
    "cyanosis",
    "apnoea",
    "peak_flow",
    "accessory_muscles",
    "tripod",
    "complete_sentences",
    "silent_chest",
    "frothy",
    "haemoptysis",
    "difficulty_swallowing",
    "unable_to_swallow",
    "drool",
    "tongue",
    "hot_potato",
    "uvula",
    "choking",
    "respiratory_muscle",
];

#[test]
fn only_those_whose_breathing_is_hard_are_told_to_sit_up() {
    let base = base();
    let mut wrong = Vec::new();
    for rule in base.rules() {
        let text = orders(rule);
        let sits = sentences(&text).find(|sentence| {
            has_any(sentence, &["sit up", "sitting", "upright", "propped"])
                && !has_any(sentence, &["breathing is hard", "swallowing is hard"])
        });
        let Some(sentence) = sits else { continue };
        if people()
            .iter()
            .any(|person| can_hold(&rule.text.when, *person, HARD_BREATHING))
        {
            wrong.push(format!("{}: {sentence}", rule.text.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const LIES: &[&str] = &[
    "lie down",
    "lying down",
    "lie flat",
    "lying flat",
    "flat on",
    "lay flat",
];

const SIDES: &[&str] = &[
    "on the side",
    "on the left side",
    "to the side",
    "lying on the left",
];

/// What takes away the reflexes that protect the airway, or fills the mouth.
const DROWSY: &[&str] = &[
    "collapse",
    "lethargy",
    "confusion",
    "unconscious",
    "convulsion",
    "vomit",
    "haematemesis",
    "sleepiness",
    "responds_to",
];

#[test]
fn who_may_be_drowsy_or_vomit_lies_on_the_side() {
    let postures = [LIES, &["sit up", "sitting", "upright", "propped"]].concat();
    let mut wrong = Vec::new();
    for rule in base().rules() {
        let text = orders(rule).replace("do not lie down", "");
        let named = mentions(&rule.text.when, DROWSY) && has_any(&text, &postures);
        // Whoever lies down may become drowsy or vomit on the way, whatever the rule asks for.
        if (named || has_any(&text, LIES)) && !has_any(&text, SIDES) && !text.contains("sit as is")
        {
            wrong.push(format!("{}: {text}", rule.text.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn women_late_in_pregnancy_lie_on_the_left_side() {
    let woman = Person {
        age: Age::from_years(28),
        sex: Sex::Female,
        state: Some(State::Pregnant),
    };
    let mut wrong = Vec::new();
    for rule in base().rules() {
        let text = orders(rule).replace("do not lie down", "");
        // After a birth or a loss, and a limit for children.
        let after_birth = [
            "postpartum",
            "p_recent_miscarriage_or_abortion",
            "70_plus_twice_age",
        ];
        if has_any(&text, LIES)
            && !text.contains("left")
            && can_hold(&rule.text.when, woman, &after_birth)
        {
            wrong.push(format!("{}: {text}", rule.text.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_injured_spine_is_not_bent() {
    let spine = [
        "spin",
        "neck_injury",
        "saddle",
        "weakness_of_both_legs",
        "sensory_level",
    ];
    let mut wrong = Vec::new();
    for rule in base().rules() {
        let text = orders(rule);
        let bends = has_any(
            &text,
            &["head end raised", "sit up", "sitting", "upright", "propped"],
        );
        let straight = has_any(
            &text,
            &[
                "without bending",
                "in one line",
                "in one piece",
                "flat on a board",
            ],
        );
        // Weak breathing muscles are not a broken spine.
        let nerves = has_any(&text, &["support breathing"]);
        // A raised head end bends the back even on a board.
        let straight = straight && !text.contains("head end raised");
        if mentions(&rule.text.when, &spine) && bends && !straight && !nerves {
            wrong.push(format!("{}: {text}", rule.text.id));
        }
        let orders_lying = has_any(&text, LIES) && has_any(&text, &["legs stretched out"]);
        if orders_lying && mentions(&rule.text.when, &["s_recent_injury"]) && !straight {
            wrong.push(format!("{}: {text}", rule.text.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_who_can_swallow_is_told_to_drink() {
    let drinks = [
        "drink",
        "sips",
        "breastfe",
        "breast milk",
        "sugar water",
        "rehydration",
        "by mouth",
    ];
    let safe = [
        "if ",
        "awake",
        "can swallow",
        "nothing",
        "stop feeding",
        "do not force",
        "until swallowing",
    ];
    // A drink that was swallowed as poison, drops for the eye, feeding later, and what is
    // forbidden.
    let other = [
        "bring the drink",
        "drops",
        "along for breastfeeding",
        "little to drink",
        "do not drink",
        "potassium drinks",
        "drinking water",
    ];
    let mut wrong = Vec::new();
    for rule in base().rules() {
        let text = orders(rule);
        for sentence in sentences(&text) {
            if has_any(sentence, &drinks) && !has_any(sentence, &safe) && !has_any(sentence, &other)
            {
                wrong.push(format!("{}: {sentence}", rule.text.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether two rules can fire in one person.
fn can_meet(one: &Rule, other: &Rule) -> bool {
    people().into_iter().any(|person| {
        can_hold(&one.text.when, person, &[]) && can_hold(&other.text.when, person, &[])
    })
}

#[test]
fn no_rule_forbids_the_paracetamol_that_another_orders() {
    let base = base();
    let forbids = |rule: &&Rule| {
        let text = orders(rule);
        let ordered_by = "unless a health worker orders";
        sentences(&text).any(|sentence| {
            has_any(
                sentence,
                &[
                    "no paracetamol",
                    "no further paracetamol",
                    "alcohol and paracetamol",
                ],
            ) && !sentence.contains(ordered_by)
        })
    };
    let allows = |rule: &&Rule| {
        has_any(
            &orders(rule),
            &["paracetamol only", "awake, paracetamol", "take paracetamol"],
        )
    };
    let mut wrong = Vec::new();
    for one in base.rules().iter().filter(forbids) {
        for other in base.rules().iter().filter(allows) {
            if can_meet(one, other) {
                wrong.push(format!("{} and {}", one.text.id, other.text.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_of_one_example_do_not_contradict_each_other_on_drinks() {
    let base = base();
    let concept = |id: &str| {
        base.resolve(id)
            .unwrap_or_else(|| panic!("{id} does not exist"))
    };
    let mut wrong = Vec::new();
    for rule in base.rules() {
        let Some(example) = &rule.text.example else {
            continue;
        };
        let mut facts = PlainFacts::new(
            &base,
            Person {
                age: example.age.unwrap_or_else(|| Age::from_years(30)),
                sex: example.sex,
                state: example.state,
            },
        );
        for id in &example.present {
            facts.add(&base, concept(id));
        }
        let fired: Vec<&Rule> = base
            .rules()
            .iter()
            .filter(|other| other.when.holds(&facts))
            .collect();
        let nothing = ["nothing to eat or drink", "nothing by mouth"];
        let drinks = ["sips", "breastfeed", "drink oral", "breast milk"];
        for forbids in fired
            .iter()
            .filter(|other| has_any(&orders(other), &nothing))
        {
            for allows in fired
                .iter()
                .filter(|other| has_any(&orders(other), &drinks))
            {
                if allows.text.id != forbids.text.id {
                    wrong.push(format!(
                        "{}: {} and {}",
                        rule.text.id, forbids.text.id, allows.text.id
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
