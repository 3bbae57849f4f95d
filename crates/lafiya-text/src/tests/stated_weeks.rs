//! Weeks and months that a text states in further ways, times that are none of a pregnancy, and
//! durations that cannot be right.

use lafiya_knowledge::ConceptRef;
use lafiya_model::{Age, Choice, Sex};

use super::REAL;
use crate::{Mention, ParseContext, Parsed};

const TRIMESTERS: [&str; 3] = [
    "p_first_trimester",
    "p_second_trimester",
    "p_third_trimester",
];

fn woman() -> ParseContext {
    ParseContext {
        age: Some(Age::from_years(26)),
        sex: Some(Sex::Female),
        ..ParseContext::default()
    }
}

fn read(text: &str) -> Parsed {
    REAL.parser.parse(&REAL.base, text, &woman())
}

fn find<'p>(parsed: &'p Parsed, id: &str) -> Option<&'p Mention> {
    let mut mentions = parsed.mentions.iter();
    mentions.find(|mention| REAL.base.id_of(mention.concept) == id)
}

fn stages(parsed: &Parsed, choice: Choice) -> Vec<&'static str> {
    let is = |id: &&str| find(parsed, id).is_some_and(|mention| mention.choice == choice);
    TRIMESTERS.into_iter().filter(is).collect()
}

fn trimester(months: u32) -> &'static str {
    match months {
        0..=2 => TRIMESTERS[0],
        3..=6 => TRIMESTERS[1],
        _ => TRIMESTERS[2],
    }
}

