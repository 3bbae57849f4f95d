//! Danger signs of the lists that health workers use: each has its level at every age at which it
//! counts, whoever has it.

use lafiya_knowledge::schema::Effect;
use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, Facts, KnowledgeBase, Person, PlainFacts};
use lafiya_model::{Age, Sex, TriageLevel};

use self::common::base;

mod common;

/// A danger sign of the lists (IMCI, ETAT, the Interagency triage tool, WAO, IDSR), with the ages
/// in which it counts.
struct Sign {
    says: &'static str,
    /// Days of age: the youngest, and the first day on which it no longer counts.
    days_of_age: (u32, u32),
    sex: Sex,
    state: Option<State>,
    present: &'static [&'static str],
    lasts: Option<(&'static str, u32)>,
    values: &'static [(&'static str, f64)],
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
    values: &[],
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
        values: &[("s_heart_rate", 46.0)],
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse with dizziness",
        days_of_age: (14 * YEAR, 95 * YEAR),
        present: &["s_dizziness"],
        values: &[("s_heart_rate", 46.0)],
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse alone",
        days_of_age: (14 * YEAR, 50 * YEAR),
        values: &[("s_heart_rate", 46.0)],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse in a small child",
        days_of_age: (0, 5 * YEAR),
        values: &[("s_heart_rate", 56.0)],
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
            "s_extreme_fatigue",
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
    Sign {
        says: "new pain in the pit of the stomach from 50",
        days_of_age: (50 * YEAR + 13, 95 * YEAR),
        present: &["s_epigastric_pain"],
        lasts: Some(("s_epigastric_pain", 1)),
        ..ANYBODY
    },
    Sign {
        says: "belly pain worse on movement from 50",
        days_of_age: (50 * YEAR + 13, 95 * YEAR),
        present: &["s_abdominal_pain_worse_with_movement"],
        ..ANYBODY
    },
    Sign {
        says: "belly pain into the back from 50",
        days_of_age: (50 * YEAR + 13, 95 * YEAR),
        present: &["s_epigastric_pain_radiating_to_back"],
        ..ANYBODY
    },
    Sign {
        says: "sudden flank pain from 60",
        days_of_age: (60 * YEAR + 15, 95 * YEAR),
        present: &["s_flank_pain", "s_symptom_onset_sudden"],
        ..ANYBODY
    },
    Sign {
        says: "a pulse of 70 in the first year",
        days_of_age: (0, YEAR - 1),
        present: &[],
        values: &[("s_heart_rate", 70.0)],
        ..ANYBODY
    },
    Sign {
        says: "a slow pulse with vomiting in a child",
        days_of_age: (5 * YEAR + 2, 13 * YEAR),
        present: &["s_vomiting", "s_headache"],
        values: &[("s_heart_rate", 55.0)],
        ..ANYBODY
    },
    Sign {
        says: "purpura in a very ill person",
        present: &["s_purpura", "s_poor_general_condition"],
        ..ANYBODY
    },
    Sign {
        says: "purpura with vomiting and exhaustion",
        present: &["s_purpura", "s_vomiting", "s_extreme_fatigue"],
        ..ANYBODY
    },
    Sign {
        says: "pit of the stomach pain in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_epigastric_pain"],
        level: TriageLevel::Urgent,
        ..WOMAN
    },
    Sign {
        says: "pit of the stomach pain after birth",
        state: Some(State::Postpartum),
        present: &["s_epigastric_pain"],
        level: TriageLevel::Urgent,
        ..WOMAN
    },
    Sign {
        says: "jaundice after birth",
        state: Some(State::Postpartum),
        present: &["s_jaundice"],
        ..WOMAN
    },
    Sign {
        says: "sight that goes grey with a headache in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_brief_blackouts_of_vision", "s_headache"],
        ..WOMAN
    },
    Sign {
        says: "fever with sore throat, vomiting and rats",
        days_of_age: (60, 95 * YEAR),
        present: &[
            "s_fever",
            "s_sore_throat",
            "s_vomiting",
            "p_lives_in_haemorrhagic_fever_area",
            "p_rodent_exposure_in_house",
        ],
        level: TriageLevel::Urgent,
        isolates: true,
        ..ANYBODY
    },
    Sign {
        says: "a feverish health worker",
        days_of_age: (18 * YEAR, 70 * YEAR),
        present: &[
            "s_fever",
            "s_headache",
            "p_lives_in_haemorrhagic_fever_area",
            "p_healthcare_worker_exposure",
        ],
        level: TriageLevel::Urgent,
        isolates: true,
        ..ANYBODY
    },
    Sign {
        says: "fever and vomiting after a funeral",
        days_of_age: (60, 95 * YEAR),
        present: &[
            "s_fever",
            "s_vomiting",
            "p_lives_in_haemorrhagic_fever_area",
            "p_attended_funeral",
        ],
        level: TriageLevel::Urgent,
        isolates: true,
        ..ANYBODY
    },
    Sign {
        says: "a sting with a rash all over and vomiting",
        present: &["s_bee_sting_event", "s_widespread_rash", "s_vomiting"],
        ..ANYBODY
    },
    Sign {
        says: "a sting with sudden itching and vomiting",
        present: &[
            "s_bee_sting_event",
            "s_itching",
            "s_symptom_onset_sudden",
            "s_vomiting",
        ],
        ..ANYBODY
    },
    Sign {
        says: "a swollen face and vomiting after a medicine",
        present: &["s_medication_reaction", "s_facial_puffiness", "s_vomiting"],
        ..ANYBODY
    },
    Sign {
        says: "a sting with collapse",
        present: &["s_bee_sting_event", "s_collapse"],
        ..ANYBODY
    },
    Sign {
        says: "sudden wheeze and itching after a vaccine",
        present: &[
            "s_illness_after_vaccination",
            "s_wheeze",
            "s_itching",
            "s_symptom_onset_sudden",
        ],
        ..ANYBODY
    },
    Sign {
        says: "green vomit in a child",
        days_of_age: (60, 5 * YEAR),
        present: &["s_bilious_vomiting"],
        ..ANYBODY
    },
    Sign {
        says: "a missed period with lightheadedness and a fast pulse",
        present: &["s_missed_period", "s_lightheadedness_on_standing"],
        values: &[("s_systolic_blood_pressure", 100.0), ("s_heart_rate", 95.0)],
        ..WOMAN
    },
    Sign {
        says: "a cough in the first four weeks",
        days_of_age: (0, 29),
        present: &["s_cough"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "crying in the first four weeks",
        days_of_age: (0, 29),
        present: &["s_restless_or_irritable"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "stridor for a month",
        days_of_age: (2 * YEAR + 1, 95 * YEAR),
        present: &["s_stridor"],
        lasts: Some(("s_stridor", 30)),
        ..ANYBODY
    },
    Sign {
        says: "a baby's fever after a vaccine",
        days_of_age: (60, 182),
        present: &["s_fever", "s_illness_after_vaccination"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "two days of fever after a vaccine",
        days_of_age: (60, 365),
        present: &["s_fever", "s_illness_after_vaccination"],
        lasts: Some(("s_fever", 2)),
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
];

/// The level that the rules and the findings give to a sign in one person, and what the rules
/// order.
fn answer<'a>(
    base: &'a KnowledgeBase,
    sign: &Sign,
    age: Age,
) -> (Option<TriageLevel>, Vec<&'a Effect>) {
    let concept = |id: &str| {
        base.resolve(id)
            .unwrap_or_else(|| panic!("{id} does not exist"))
    };
    let person = Person {
        age,
        sex: sign.sex,
        state: sign.state,
    };
    let mut facts = PlainFacts::new(base, person);
    for id in sign.present {
        facts.add(base, concept(id));
    }
    if let Some((id, days)) = sign.lasts {
        facts.set_days(concept(id), days);
    }
    for (id, value) in sign.values {
        facts.measure(base, concept(id), *value);
    }
    let fired = base.rules().iter().filter(|rule| rule.when.holds(&facts));
    let effects: Vec<_> = fired.map(|rule| &rule.text.effect).collect();
    let by_rule = effects.iter().map(|effect| effect.level).max();
    let findings = base
        .finding_indices()
        .filter(|ix| facts.is_present(ConceptRef::Finding(*ix)));
    let flags = findings.filter_map(|ix| base.finding(ix).text.red_flag.seriousness());
    let level = by_rule.max(flags.map(|seriousness| seriousness.floor()).max());
    (level, effects)
}

/// What a sign lacks in one person, if anything.
fn lacks(base: &KnowledgeBase, sign: &Sign, age: Age) -> Option<String> {
    let (level, effects) = answer(base, sign, age);
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
    let base = base();
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

/// What is common and harmless enough to stay below a level, and is not kept apart. It names the
/// highest level allowed.
const HARMLESS: &[Sign] = &[
    Sign {
        says: "influenza in a household where haemorrhagic fever occurs",
        days_of_age: (5 * YEAR, 95 * YEAR),
        present: &[
            "s_fever",
            "s_headache",
            "s_sore_throat",
            "s_muscle_pain",
            "p_lives_in_haemorrhagic_fever_area",
            "p_household_contact_with_similar_illness",
        ],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "fever and a cold with rats in the house",
        days_of_age: (5 * YEAR, 95 * YEAR),
        present: &[
            "s_fever",
            "s_runny_nose",
            "p_lives_in_haemorrhagic_fever_area",
            "p_rodent_exposure_in_house",
        ],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "fever after a funeral with nothing else",
        days_of_age: (5 * YEAR, 95 * YEAR),
        present: &[
            "s_fever",
            "s_runny_nose",
            "p_lives_in_haemorrhagic_fever_area",
            "p_attended_funeral",
        ],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a pulse of 48 with a headache and tiredness",
        days_of_age: (14 * YEAR, 50 * YEAR),
        present: &["s_headache", "s_fatigue"],
        values: &[("s_heart_rate", 48.0)],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a pulse of 58 with a headache in a child",
        days_of_age: (7 * YEAR, 13 * YEAR),
        present: &["s_headache"],
        values: &[("s_heart_rate", 58.0)],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a sprained ankle with a quick pulse",
        days_of_age: (16 * YEAR + 5, 60 * YEAR),
        present: &["s_recent_injury", "s_ankle_pain"],
        values: &[("s_systolic_blood_pressure", 105.0), ("s_heart_rate", 95.0)],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "sudden hives and one vomit",
        days_of_age: (5 * YEAR, 95 * YEAR),
        present: &["s_urticarial_rash", "s_vomiting", "s_symptom_onset_sudden"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "sight grey for seconds in pregnancy",
        state: Some(State::Pregnant),
        present: &["s_brief_blackouts_of_vision"],
        level: TriageLevel::Urgent,
        ..WOMAN
    },
    Sign {
        says: "a month of pain in the pit of the stomach",
        days_of_age: (50 * YEAR + 13, 95 * YEAR),
        present: &["s_epigastric_pain"],
        lasts: Some(("s_epigastric_pain", 30)),
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
    Sign {
        says: "a noisy nose",
        days_of_age: (60, 95 * YEAR),
        present: &["s_noisy_breathing"],
        level: TriageLevel::Urgent,
        ..ANYBODY
    },
];

#[test]
fn harmless_signs_stay_below_their_level() {
    let base = base();
    let mut wrong = Vec::new();
    for sign in HARMLESS {
        let (from, below) = sign.days_of_age;
        let last = below - 1;
        let step = ((last - from) / 10).max(1);
        for days in (from..=last).step_by(step as usize).chain([last]) {
            let (level, effects) = answer(&base, sign, Age::from_days(days));
            let isolates = effects.iter().any(|effect| effect.isolate);
            if level.is_some_and(|level| level > sign.level) || isolates {
                wrong.push(format!(
                    "{} at {days} days: {level:?}, kept apart: {isolates}",
                    sign.says
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
