//! Scores the parser on `evaluation/parse.dev.jsonl`: precision, recall and F1 on findings with the
//! right choice, durations, and findings that must not be present. The minimum scores are only ever
//! raised.

use std::collections::HashSet;

use lafiya_model::{Age, Choice, ConceptKind, Sex};
use serde::Deserialize;

use super::REAL;
use crate::{Mention, ParseContext, SearchOptions, fold};

#[derive(Deserialize)]
struct Utterance {
    id: String,
    text: String,
    mentions: Vec<Expected>,
    must_not_be_present: Vec<String>,
}

#[derive(Deserialize)]
struct Expected {
    finding: String,
    choice: Choice,
    duration_days: Option<u32>,
    severity: Option<lafiya_model::Severity>,
}

#[derive(Default, Debug)]
struct Score {
    right: usize,
    missed: usize,
    extra: usize,
    durations: usize,
    durations_right: usize,
    severities: usize,
    severities_right: usize,
    must_not: usize,
}

impl Score {
    fn f1(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let [right, missed, extra] =
            [self.right, self.missed, self.extra].map(|count| count as f64);
        2.0 * right / (2.0 * right + missed + extra)
    }
}

#[test]
fn the_utterances_reach_the_accepted_score() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../evaluation/parse.dev.jsonl"
    ))
    .unwrap();
    let mut score = Score::default();
    for line in text.lines() {
        judge(&serde_json::from_str(line).unwrap(), &mut score);
    }
    println!("F1 {:.3} {score:?}", score.f1());
    assert!(score.f1() >= 0.90, "F1 {:.3}", score.f1());
    assert!(
        score.durations_right * 10 >= score.durations * 9,
        "{score:?}"
    );
    assert_eq!(score.must_not, 0);
}

fn judge(utterance: &Utterance, score: &mut Score) {
    let mut left = REAL
        .parser
        .parse(&REAL.base, &utterance.text, &ParseContext::default())
        .mentions;
    let all = left.clone();
    let mut good: Vec<Mention> = Vec::new();
    for expected in &utterance.mentions {
        let found = left
            .iter()
            .position(|mention| is_exactly(&expected.finding, mention))
            .or_else(|| {
                left.iter()
                    .position(|mention| is_named(&expected.finding, mention))
            })
            .map(|at| left.remove(at));
        match found {
            Some(it) if it.choice == expected.choice => {
                judge_details(expected, &it, utterance, score);
                good.push(it);
            }
            other => {
                score.missed += 1;
                println!(
                    "{}: missed {:?} {} (got {:?}) in {:?}",
                    utterance.id,
                    expected.finding,
                    expected.choice,
                    other.map(|mention| mention.choice),
                    utterance.text
                );
            }
        }
    }
    score.extra += left.len();
    for extra in &left {
        println!(
            "{}: extra {} {} in {:?}",
            utterance.id,
            REAL.base.id_of(extra.concept),
            extra.choice,
            utterance.text
        );
    }
    for finding in &utterance.must_not_be_present {
        let bad = all.iter().any(|mention| {
            mention.choice == Choice::Present
                && !good.contains(mention)
                && (is_exactly(finding, mention) || is_named(finding, mention))
        });
        if bad {
            score.must_not += 1;
            println!("{}: must not be present: {finding}", utterance.id);
        }
    }
}

fn judge_details(expected: &Expected, mention: &Mention, utterance: &Utterance, score: &mut Score) {
    score.right += 1;
    if let Some(days) = expected.duration_days {
        let slack = if days <= 7 { 1 } else { days / 5 };
        let right = mention
            .duration_days
            .is_some_and(|got| got.abs_diff(days) <= slack);
        score.durations += 1;
        score.durations_right += usize::from(right);
        if !right {
            println!(
                "{}: {} lasts {:?}, not {days}, in {:?}",
                utterance.id, expected.finding, mention.duration_days, utterance.text
            );
        }
    }
    if expected.severity.is_some() {
        score.severities += 1;
        score.severities_right += usize::from(mention.severity == expected.severity);
        if mention.severity != expected.severity {
            println!(
                "{}: {} is {:?} in {:?}",
                utterance.id, expected.finding, mention.severity, utterance.text
            );
        }
    }
}

