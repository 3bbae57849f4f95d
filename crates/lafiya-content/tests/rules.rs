//! Danger rules: what they order must suit everybody in whom they fire, and they do not fire in
//! well people.
//!
//! Each test looks for a pattern in every rule, so that a new rule cannot bring an old mistake
//! back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lafiya_knowledge::load::{parse, read_dir};
use lafiya_knowledge::schema::Condition;
use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, Facts, KnowledgeBase, Person, PlainFacts, Rule};
use lafiya_model::{Age, Sex};

use self::common::{base, has_any};

mod common;

/// What a rule tells people to do, in sentences and in lower case.
fn sentences(rule: &Rule) -> Vec<String> {
    let effect = &rule.text.effect;
    let texts = [Some(&effect.action), effect.in_emergency.as_ref()];
    let texts = texts.into_iter().flatten().map(|text| text.to_lowercase());
    texts
        .flat_map(|text| text.split(". ").map(str::to_owned).collect::<Vec<String>>())
        .collect()
}

fn words(sentence: &str) -> BTreeSet<&str> {
    let letters = |symbol: char| !symbol.is_alphabetic();
    sentence
        .split(letters)
        .filter(|word| !word.is_empty())
        .collect()
}

/// Everything is present, apart from what a test leaves out; nothing is measured.
struct EverythingBut {
    left_out: BTreeSet<ConceptRef>,
    person: Person,
}

impl EverythingBut {
    fn has(&self, concept: ConceptRef) -> bool {
        !self.left_out.contains(&concept)
    }
}

impl Facts for EverythingBut {
    fn age(&self) -> Age {
        self.person.age
    }

    fn sex(&self) -> Sex {
        self.person.sex
    }

    fn is_in(&self, _: State) -> bool {
        true
    }

    fn is_present(&self, concept: ConceptRef) -> bool {
        self.has(concept)
    }

    fn is_severe(&self, concept: ConceptRef) -> bool {
        self.has(concept)
    }

    fn value(&self, _: ConceptRef) -> Option<f64> {
        None
    }

    fn days(&self, concept: ConceptRef) -> Option<u32> {
        self.has(concept).then_some(1)
    }

    fn is_told(&self, concept: ConceptRef) -> bool {
        self.has(concept)
    }
}

/// One person of many ages and both sexes.
fn people() -> impl Iterator<Item = Person> {
    let days = [0, 1, 3, 6, 7, 10, 28, 29, 45, 61, 90, 183, 300].map(Age::from_days);
    let years = (1..18).chain((20..95).step_by(5)).map(Age::from_years);
    let ages = days.into_iter().chain(years);
    ages.flat_map(|age| {
        [Sex::Female, Sex::Male].map(|sex| Person {
            age,
            sex,
            state: None,
        })
    })
}

