//! Weeks and months of a pregnancy in every word order, beside the durations of symptoms in
//! pregnant women: generated from templates, so that no single sentence is what the reader was made
//! for.

use lafiya_model::{Age, Choice, Sex};

use super::REAL;
use crate::{Mention, ParseContext};

fn woman() -> ParseContext {
    ParseContext {
        age: Some(Age::from_years(26)),
        sex: Some(Sex::Female),
        ..ParseContext::default()
    }
}

fn read(text: &str, context: &ParseContext) -> Vec<Mention> {
    REAL.parser.parse(&REAL.base, text, context).mentions
}

fn has(mentions: &[Mention], id: &str) -> bool {
    mentions
        .iter()
        .any(|mention| mention.choice == Choice::Present && REAL.base.id_of(mention.concept) == id)
}

const TRIMESTERS: [&str; 3] = [
    "p_first_trimester",
    "p_second_trimester",
    "p_third_trimester",
];

/// The trimester as the knowledge base parts them.
fn trimester(weeks: u32) -> &'static str {
    match weeks {
        0..13 => TRIMESTERS[0],
        13..28 => TRIMESTERS[1],
        _ => TRIMESTERS[2],
    }
}

/// Findings as a nurse names them, that no week of a pregnancy turns into another finding.
const FINDINGS: [&str; 6] = [
    "headache",
    "headache and swollen face",
    "cough",
    "fever and vomiting",
    "dizziness",
    "palpitations",
];

/// A pregnancy with its time `T` and findings `F`, in the orders of notes and of speech.
const TOLD: [&str; 46] = [
    "T pregnant with F",
    "T pregnant, F",
    "T pregnant woman with F",
    "a T pregnant woman presents with F",
    "pregnant T with F",
    "pregnant T, F",
    "pregnant woman T with F",
    "pregnant woman, T, with F",
    "pregnant woman, T, F",
    "pregnant woman (T) with F",
    "pregnant woman of T with F",
    "pregnant woman at T with F",
    "pregnant lady, now T, has F",
    "pregnant - T - F",
    "she is pregnant (T) and has F",
    "she is pregnant T and she has F",
    "she is pregnant, about T, and has F",
    "F in a pregnant woman, T",
    "F, pregnant T",
    "F, T pregnant",
    "F. Pregnant, T.",
    "F; T pregnant",
    "woman T pregnant, c/o F",
    "pregnancy of T, F",
    "pregnancy T, F",
    "pregnancy: T. F",
    "with a pregnancy of T and F",
    "carrying a pregnancy of about T, complains of F",
    "T pregnancy with F",
    "T of pregnancy, F",
    "T gestation with F",
    "T of gestation, F",
    "at T gestation: F",
    "F at T of gestation",
    "gestational age T, F",
    "gestational age of T with F",
    "GA T, F",
    "GA: T, F",
    "EGA T. F",
    "G2P1, T, F",
    "G2P1 at T with F",
    "G3P2 T, F",
    "primigravida at T with F",
    "T, antenatal visit, F",
    "antenatal visit at T, F",
    "ANC, T, F",
];

/// Weeks as they are written.
const WEEKS: [&str; 6] = ["N weeks", "N wks", "Nw", "Nwks", "N week", "N/40"];

fn written(units: &[&str], number: u32) -> Vec<String> {
    let number = number.to_string();
    units
        .iter()
        .map(|unit| unit.replacen('N', &number, 1))
        .collect()
}

/// What is wrong with how a text of a pregnancy is read.
fn problem(text: &str, context: &ParseContext, expected: &str) -> Option<String> {
    let mentions = read(text, context);
    let got: Vec<&str> = TRIMESTERS
        .into_iter()
        .filter(|trimester| has(&mentions, trimester))
        .collect();
    let lasting = mentions
        .iter()
        .find(|mention| mention.duration_days.is_some());
    if got == [expected] && lasting.is_none() {
        return None;
    }
    let days = lasting.and_then(|lasting| lasting.duration_days);
    Some(format!("{text}: {got:?}, {days:?} days"))
}

#[track_caller]
fn none(problems: &[String], of: usize) {
    let shown = &problems[..problems.len().min(40)];
    assert!(
        problems.is_empty(),
        "{} of {of}:\n{}",
        problems.len(),
        shown.join("\n")
    );
}