/// Whether search resolves the finding to the mention's concept, or their names have the same
/// words.
fn is_exactly(finding: &str, mention: &Mention) -> bool {
    resolve(finding) == Some(mention.concept)
        || names(mention).iter().any(|name| *name == words(finding))
}

fn is_named(finding: &str, mention: &Mention) -> bool {
    let wanted = words(finding);
    names(mention).iter().any(|name| wanted.is_subset(name))
}

fn names(mention: &Mention) -> [HashSet<String>; 2] {
    [
        words(REAL.base.name_of(mention.concept)),
        words(REAL.base.common_name_of(mention.concept)),
    ]
}

pub(super) fn resolve(finding: &str) -> Option<lafiya_knowledge::ConceptRef> {
    let options = SearchOptions {
        kinds: Some(&[
            ConceptKind::Symptom,
            ConceptKind::RiskFactor,
            ConceptKind::LabTest,
        ]),
        max_results: 1,
        ..SearchOptions::default()
    };
    let hit = REAL
        .search
        .find(&REAL.base, finding, &options)
        .into_iter()
        .next()?;
    (hit.similarity >= 0.5).then_some(hit.concept)
}

fn words(text: &str) -> HashSet<String> {
    fold::words(text)
        .iter()
        .filter(|word| !["of", "the", "in", "a", "with"].contains(&word.as_str()))
        .map(|word| crate::stem::spelling(word).trim_end_matches('s').to_owned())
        .collect()
}

#[derive(Deserialize)]
struct Vignette {
    id: String,
    text: String,
    age: u32,
    age_unit: Option<String>,
    sex: Option<Sex>,
    present: Vec<String>,
    absent: Vec<String>,
    risk_factors: Vec<String>,
}

/// Checks how many findings of the narratives the parser finds, and how many of them search knows
/// at all.
#[test]
fn the_stories_reach_the_accepted_score() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../evaluation/african.dev.jsonl"
    ))
    .unwrap();
    let (mut found, mut told, mut wrong, mut unknown) = (0, 0, 0, 0);
    for line in text.lines() {
        let story: Vignette = serde_json::from_str(line).unwrap();
        let age = match story.age_unit.as_deref() {
            Some("month") => Age::from_months(story.age),
            Some("day") => Age::from_days(story.age),
            _ => Age::from_years(story.age),
        };
        let context = ParseContext {
            age: Some(age),
            sex: story.sex,
            evaluated_at: None,
        };
        let mentions = REAL
            .parser
            .parse(&REAL.base, &story.text, &context)
            .mentions;
        let lists = [
            (&story.present, Choice::Present),
            (&story.risk_factors, Choice::Present),
            (&story.absent, Choice::Absent),
        ];
        let mut used: Vec<lafiya_knowledge::ConceptRef> = Vec::new();
        println!("{} {}", story.id, story.text);
        for (findings, choice) in lists {
            for finding in findings {
                let Some(concept) = resolve(finding) else {
                    println!("    ?? {finding}");
                    unknown += 1;
                    continue;
                };
                told += 1;
                used.push(concept);
                let mention = mentions
                    .iter()
                    .find(|mention| mention.concept == concept)
                    .or_else(|| mentions.iter().find(|mention| is_named(finding, mention)));
                match mention {
                    Some(it) if it.choice == choice => {
                        used.push(it.concept);
                        found += 1;
                    }
                    Some(it) => {
                        used.push(it.concept);
                        println!("    !! {finding} is {}, not {choice}", it.choice);
                        wrong += 1;
                    }
                    None => println!("    -- {finding} ({}) {choice}", REAL.base.id_of(concept)),
                }
            }
        }
        for extra in mentions
            .iter()
            .filter(|mention| !used.contains(&mention.concept))
        {
            println!(
                "    ++ {} {} {:?}",
                REAL.base.id_of(extra.concept),
                extra.choice,
                extra.orth
            );
        }
    }
    println!("found {found} of {told}, wrong {wrong}, unknown to search {unknown}");
    assert!(
        wrong * 50 <= told,
        "{wrong} of {told} findings turned the wrong way"
    );
}