#[test]
fn nobody_whose_breathing_is_hard_is_told_to_lie_down() {
    let mut wrong = Vec::new();
    for rule in base().rules() {
        for sentence in sentences(rule) {
            // Two that order no posture: a measurement, and how the baby lies.
            let sentence = sentence.replace("pressure lying and standing", "");
            let sentence = sentence.replace("not lying head down", "");
            let turned = sentence.replace("on the left side", "on the side");
            let on_side = turned.replace("on the side", "");
            let of = words(&sentence);
            let lies = ["lie", "lying", "lay", "laid", "supine", "flat"];
            let legs = of.contains("legs")
                && ["raised", "raise", "up"]
                    .iter()
                    .any(|posture| of.contains(posture));
            if !legs && !lies.iter().any(|posture| of.contains(posture)) {
                continue;
            }
            let only_on_side = turned.contains("on the side")
                && !legs
                && !has_any(&on_side, &["flat", "down", "back", "supine"]);
            let excepts_hard_breathing = has_any(
                &sentence,
                &[
                    "if breathing is hard",
                    "easier for breathing",
                    "do not lie down",
                ],
            );
            let for_drowsy = only_on_side && has_any(&sentence, &["drowsy", "awake"]);
            if !excepts_hard_breathing && !for_drowsy {
                wrong.push(format!("{}: {sentence}", rule.text.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn aspirin_is_ordered_only_with_all_that_forbids_it() {
    let must_name = [
        "fever now or in the last two weeks",
        "yellow",
        "bleeding",
        "black stool",
        "stomach ulcer",
        "a bleeding disease",
        "a blood thinner such as warfarin",
        "tearing pain",
        "weakness of one side",
        "injury",
        "dengue",
        "allergy",
        "adult",
    ];
    let base = base();
    let orders = |sentence: &str| {
        let gives = has_any(sentence, &["300", "chew"]);
        let takes = sentence.contains("take one") && !sentence.contains("no aspirin");
        sentence.contains("aspirin") && (gives || takes)
    };
    let mut wrong = Vec::new();
    for rule in base.rules() {
        let sentences = sentences(rule);
        let ordering = sentences.iter().filter(|sentence| orders(sentence));
        for sentence in ordering {
            wrong.extend(lacks(&rule.text.id, sentence, &must_name));
            let child = people()
                .filter(|person| person.age < Age::from_years(16))
                .find(|person| {
                    rule.when.holds(&EverythingBut {
                        left_out: BTreeSet::new(),
                        person: *person,
                    })
                });
            if let Some(person) = child {
                wrong.push(format!("{}: aspirin at {:?}", rule.text.id, person.age));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns what is wrong with an order that does not name everything that forbids it.
fn lacks(id: &str, order: &str, must_name: &[&str]) -> Option<String> {
    let missing = must_name.iter().filter(|needed| !order.contains(**needed));
    let missing: Vec<&&str> = missing.collect();
    (!missing.is_empty()).then(|| format!("{id}: {order} lacks {missing:?}"))
}

/// Every condition as its file says.
fn conditions() -> Vec<Condition> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../knowledge");
    parse(read_dir(&directory).expect("knowledge/ can be read"))
        .content
        .conditions
}

/// What a condition tells people to do at once, before referral, at home or when it gets worse.
fn orders(condition: &Condition) -> impl Iterator<Item = String> {
    let treatment = &condition.treatment;
    let before_referral = condition
        .referral
        .iter()
        .flat_map(|referral| &referral.pre_referral_actions);
    let now = treatment.immediate_actions.iter();
    let now = now.chain(&treatment.supportive_care).chain(before_referral);
    let now = now.map(|line| line.to_lowercase());
    let at_home = condition.education.home_care.iter();
    let when_worse = condition
        .watch_for
        .iter()
        .map(|sign| sign.action.to_lowercase());
    now.chain(at_home.map(|line| line.to_lowercase()))
        .chain(when_worse)
}

#[test]
fn no_condition_lays_flat_whose_breathing_is_hard() {
    // Stable patients who lie for a manoeuvre or for comfort, and a patient whose heart stands
    // still.
    let lie_for_another_reason = [
        "c_acute_angle_closure_glaucoma",
        "c_cardiac_arrest",
        "c_erythema_nodosum",
        "c_post_dural_puncture_headache",
        "c_supraventricular_tachycardia",
        "c_varicose_veins",
        "c_venous_ulcer",
        "c_ankylosing_spondylitis",
        "c_inguinal_hernia",
        "c_umbilical_hernia",
        "c_incisional_hernia",
        "c_pelvic_organ_prolapse",
        "c_varicocele",
        "c_migraine",
        "c_meniere_disease",
        "c_motion_sickness",
    ];
    let flat = [
        "lie flat",
        "lay flat",
        "lying flat",
        "her flat",
        "patient flat",
        "keep flat",
        "lie down",
        "lay down",
        "lying down",
        "laid",
        "patient down",
        "lie still",
        "lie with",
        "legs up",
        "legs raised",
    ];
    let mut wrong = Vec::new();
    for condition in conditions() {
        if lie_for_another_reason.contains(&condition.id.as_str()) {
            continue;
        }
        for line in orders(&condition) {
            let excepts = [
                "breathing is hard",
                "as breathing allows",
                "do not lie flat",
                "do not lay flat",
                "do not lie down",
                "lying down, on the side",
                "never force lying down",
                "sit or lie down",
                "with the head raised",
                "lie with the bleeding side down",
                "lie with the bad side up",
            ];
            if has_any(&line, &flat) && !has_any(&line, &excepts) {
                wrong.push(format!("{}: {line}", condition.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_condition_orders_aspirin_for_a_heart_attack_without_what_forbids_it() {
    let must_name = [
        "fever now or in the last two weeks",
        "yellow",
        "bleeding",
        "black stool",
        "stomach ulcer",
        "blood thinner",
        "warfarin",
        "tearing pain",
        "weakness of one side",
        "injury",
        "allergy",
    ];
    let mut wrong = Vec::new();
    for condition in conditions() {
        for line in orders(&condition) {
            let orders = line.contains("aspirin") && has_any(&line, &["300 mg", "chew"]);
            if orders {
                wrong.extend(lacks(&condition.id, &line, &must_name));
            }
        }
        let treatment = &condition.treatment;
        let medicines = [&treatment.first_line, &treatment.alternative];
        for text in medicines
            .into_iter()
            .flatten()
            .map(|line| line.text.to_lowercase())
        {
            let excludes = has_any(
                &text,
                &[
                    "bleeding is excluded",
                    "ruled out bleeding",
                    "bleeding has been ruled out",
                ],
            );
            let mut avoided = treatment.avoid.iter().map(|line| line.text.to_lowercase());
            let warned = avoided.any(|line| {
                line.contains("aspirin") && has_any(&line, &["bleeding", "anticoagulant"])
            });
            if has_any(&text, &["aspirin 300 mg", "aspirin 150 to 300 mg"]) && !excludes && !warned
            {
                wrong.push(format!("{}: {text}", condition.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_must_keep_apart_is_not_sent_among_people() {
    let mut wrong = Vec::new();
    for rule in base()
        .rules()
        .iter()
        .filter(|rule| rule.text.effect.isolate)
    {
        let text = rule.text.effect.action.to_lowercase();
        let apart = [
            "apart",
            "mask",
            "gloves",
            "phone ahead",
            "before you enter",
            "before entering",
            "away",
            "at a distance",
        ];
        if !has_any(&text, &apart) {
            wrong.push(format!("{}: no word on keeping apart", rule.text.id));
        }
        if has_any(&text, &["taxi", "motorcycle", "never alone", "along"]) {
            wrong.push(format!("{}: {text}", rule.text.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A well person: nothing is wrong, and every measured value lies where the base calls it normal.
struct Well<'a> {
    base: &'a KnowledgeBase,
    person: Person,
    risks: Vec<ConceptRef>,
    weeks: Option<f64>,
}

/// The lower end, the middle or the upper end of a normal range.
const PLACES: [f64; 3] = [0.0, 0.5, 1.0];

impl Well<'_> {
    fn concept(&self, id: &str) -> ConceptRef {
        self.base
            .resolve(id)
            .unwrap_or_else(|| panic!("{id} does not exist"))
    }

    /// With the middle of every normal range, apart from the places given.
    fn facts(&self, places: &[(&str, f64)]) -> PlainFacts {
        let mut facts = PlainFacts::new(self.base, self.person);
        for risk in &self.risks {
            facts.add(self.base, *risk);
        }
        for measure in self.base.measures() {
            let Some([low, high]) = measure.quantity.normal_at(self.person.age) else {
                continue;
            };
            let id = measure.text.id.as_str();
            // Full scores and what only the unborn have.
            let place = match id {
                "s_glasgow_coma_score" => 1.0,
                "s_pain_score" | "s_capillary_refill_time" => 0.0,
                "s_fetal_heart_rate" if self.weeks.is_none() => continue,
                _ => 0.5,
            };
            let place = places
                .iter()
                .find(|(named, _)| *named == id)
                .map_or(place, |(_, added)| *added);
            let value = low + (high - low) * place;
            facts.measure(self.base, self.concept(id), value);
        }
        if let Some(weeks) = self.weeks {
            facts.measure(self.base, self.concept("s_gestational_age_weeks"), weeks);
        }
        facts
    }

    /// Normal values in all their combinations, of the five vital signs.
    fn each(&self, mut check: impl FnMut(&PlainFacts, &str)) {
        for pulse in PLACES {
            for pressure in PLACES {
                for breaths in PLACES {
                    for (temperature, oxygen) in [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)] {
                        let places = [
                            ("s_heart_rate", pulse),
                            ("s_systolic_blood_pressure", pressure),
                            ("s_diastolic_blood_pressure", pressure),
                            ("s_respiratory_rate", breaths),
                            ("s_body_temperature", temperature),
                            ("s_oxygen_saturation", oxygen),
                        ];
                        let said = format!(
                            "{:?} {:?} {:?} week {:?}, {places:?}",
                            self.person.age, self.person.sex, self.person.state, self.weeks
                        );
                        check(&self.facts(&places), &said);
                    }
                }
            }
        }
    }
}

/// Well people of all ages, both sexes, and women in each part of pregnancy and after birth.
fn well_people(base: &KnowledgeBase) -> Vec<Well<'_>> {
    let mut all: Vec<Well<'_>> = people()
        .map(|person| Well {
            base,
            person,
            risks: Vec::new(),
            weeks: None,
        })
        .collect();
    let states = [
        (State::Pregnant, "p_first_trimester", Some(9.0)),
        (State::Pregnant, "p_second_trimester", Some(20.0)),
        (State::Pregnant, "p_third_trimester", Some(30.0)),
        (State::Pregnant, "p_third_trimester", Some(39.0)),
        (State::Postpartum, "p_postpartum_within_6_weeks", None),
    ];
    for years in [14, 17, 20, 30, 40, 48] {
        for (state, risk, weeks) in states {
            all.push(Well {
                base,
                person: Person {
                    age: Age::from_years(years),
                    sex: Sex::Female,
                    state: Some(state),
                },
                risks: base.resolve(risk).into_iter().collect(),
                weeks,
            });
        }
    }
    all
}

#[test]
fn normal_ranges_hold_typical_values_and_no_dangerous_ones() {
    // Years of age, then typical (PALS, adult textbooks) and dangerous values, which are not taken
    // from the base.
    let table: [(&str, u32, f64, [f64; 2]); 17] = [
        ("s_heart_rate", 0, 140.0, [70.0, 215.0]),
        ("s_heart_rate", 2, 110.0, [55.0, 190.0]),
        ("s_heart_rate", 8, 90.0, [45.0, 165.0]),
        ("s_heart_rate", 30, 75.0, [35.0, 135.0]),
        ("s_heart_rate", 75, 75.0, [35.0, 135.0]),
        ("s_respiratory_rate", 0, 42.0, [15.0, 75.0]),
        ("s_respiratory_rate", 2, 28.0, [10.0, 55.0]),
        ("s_respiratory_rate", 8, 20.0, [8.0, 45.0]),
        ("s_respiratory_rate", 30, 16.0, [6.0, 32.0]),
        ("s_systolic_blood_pressure", 2, 92.0, [60.0, 135.0]),
        ("s_systolic_blood_pressure", 8, 102.0, [70.0, 145.0]),
        ("s_systolic_blood_pressure", 30, 118.0, [80.0, 185.0]),
        ("s_systolic_blood_pressure", 75, 125.0, [80.0, 200.0]),
        ("s_body_temperature", 2, 36.9, [34.5, 39.5]),
        ("s_body_temperature", 30, 36.8, [34.5, 39.5]),
        ("s_oxygen_saturation", 2, 98.0, [85.0, 88.0]),
        ("s_oxygen_saturation", 30, 98.0, [85.0, 88.0]),
    ];
    let base = base();
    let mut wrong = Vec::new();
    for (id, years, typical, dangerous) in table {
        let measure = base.measures().iter().find(|measure| measure.text.id == id);
        let range = measure.and_then(|measure| measure.quantity.normal_at(Age::from_years(years)));
        let Some([low, high]) = range else {
            wrong.push(format!("{id} at {years}: no range"));
            continue;
        };
        let normal = low..=high;
        if !normal.contains(&typical) || dangerous.iter().any(|value| normal.contains(value)) {
            wrong.push(format!("{id} at {years}: {low} to {high}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_fires_in_well_people() {
    // The limits of these lie a little within the normal range of children, so that a birthday does
    // not move a value by two levels. They order a second measurement first.
    let again = ["RF-CIRC-43", "RF-CIRC-46", "RF-CIRC-47"];
    let base = base();
    for rule in base
        .rules()
        .iter()
        .filter(|rule| again.contains(&rule.text.id.as_str()))
    {
        let action = rule.text.effect.action.to_lowercase();
        assert!(
            has_any(&action, &["measure again", "measured again"]),
            "{}",
            rule.text.id
        );
    }
    let mut fired = BTreeMap::new();
    for well in well_people(&base) {
        well.each(|facts, said| {
            let rules = base.rules().iter().filter(|rule| rule.when.holds(facts));
            for rule in rules.filter(|rule| !again.contains(&rule.text.id.as_str())) {
                fired
                    .entry(rule.text.id.to_string())
                    .or_insert_with(|| said.to_owned());
            }
        });
    }
    assert!(fired.is_empty(), "{fired:#?}");
}

#[test]
fn no_rule_fires_for_one_fact_about_a_well_persons_life() {
    // What calls for care by itself: something that happened, or an old wound.
    let alone = [
        "p_needle_stick_or_blood_exposure",
        "p_dog_bite_exposure_recent",
        "p_sharp_rusty_object_injury",
    ];
    let base = base();
    let mut fired = BTreeSet::new();
    for person in people() {
        for risk in base.risk_indices().map(ConceptRef::Risk) {
            let id = base.id_of(risk);
            if alone.contains(&id) || !base.fits(risk, person.age, person.sex) {
                continue;
            }
            let mut facts = PlainFacts::new(&base, person);
            facts.add(&base, risk);
            for rule in base.rules().iter().filter(|rule| rule.when.holds(&facts)) {
                fired.insert(format!("{} for {id}", rule.text.id));
            }
        }
    }
    assert!(fired.is_empty(), "{fired:#?}");
}