#[test]
fn weeks_of_a_pregnancy_are_its_weeks_in_every_order() {
    let (mut problems, mut of) = (Vec::new(), 0);
    for weeks in [6, 9, 12, 13, 20, 27, 28, 31, 34, 38, 41] {
        for (n, time) in written(&WEEKS, weeks).iter().enumerate() {
            for (order, template) in TOLD.iter().enumerate() {
                let finding = FINDINGS[(n + order) % FINDINGS.len()];
                let text = template.replace('T', time).replace('F', finding);
                problems.extend(problem(&text, &woman(), trimester(weeks)));
                of += 1;
            }
        }
    }
    none(&problems, of);
}

#[test]
fn months_of_a_pregnancy_are_its_months_in_every_order() {
    let (mut problems, mut of) = (Vec::new(), 0);
    for months in [2, 4, 5, 7, 8, 9] {
        for (n, time) in written(&["N months", "N mths", "N/12"], months)
            .iter()
            .enumerate()
        {
            for (order, template) in TOLD.iter().enumerate() {
                let finding = FINDINGS[(n + order) % FINDINGS.len()];
                let text = template.replace('T', time).replace('F', finding);
                problems.extend(problem(&text, &woman(), trimester(months * 30 / 7)));
                of += 1;
            }
        }
    }
    none(&problems, of);
}

#[test]
fn many_weeks_are_those_of_the_pregnancy_wherever_they_stand() {
    let mut problems = Vec::new();
    let templates = [
        "pregnant, F, T",
        "pregnant with F, T",
        "F, T, pregnant",
        "F and pregnant, T",
        "pregnant. F. T.",
        "pregnant woman aged 26, T, F",
        "26 years old, pregnant, T, F",
        "pregnant, seen at T with F",
        "F, T, G2P1",
    ];
    for weeks in [16, 24, 28, 34, 39] {
        for (n, template) in templates.iter().enumerate() {
            for time in written(&["N weeks", "N wks", "N/40"], weeks) {
                let text = template
                    .replace('T', &time)
                    .replace('F', FINDINGS[n % FINDINGS.len()]);
                problems.extend(problem(&text, &woman(), trimester(weeks)));
            }
        }
    }
    none(&problems, 9 * 5 * 3);
}

#[test]
fn other_languages_and_further_forms_tell_how_far_a_pregnancy_is() {
    let third = TRIMESTERS[2];
    let texts = [
        "grossesse de 34 semaines avec maux de tête",
        "34 semaines de grossesse, maux de tête",
        "femme enceinte, 34 semaines, maux de tête",
        "enceinte depuis 8 mois, maux de tête",
        "mjamzito wiki 34, kichwa kinauma",
        "mama mjamzito wa miezi 8 anaumwa kichwa",
        "mai ciki wata 8 ciwon kai",
        "grávida de 34 semanas com dor de cabeça",
        "gravidez de 8 meses, dor de cabeça",
        "belle don reach 8 months, head dey pain am",
        "she get belle for 8 months, head dey pain am",
        "8 months gone, headache",
        "a 34-week pregnant woman with headache",
        "34 weeks' gestation with headache",
        "34 weeks and 2 days pregnant with headache",
        "34w2d pregnant, headache",
        "pregnant woman, 34+2 weeks, headache",
        "expecting, 34 weeks, headache",
        "thirty four weeks, pregnant woman with headache",
        "pregnant woman, 34 to 36 weeks, headache",
        "GA 34, headache",
        "GA: 34, headache",
        "gestational age 34, headache",
        "pregnant since 8 months, headache",
    ];
    let problems: Vec<String> = texts
        .iter()
        .filter_map(|text| problem(text, &woman(), third))
        .collect();
    none(&problems, texts.len());
}

#[test]
fn what_a_symptom_has_lasted_stays_so_in_a_pregnant_woman() {
    let templates = [
        "pregnant, F for T",
        "pregnant woman with F for T",
        "pregnant, F T",
        "pregnant with F T",
        "F for T, pregnant",
        "F for T in a pregnant woman",
        "pregnant, F since T",
        "pregnant, T history of F",
        "pregnant woman with T history of F",
        "pregnant, T of F",
        "pregnant with T of F",
        "G2P1, F for T",
        "antenatal visit, F x T",
        "pregnant, for the past T F",
        "34 weeks pregnant, F for T",
        "34 weeks pregnant with F T",
        "pregnant, 34 weeks, F for T",
        "pregnant woman 7 months, F since T",
        "F for T. Pregnant, 34 weeks.",
    ];
    let (mut problems, mut of) = (Vec::new(), 0);
    for (time, days) in [
        ("2 days", 2),
        ("3/7", 3),
        ("5 days", 5),
        ("1 week", 7),
        ("2 weeks", 14),
        ("3 weeks", 21),
        ("6 weeks", 42),
        ("2/52", 14),
        ("2 months", 60),
    ] {
        for template in templates {
            for finding in ["headache", "dizziness", "palpitations", "itching"] {
                let text = template.replace('T', time).replace('F', finding);
                let mentions = read(&text, &woman());
                let lasting: Vec<u32> = mentions
                    .iter()
                    .filter_map(|mention| mention.duration_days)
                    .collect();
                let stages = TRIMESTERS
                    .into_iter()
                    .filter(|trimester| has(&mentions, trimester));
                let expected = text.contains("34") || text.contains("7 months");
                let stages = stages.eq(TRIMESTERS[2..].iter().copied().filter(|_| expected));
                of += 1;
                if lasting != [days] || !stages {
                    problems.push(format!("{text}: {lasting:?}"));
                }
            }
        }
    }
    none(&problems, of);
}