#[test]
fn a_month_told_by_its_number_is_that_of_the_pregnancy() {
    const ORDINALS: [&str; 5] = ["fifth", "sixth", "seventh", "eighth", "ninth"];
    let mut wrong = Vec::new();
    for month in 5..=9 {
        let word = ORDINALS[month as usize - 5];
        for written in [
            format!("{month}th month"),
            format!("{word} month"),
            format!("month {month}"),
        ] {
            for template in [
                "in her T of pregnancy with headache",
                "pregnant, T, headache",
                "pregnant, in the T, headache",
                "headache, pregnant in her T",
                "headache. Pregnant, T.",
                "G2P1, T, headache",
            ] {
                let text = template.replace('T', &written);
                let parsed = read(&text);
                let headache = find(&parsed, "s_headache");
                let lasting = headache.and_then(|headache| headache.duration_days);
                if stages(&parsed, Choice::Present) != [trimester(month)] || lasting.is_some() {
                    wrong.push(text);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn late_weeks_in_clinic_and_other_languages_are_third_trimester() {
    for text in [
        "G1P0 38+2, leaking liquor since morning",
        "G3P2, 34+5, headache",
        "ANC visit, 36+0, swollen face",
        "grossesse de 32 SA, oedeme du visage",
        "enceinte, 35 SA, maux de tete",
        "enceinte au septième mois, maux de tete",
        "grossesse, 8e mois, maux de tete",
        "ana mimba, mwezi wa 8, kichwa kinauma",
        "mjamzito mwezi wa nane, kichwa kinauma",
        "tana da juna biyu wata bakwai, ciwon kai",
        "mai juna biyu wata takwas, ciwon kai",
        "mai ciki wata 8, ciwon kai",
        "week 34 of pregnancy, headache",
        "pregnant, wk 34, headache",
        "pregnant, 34th week, headache",
        "pregnancy 3rd trimester, headache",
        "in her 3rd trimester, headache",
    ] {
        let parsed = read(text);
        assert_eq!(stages(&parsed, Choice::Present), TRIMESTERS[2..], "{text}");
    }
}

#[test]
fn weeks_of_something_else_are_not_those_of_the_pregnancy() {
    for text in [
        "MMSE 24/40, headache",
        "scored 12/40, headache",
        "headache, EPDS score 20/40",
        "BP 43/40, weak pulse",
        "vision 6/40, headache",
        "pregnant, in the second week of malaria treatment, headache",
        "baby of 6 weeks, mother pregnant again, headache",
        "baby is 9 weeks, pregnant again, headache",
        "infant aged 5 weeks, mother pregnant, headache",
        "lost pregnancy at 5 months last year, now headache",
        "previous pregnancy ended at 30 weeks, headache",
        "stillbirth at 32 weeks in 2019, headache",
        "pregnant, cough for 3 weeks",
        "delivered 6 weeks ago, headache",
        "bleeding 2 weeks after abortion",
        "period late by 8 weeks, headache",
    ] {
        let parsed = read(text);
        assert_eq!(stages(&parsed, Choice::Present), [""; 0], "{text}");
        let headache = find(&parsed, "s_headache");
        assert_eq!(
            headache.and_then(|mention| mention.duration_days),
            None,
            "{text}"
        );
    }
}

#[test]
fn a_point_in_time_that_may_be_of_a_pregnancy_is_asked() {
    for text in [
        "headache at 36 weeks",
        "7th month, headache",
        "she is in the eighth month, headache",
        "headache for 34 weeks, pregnant",
        "headache since 28 weeks, pregnant",
    ] {
        let parsed = read(text);
        assert_eq!(stages(&parsed, Choice::Unknown).len(), 1, "{text}");
        let headache = find(&parsed, "s_headache");
        let lasting = headache.map(|headache| headache.duration_days);
        assert_eq!((lasting, parsed.obvious), (Some(None), false), "{text}");
    }
}

#[test]
fn bleeding_beside_a_lost_pregnancy_is_not_lost() {
    for text in [
        "bleeding 2 weeks after abortion",
        "miscarriage at 12 weeks, bleeding for 2 days",
        "she miscarried last week, bleeding",
    ] {
        let parsed = read(text);
        let bleeding = parsed.mentions.iter().any(|mention| {
            let id = REAL.base.id_of(mention.concept);
            mention.concept.finding().is_some() && id.contains("bleeding")
        });
        assert!(bleeding, "{text}");
    }
}

#[test]
fn a_time_of_another_event_is_not_that_of_a_finding() {
    for event in ["implant", "journey", "visit to the village", "wedding"] {
        for time in ["16 weeks ago", "3 months ago", "10 days ago"] {
            let text = format!("{event} {time}, headache");
            let parsed = read(&text);
            let headache = find(&parsed, "s_headache").map(|headache| headache.duration_days);
            assert_eq!(headache, Some(None), "{text}");
        }
    }
    let parsed = read("10 days ago, headache");
    let headache = find(&parsed, "s_headache").and_then(|mention| mention.duration_days);
    assert_eq!(headache, Some(10));
}

/// Texts whose one finding is written with its name, with a duration.
fn lasting(name: &str, days: u32, context: &ParseContext) -> Parsed {
    let text = format!("{name} for {days} days");
    REAL.parser.parse(&REAL.base, &text, context)
}

#[test]
fn a_duration_that_cannot_be_right_is_asked_for_every_finding() {
    let base = &REAL.base;
    let (mut acute, mut wrong) = (0, Vec::new());
    for ix in base.finding_indices() {
        let finding = base.finding(ix);
        let context = ParseContext {
            age: Some(Age::from_years(30)),
            ..ParseContext::default()
        };
        let name = finding.text.name.to_string();
        let plain = lasting(&name, 1, &context);
        let of = |parsed: &Parsed| {
            let mut mentions = parsed.mentions.iter();
            let mention = mentions.find(|mention| mention.concept == ConceptRef::Finding(ix));
            mention.and_then(|mention| mention.duration_days)
        };
        // A name may hold a time of its own, or mean another finding.
        if of(&plain) != Some(1) {
            continue;
        }
        let life = lasting(&name, 12_000, &context);
        if of(&life).is_some() || life.obvious {
            wrong.push(format!("{name}: longer than the life"));
        }
        if let Some(longest) = base.longest_acute_days(ix) {
            acute += 1;
            let long = lasting(&name, longest + 1, &context);
            if of(&long).is_some() || long.obvious {
                wrong.push(format!("{name}: {} days", longest + 1));
            }
            let short = lasting(&name, longest.max(1), &context);
            if of(&short) != Some(longest.max(1)) {
                wrong.push(format!("{name}: {longest} days are possible"));
            }
        }
    }
    assert!(acute > 20, "only {acute} findings");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_duration_equal_to_the_stated_gestation_is_asked() {
    for weeks in [8, 20, 34, 38] {
        for template in [
            "G2P1 at T, headache for T",
            "T pregnant, headache for T",
            "headache for T, T pregnant",
        ] {
            let text = template.replace('T', &format!("{weeks} weeks"));
            let parsed = read(&text);
            let headache = find(&parsed, "s_headache").map(|mention| mention.duration_days);
            assert_eq!((headache, parsed.obvious), (Some(None), false), "{text}");
        }
    }
}

#[test]
fn a_year_is_past_by_the_date_of_the_text() {
    let of_year = |year: i16, written: Option<i16>| {
        let context = ParseContext {
            evaluated_at: written.map(|year| jiff::civil::date(year, 6, 1)),
            ..woman()
        };
        let text = format!("In {year} he had a seizure, cough");
        let parsed = REAL.parser.parse(&REAL.base, &text, &context);
        find(&parsed, "s_cough").is_some() && parsed.mentions.len() == 1
    };
    for written in [2024, 2026, 2031, 2050] {
        for before in [1, 2, 4, 20] {
            assert!(of_year(written - before, Some(written)), "{written}");
        }
        // The current year may be today, and no text tells of a later one.
        assert!(!of_year(written, Some(written)), "{written}");
        assert!(!of_year(written + 1, Some(written)), "{written}");
    }
    // Without a date of writing, the text is not older than the knowledge base.
    let released: jiff::civil::Date = REAL.base.version().date.parse().unwrap();
    assert!(of_year(released.year() - 1, None));
    assert!(!of_year(released.year(), None));
}

#[test]
fn an_aim_of_a_test_is_known_by_phrases_of_any_length() {
    for lead in [
        "was tested for",
        "rapid test for",
        "tested again for",
        "tested for",
        "gwajin",
    ] {
        let text = format!("headache, {lead} HIV");
        let parsed = read(&text);
        assert!(find(&parsed, "p_hiv_infection_known").is_none(), "{text}");
        assert!(find(&parsed, "s_headache").is_some(), "{text}");
    }
}
