//! Checks measures and the small files: ordered bounds and no missing entries.

use lafiya_model::{Timeframe, TriageLevel};

use super::Report;
use crate::schema::{Derivation, NormalRange};
use crate::words::RedFlag;

/// Checks that ranges are ordered, that derivations have a limit, and that a lab test derives
/// findings only if it has a unit.
pub(super) fn ranges(report: &mut Report<'_>) {
    for measure in &report.content.measures {
        in_order(report, &measure.id, measure.plausible, &measure.normal);
        limited(report, &measure.id, &measure.derive);
    }
    for test in &report.content.lab_tests {
        in_order(report, &test.id, test.plausible, &test.normal);
        limited(report, &test.id, &test.derive);
        if test.unit.is_none() && !test.derive.is_empty() {
            report.complain(&test.id, "derive", "derives from a value but has no unit");
        }
    }
}

fn in_order(
    report: &mut Report<'_>,
    id: &str,
    plausible: Option<[f64; 2]>,
    normal: &[NormalRange],
) {
    if plausible.is_some_and(|[low, high]| low >= high) {
        report.complain(id, "plausible", "the plausible range is upside down");
    }
    if normal.iter().any(|norm| norm.range[0] > norm.range[1]) {
        report.complain(id, "normal", "a normal range is upside down");
    }
    if !normal.is_sorted_by_key(|norm| norm.from) {
        report.complain(
            id,
            "normal",
            "normal ranges are not written from the youngest age on",
        );
    }
}

fn limited(report: &mut Report<'_>, id: &str, derive: &[Derivation]) {
    for rule in derive.iter().filter(|rule| rule.limits().is_empty()) {
        report.complain(
            id,
            &rule.finding,
            format!("`{}` would be derived from any value", rule.finding),
        );
    }
}

/// Checks that every level and timeframe has its text, and that the content has a version.
pub(super) fn whole(report: &mut Report<'_>) {
    for &level in TriageLevel::ALL {
        if report.base.level_text(level).is_none() {
            report.complain(
                "triage.toml",
                "",
                format!("there is no text for the level {level}"),
            );
        }
    }
    for &timeframe in Timeframe::ALL {
        if report.base.timeframe_text(timeframe).is_none() {
            report.complain(
                "triage.toml",
                "",
                format!("there are no words for the time-frame {timeframe}"),
            );
        }
    }
    for sign in &report.content.triage.danger_sign {
        let finding = report
            .content
            .findings
            .iter()
            .find(|finding| finding.id == sign.id);
        if finding.is_some_and(|finding| finding.red_flag == RedFlag::None) {
            let says = format!(
                "`{}` is asked for as a danger sign and has no red flag",
                sign.id
            );
            report.complain("triage.toml", &sign.id, says);
        }
    }
    if report.content.version.version.is_empty() {
        report.complain("VERSION.toml", "", "the content has no version");
    }
    let most = [
        report.content.conditions.len(),
        report.content.findings.len(),
        report.content.rules.len(),
        report.content.belts.len(),
    ];
    if most
        .into_iter()
        .any(|length| length >= usize::from(u16::MAX))
    {
        report.complain("conditions", "", "more than 65,534 entries of one kind");
    }
}