#[test]
fn weeks_that_may_be_either_are_neither() {
    for text in [
        "pregnant, vomiting, 8 weeks",
        "pregnant, headache, 7 months",
        "34 weeks, headache and swollen face",
        "headache, 34 weeks",
    ] {
        let parsed = REAL.parser.parse(&REAL.base, text, &woman());
        assert!(!parsed.obvious, "{text}");
        let lasting = parsed
            .mentions
            .iter()
            .find_map(|mention| mention.duration_days);
        assert_eq!(lasting, None, "{text}");
        let asked = parsed.mentions.iter().any(|mention| {
            mention.choice == Choice::Unknown
                && TRIMESTERS.contains(&REAL.base.id_of(mention.concept))
        });
        assert!(asked, "{text}");
    }
}

#[test]
fn other_weeks_are_no_gestation() {
    for text in [
        "delivered 3 weeks ago, headache",
        "delivered her baby 5 weeks ago, headache",
        "2 weeks postpartum, headache",
        "6 weeks post delivery, headache",
        "G2P2, 6 weeks postpartum, headache",
        "5 weeks after caesarean section, headache",
        "headache, gave birth 4 weeks ago",
        "not pregnant, 6 weeks of headache",
        "not pregnant, headache for 6 weeks",
        "pregnancy test negative, headache 6 weeks",
        "pregnant, headache every 6 weeks",
        "pregnant, due in 5 weeks, headache",
        "pregnant, review in 6 weeks, headache",
        "she miscarried 6 weeks ago, headache",
    ] {
        let mentions = read(text, &woman());
        let stage = TRIMESTERS
            .into_iter()
            .find(|trimester| has(&mentions, trimester));
        assert_eq!(stage, None, "{text}");
    }
    let man = ParseContext {
        sex: Some(Sex::Male),
        ..woman()
    };
    let of_a_man = read("wife is pregnant 34 weeks, I have cough for 3 weeks", &man);
    assert!(
        !of_a_man
            .iter()
            .any(|mention| mention.duration_days == Some(238))
    );
    let baby = ParseContext {
        age: Some(Age::from_days(9)),
        sex: Some(Sex::Female),
        ..ParseContext::default()
    };
    let of_a_baby = read("mother G2P1, baby 9 days, fever", &baby);
    assert!(
        !TRIMESTERS
            .into_iter()
            .any(|trimester| has(&of_a_baby, trimester))
    );
}

#[test]
fn a_time_of_an_event_is_not_that_of_a_finding() {
    for text in [
        "delivered 3 weeks ago, headache",
        "2 weeks postpartum, headache",
        "gave birth 10 days ago, now has headache",
        "headache, 2 weeks after operation",
        "headache 3 days after delivery",
        "took amoxicillin for 5 days, headache",
        "treated for 5 days with drugs, headache",
        "headache every 2 weeks",
        "rest for the next 2 weeks, headache",
        "headache, due in 3 weeks",
        "review in 2 weeks, headache",
        "LMP 8 weeks ago, headache",
        "period 6 weeks late, headache",
        "HIV positive for 3 years, headache",
        "known diabetic for 10 years, headache",
    ] {
        let mentions = read(text, &woman());
        let headache = mentions
            .iter()
            .find(|mention| REAL.base.id_of(mention.concept) == "s_headache");
        assert_eq!(
            headache.and_then(|headache| headache.duration_days),
            None,
            "{text}"
        );
        assert!(headache.is_some(), "{text}");
    }
    for text in [
        "6 weeks old with fever",
        "6 week old baby, fever",
        "aged 3 months, fever",
        "infant 6/52, fever",
        "baby of 3 months with fever",
        "fever in a 6 weeks old",
        "3/12 old with fever",
    ] {
        let lasting = read(text, &ParseContext::default());
        assert_eq!(
            lasting.iter().find_map(|mention| mention.duration_days),
            None,
            "{text}"
        );
    }
}
