//! Checks findings and risk factors: complete, reachable, and consistently ordered.

use std::collections::BTreeSet;

use super::Report;
use crate::base::{ConceptRef, FindingIx};
use crate::words::RedFlag;

/// Checks that everything that is asked has a question for patient and caregiver, an explanation
/// and a common name.
pub(super) fn texts(report: &mut Report<'_>) {
    let content = report.content;
    for finding in &content.findings {
        let texts = [
            ("question", finding.question.as_str()),
            ("caregiver_question", &finding.caregiver_question),
            ("explanation", &finding.explanation),
            ("common_name", &finding.common_name),
        ];
        missing(report, &finding.id, &texts);
        if finding.red_flag != RedFlag::None
            && finding
                .danger
                .as_ref()
                .is_none_or(|danger| danger.is_empty())
        {
            report.complain(
                &finding.id,
                "red_flag",
                format!(
                    "`{}` is a red flag and does not say what the danger is",
                    finding.id
                ),
            );
        }
    }
    for risk in content
        .risk_factors
        .iter()
        .filter(|factor| factor.implied_by_age.is_none())
    {
        let texts = [
            ("question", risk.question.as_str()),
            ("caregiver_question", &risk.caregiver_question),
            ("explanation", &risk.explanation),
            ("common_name", &risk.common_name),
        ];
        missing(report, &risk.id, &texts);
    }
    for measure in &content.measures {
        missing(
            report,
            &measure.id,
            &[
                ("question", &measure.question),
                ("explanation", &measure.explanation),
                ("unit", &measure.unit),
            ],
        );
    }
    for test in &content.lab_tests {
        missing(
            report,
            &test.id,
            &[("what_positive_means", &test.what_positive_means)],
        );
    }
}

fn missing(report: &mut Report<'_>, id: &str, texts: &[(&str, &str)]) {
    for (name, _) in texts.iter().filter(|(_, text)| text.trim().is_empty()) {
        report.complain(id, "", format!("`{id}` has no {name}"));
    }
}

/// Checks that every finding is used by a condition, rule, score or measure, or has a narrower
/// finding that is.
pub(super) fn reachable(report: &mut Report<'_>) {
    let base = report.base;
    let used = used_findings(report);
    for ix in base.finding_indices() {
        let finding = base.finding(ix);
        let reached = used.contains(&ix)
            || finding
                .descendants
                .iter()
                .any(|narrower| used.contains(narrower));
        if !reached {
            report.complain(
                &finding.text.id,
                "",
                format!(
                    "`{}` is used nowhere: asking for it tells nothing",
                    finding.text.id
                ),
            );
        }
    }
}

fn used_findings(report: &Report<'_>) -> BTreeSet<FindingIx> {
    let base = report.base;
    let conditions = base.conditions().iter().flat_map(|condition| {
        let higher = condition
            .higher
            .iter()
            .flat_map(|higher| higher.when.concepts());
        let avoid = condition
            .avoid_when
            .iter()
            .flatten()
            .flat_map(|when| when.concepts());
        let listed = condition
            .findings
            .iter()
            .map(|link| ConceptRef::Finding(link.finding));
        listed
            .chain(higher)
            .chain(avoid)
            .chain(condition.excluded_by.iter().copied())
            .collect::<Vec<_>>()
    });
    let rules = base.rules().iter().flat_map(|rule| rule.when.concepts());
    let scores = base.scores().iter().flat_map(|score| score.concepts());
    let measures = base
        .measures()
        .iter()
        .flat_map(|measure| measure.quantity.derivable());
    let tests = base
        .labs()
        .iter()
        .filter_map(|lab| lab.quantity.as_ref())
        .flat_map(|quantity| quantity.derivable());
    conditions
        .chain(rules)
        .chain(scores)
        .chain(measures)
        .chain(tests)
        .filter_map(ConceptRef::finding)
        .collect()
}

/// Checks that no finding is its own ancestor.
pub(super) fn parent_cycle(report: &mut Report<'_>) {
    let base = report.base;
    for ix in base.finding_indices() {
        let finding = base.finding(ix);
        let id = &finding.text.id;
        let through_others = finding
            .ancestors
            .iter()
            .any(|&ancestor| base.finding(ancestor).ancestors.contains(&ix));
        let directly = finding
            .text
            .parent
            .iter()
            .chain(&finding.text.implies)
            .any(|named| named == id);
        if through_others || directly {
            report.complain(
                id,
                "parent",
                format!("`{id}` is, through its parents, a kind of itself"),
            );
        }
    }
}

/// Checks that a finding that follows from a duration or severity has a broader finding.
pub(super) fn follows_from_nothing(report: &mut Report<'_>) {
    let base = report.base;
    for ix in base.finding_indices() {
        let text = &base.finding(ix).text;
        if text.follows() && base.finding(ix).parent.is_none() {
            let says = format!("`{}` follows from its parent and has none", text.id);
            report.complain(&text.id, "parent", says);
        }
    }
}

/// Checks that within a condition, a broader finding is at least as frequent as a narrower one.
pub(super) fn parent_rarer(report: &mut Report<'_>) {
    let base = report.base;
    for condition in base.conditions() {
        for narrow in &condition.findings {
            let ancestors = &base.finding(narrow.finding).ancestors;
            let broader = condition
                .findings
                .iter()
                .filter(|finding| ancestors.contains(&finding.finding));
            for broad in broader.filter(|broad| broad.probability < narrow.probability) {
                let (broad, narrow) = (
                    &base.finding(broad.finding).text.id,
                    &base.finding(narrow.finding).text.id,
                );
                let says = format!(
                    "`{broad}` is rarer than `{narrow}`, though whoever has the second has the first"
                );
                report.complain(&condition.text.id, broad, says);
            }
        }
    }
    for finding in &report.content.findings {
        let parent = finding.parent.as_ref().and_then(|id| {
            report
                .content
                .findings
                .iter()
                .find(|finding| finding.id == *id)
        });
        if let Some(parent) =
            parent.filter(|parent| parent.background_of_100 < finding.background_of_100)
        {
            let says = format!(
                "`{}` has a smaller background than `{}`, which is a kind of it",
                parent.id, finding.id
            );
            report.note(&parent.id, "background", says);
        }
    }
}

/// Notes findings that only one condition lists: they are evidence for that condition alone.
pub(super) fn used_once(report: &mut Report<'_>) {
    for finding in report.base.findings() {
        if let [only] = finding.conditions[..] {
            let condition = &report.base.condition(only).text.id;
            let says = format!("only `{condition}` lists `{}`", finding.text.id);
            report.note(&finding.text.id, "", says);
        }
    }
}
