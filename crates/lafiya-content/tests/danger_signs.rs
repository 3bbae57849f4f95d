//! Danger signs of the lists that health workers use: each has its level at every age at which it counts, whoever has it.

use std::collections::BTreeMap;

use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, Facts, KnowledgeBase, Person, PlainFacts};
use lafiya_model::{Age, Sex, TriageLevel};

/// A danger sign of the lists (IMCI, ETAT, the Interagency triage tool, WAO, IDSR), with the ages in which it counts.
struct Sign {
    says: &'static str,
    /// Days of age: the youngest, and the first day on which it no longer counts.
    days_of_age: (u32, u32),
    sex: Sex,
    state: Option<State>,
    present: &'static [&'static str],
    lasts: Option<(&'static str, u32)>,
    value: Option<(&'static str, f64)>,
    level: TriageLevel,
    isolates: bool,
    notifies: bool,
}

const YEAR: u32 = 365;

const ANYBODY: Sign = Sign {
    says: "",
    days_of_age: (0, 95 * YEAR),
    sex: Sex::Female,
    state: None,
    present: &[],
    lasts: None,
    value: None,
    level: TriageLevel::Emergency,
    isolates: false,
    notifies: false,
};

const WOMAN: Sign = Sign {
    days_of_age: (15 * YEAR, 50 * YEAR),
    ..ANYBODY
};

const SIGNS: &[Sign] = &[
    Sign {
        says: "bloody diarrhoea under two months",
        days_of_age: (0, 60),
        present: &["s_bloody_diarrhoea"],
        ..ANYBODY
    },
    Sign {
        says: "blood in the stool under two months",
        days_of_age: (0, 60),
        present: &["s_blood_mixed_with_stool"],
        ..ANYBODY
    },
    Sign {
        says: "stridor alone",
        present: &["s_stridor"],
        ..ANYBODY
    },
    Sign {
        says: "a cough in the first week",
        days_of_age: (0, 8),
        present: &["s_cough"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "crying in the first week",
        days_of_age: (0, 8),
        present: &["s_inconsolable_crying"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a rash in the first week",
        days_of_age: (0, 8),
        present: &["s_rash"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "severe headache in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_severe_headache"],
        ..WOMAN
    },
    Sign {
        says: "severe headache after birth",
        state: Some(State::Postpartum),
        present: &["s_severe_headache"],
        ..WOMAN
    },
    Sign {
        says: "half the sight lost in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_visual_field_loss_one_side"],
        ..WOMAN
    },
    Sign {
        says: "jaundice in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_jaundice"],
        ..WOMAN
    },
    Sign {
        says: "yellow skin in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_yellow_skin"],
        ..WOMAN
    },
    Sign {
        says: "new belly pain from 50",
        days_of_age: (50 * YEAR + 13, 95 * YEAR),
        present: &["s_abdominal_pain"],
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse from 50",
        days_of_age: (50 * YEAR + 13, 95 * YEAR),
        value: Some(("s_heart_rate", 46.0)),
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse with dizziness",
        days_of_age: (14 * YEAR, 95 * YEAR),
        present: &["s_dizziness"],
        value: Some(("s_heart_rate", 46.0)),
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse alone",
        days_of_age: (14 * YEAR, 50 * YEAR),
        value: Some(("s_heart_rate", 46.0)),
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse in a small child",
        days_of_age: (0, 5 * YEAR),
        value: Some(("s_heart_rate", 56.0)),
        ..ANYBODY
    },
    Sign {
        says: "acute flaccid paralysis",
        days_of_age: (60, 15 * YEAR),
        present: &["s_acute_floppy_weakness_in_child"],
        notifies: true,
        ..ANYBODY
    },
    Sign {
        says: "new weakness of one leg in a child",
        days_of_age: (70, 15 * YEAR),
        present: &["s_leg_weakness"],
        level: TriageLevel::Urgent,
        notifies: true,
        ..ANYBODY
    },
    Sign {
        says: "purpura in a vomiting child",
        days_of_age: (0, 15 * YEAR),
        present: &["s_purpura", "s_vomiting"],
        ..ANYBODY
    },
    Sign {
        says: "petechiae in a sleepy child",
        days_of_age: (0, 15 * YEAR),
        present: &["s_petechiae", "s_sleepiness"],
        ..ANYBODY
    },
    Sign {
        says: "pinpoint pupils with sleepiness",
        present: &["s_pinpoint_pupils", "s_sleepiness"],
        ..ANYBODY
    },
    Sign {
        says: "a sting with hives and vomiting",
        present: &["s_bee_sting_event", "s_urticarial_rash", "s_vomiting"],
        ..ANYBODY
    },
    Sign {
        says: "two weeks of cough after contact",
        days_of_age: (YEAR, 95 * YEAR),
        present: &["s_cough", "p_contact_with_tuberculosis_patient"],
        lasts: Some(("s_cough", 16)),
        level: TriageLevel::Urgent,
        isolates: true,
        ..ANYBODY
    },
    Sign {
        says: "two weeks of cough with blood",
        days_of_age: (YEAR, 95 * YEAR),
        present: &["s_cough", "s_haemoptysis"],
        lasts: Some(("s_cough", 16)),
        level: TriageLevel::Urgent,
        isolates: true,
        ..ANYBODY
    },
    Sign {
        says: "a tight chest from 40",
        days_of_age: (40 * YEAR + 10, 95 * YEAR),
        present: &["s_chest_tightness"],
        ..ANYBODY
    },
    Sign {
        says: "a burning chest from 40",
        days_of_age: (40 * YEAR + 10, 95 * YEAR),
        present: &["s_burning_chest_pain"],
        ..ANYBODY
    },
    Sign {
        says: "fever after a burial",
        days_of_age: (60, 95 * YEAR),
        present: &[
            "s_fever",
            "p_lives_in_haemorrhagic_fever_area",
            "p_funeral_or_burial_contact",
        ],
        isolates: true,
        notifies: true,
        ..ANYBODY
    },
    Sign {
        says: "fever after deaths nearby",
        days_of_age: (60, 95 * YEAR),
        present: &[
            "s_fever",
            "p_lives_in_haemorrhagic_fever_area",
            "s_sudden_death_of_contacts",
        ],
        isolates: true,
        notifies: true,
        ..ANYBODY
    },
    Sign {
        says: "fever with bleeding and a sore throat where haemorrhagic fever occurs",
        days_of_age: (60, 95 * YEAR),
        present: &[
            "s_fever",
            "s_bleeding_from_gums",
            "s_sore_throat",
            "p_lives_in_haemorrhagic_fever_area",
        ],
        isolates: true,
        notifies: true,
        ..ANYBODY
    },
    Sign {
        says: "fever with others ill at home",
        days_of_age: (60, 95 * YEAR),
        present: &[
            "s_fever",
            "s_vomiting",
            "s_diarrhoea",
            "p_lives_in_haemorrhagic_fever_area",
            "p_household_contact_with_similar_illness",
        ],
        level: TriageLevel::Urgent,
        isolates: true,
        notifies: true,
        ..ANYBODY
    },
    Sign {
        says: "a baby's fever after a medicine",
        days_of_age: (60, 360),
        present: &["s_fever", "s_medication_reaction"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a baby's fever after herbs",
        days_of_age: (60, 360),
        present: &["s_fever", "p_herbal_medicine_use"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "green vomit in a small child",
        days_of_age: (60, 2 * YEAR),
        present: &["s_bilious_vomiting"],
        ..ANYBODY
    },
    Sign {
        says: "whooping cough under six months",
        days_of_age: (0, 180),
        present: &["s_paroxysmal_cough_with_whoop"],
        level: TriageLevel::Urgent,
        isolates: true,
        notifies: true,
        ..ANYBODY
    },
];

/// What a sign lacks in one person, if anything.
fn lacks(base: &KnowledgeBase, sign: &Sign, age: Age) -> Option<String> {
    let named = sign.present.iter().copied();
    let named = named
        .chain(sign.lasts.map(|(id, _)| id))
        .chain(sign.value.map(|(id, _)| id));
    if let Some(unknown) = named.clone().find(|id| base.resolve(id).is_none()) {
        return Some(format!("{}: {unknown} does not exist", sign.says));
    }
    let concepts: BTreeMap<&str, ConceptRef> = named
        .filter_map(|id| Some((id, base.resolve(id)?)))
        .collect();
    let person = Person {
        age,
        sex: sign.sex,
        state: sign.state,
    };
    let mut facts = PlainFacts::new(base, person);
    for id in sign.present {
        facts.add(base, concepts[id]);
    }
    if let Some((id, days)) = sign.lasts {
        facts.set_days(concepts[id], days);
    }
    if let Some((id, value)) = sign.value {
        facts.measure(base, concepts[id], value);
    }
    let fired = base.rules().iter().filter(|rule| rule.when.holds(&facts));
    let effects: Vec<_> = fired.map(|rule| &rule.text.effect).collect();
    let by_rule = effects.iter().map(|effect| effect.level).max();
    let findings = base
        .finding_indices()
        .filter(|ix| facts.is_present(ConceptRef::Finding(*ix)));
    let flags = findings.filter_map(|ix| base.finding(ix).text.red_flag.seriousness());
    let level = by_rule.max(flags.map(|seriousness| seriousness.floor()).max());
    if level.is_none_or(|level| level < sign.level) {
        Some(format!("{} at {} days: {level:?}", sign.says, age.days()))
    } else if sign.isolates && !effects.iter().any(|effect| effect.isolate) {
        Some(format!(
            "{} at {} days: not kept apart",
            sign.says,
            age.days()
        ))
    } else if sign.notifies && !effects.iter().any(|effect| effect.notify.is_some()) {
        Some(format!(
            "{} at {} days: not reported",
            sign.says,
            age.days()
        ))
    } else {
        None
    }
}

#[test]
fn danger_signs_of_the_lists_have_their_level_at_every_age() {
    let base = lafiya_content::load().expect("the embedded base loads");
    let mut wrong = Vec::new();
    for sign in SIGNS {
        let (from, below) = sign.days_of_age;
        let last = below - 1;
        let step = ((last - from) / 10).max(1);
        let ages = (from..=last).step_by(step as usize).chain([last]);
        wrong.extend(ages.filter_map(|days| lacks(&base, sign, Age::from_days(days))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
