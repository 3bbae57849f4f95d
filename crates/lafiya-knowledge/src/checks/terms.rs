//! Checks terms: a phrase refers to one concept only.

use std::collections::BTreeMap;

use super::Report;
use crate::words::SexLimit;

struct Use<'a> {
    id: &'a str,
    term: &'a str,
    sex: SexLimit,
    /// Whether it is a synonym or lay phrase, which must be unique. Names may repeat (two
    /// thresholds are both "high blood pressure").
    chosen: bool,
}

/// Checks that a synonym or lay phrase belongs to one concept, unless the concepts differ by sex.
pub(super) fn duplicates(report: &mut Report<'_>) {
    for uses in [
        evidence_terms(report),
        lab_terms(report),
        condition_terms(report),
    ] {
        let mut by_term: BTreeMap<String, Vec<Use<'_>>> = BTreeMap::new();
        for used in uses {
            by_term
                .entry(used.term.trim().to_lowercase())
                .or_default()
                .push(used);
        }
        for (term, uses) in by_term {
            for (n, second) in uses.iter().enumerate() {
                let clash = uses[..n].iter().find(|first| clashes(first, second));
                if let Some(first) = clash {
                    let (loser, winner) = if second.chosen {
                        (second, first)
                    } else {
                        (first, second)
                    };
                    let says = format!("\"{term}\" leads to `{}` and to `{}`", loser.id, winner.id);
                    report.complain(loser.id, loser.term, says);
                }
            }
        }
    }
}

fn clashes(first: &Use<'_>, second: &Use<'_>) -> bool {
    let apart =
        first.sex != SexLimit::Any && second.sex != SexLimit::Any && first.sex != second.sex;
    first.id != second.id && (first.chosen || second.chosen) && !apart
}

/// Returns the terms used for free-text recognition: those of findings, measures and risk factors.
fn evidence_terms<'a>(report: &Report<'a>) -> Vec<Use<'a>> {
    let content = report.content;
    let findings = content.findings.iter().flat_map(|finding| {
        uses(
            &finding.id,
            [&finding.name, &finding.common_name],
            finding.synonyms.iter().chain(&finding.lay),
            finding.sex.unwrap_or(SexLimit::Any),
        )
    });
    let measures = content.measures.iter().flat_map(|measure| {
        uses(
            &measure.id,
            [&measure.name, &measure.common_name],
            measure.synonyms.iter().chain(&measure.lay),
            SexLimit::Any,
        )
    });
    let risks = content.risk_factors.iter().flat_map(|factor| {
        uses(
            &factor.id,
            [&factor.name, &factor.common_name],
            factor.synonyms.iter().chain(&factor.lay),
            factor.sex.unwrap_or(SexLimit::Any),
        )
    });
    findings.chain(measures).chain(risks).collect()
}

fn lab_terms<'a>(report: &Report<'a>) -> Vec<Use<'a>> {
    let tests = report.content.lab_tests.iter();
    tests
        .flat_map(|test| {
            uses(
                &test.id,
                [&test.name, &test.common_name],
                test.synonyms.iter(),
                SexLimit::Any,
            )
        })
        .collect()
}

fn condition_terms<'a>(report: &Report<'a>) -> Vec<Use<'a>> {
    let conditions = report.content.conditions.iter();
    conditions
        .flat_map(|condition| {
            uses(
                &condition.id,
                [&condition.name, &condition.common_name],
                condition.synonyms.iter(),
                condition.who.sex,
            )
        })
        .collect()
}

fn uses<'a>(
    id: &'a str,
    names: [&'a String; 2],
    chosen: impl Iterator<Item = &'a String>,
    sex: SexLimit,
) -> Vec<Use<'a>> {
    let names = names
        .into_iter()
        .filter(|name| !name.is_empty())
        .map(|term| Use {
            id,
            term,
            sex,
            chosen: false,
        });
    names
        .chain(chosen.map(|term| Use {
            id,
            term,
            sex,
            chosen: true,
        }))
        .collect()
}
