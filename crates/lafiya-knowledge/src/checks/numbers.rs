//! Checks that numbers are within the bounds of the file format.

use lafiya_model::{AgeBand, Sex};

use super::Report;
use crate::words::State;

/// The range of frequencies in percent, which are never 0 or 100: 0.1 to 99 (0.05 is accepted
/// because it rounds to 0.1).
const OF_100: std::ops::RangeInclusive<f32> = 0.05..=99.0;
/// The range for tests, in percent. It is wider because tests can be more certain than
/// observations.
const LAB_OF_100: std::ops::RangeInclusive<f32> = 0.01..=99.9;
/// The range for the odds ratio of a single risk factor.
const ODDS_RATIO: std::ops::RangeInclusive<f32> = 0.1..=50.0;
/// The range for the multiplier of a single place or season.
const TIMES_BY: std::ops::RangeInclusive<f32> = 0.001..=200.0;
/// The range of a prior: no single condition accounts for more than half of all patients.
const PER_1000: std::ops::RangeInclusive<f32> = 0.000_01..=500.0;

/// Checks that frequencies of findings and tests are within their bounds, and that nothing is
/// listed twice.
pub(super) fn probabilities(report: &mut Report<'_>) {
    for pair in &report.content.pairs {
        if !OF_100.contains(&pair.of_100) {
            report.complain(
                &pair.id,
                &pair.with,
                format!("{} of 100 is not between 0.1 and 99", pair.of_100),
            );
        }
    }
    for condition in &report.content.conditions {
        let id = &condition.id;
        listed_once(
            report,
            id,
            condition.findings.list.iter().map(|link| &link.id),
        );
        listed_once(report, id, condition.lab.list.iter().map(|link| &link.id));
        listed_once(
            report,
            id,
            condition.risk_factors.list.iter().map(|link| &link.id),
        );
        for entry in &condition.findings.list {
            let figures = [
                Some(entry.of_100),
                entry.under_5,
                entry.over_65,
                entry.pregnant,
                entry.severe_of_100,
            ];
            for figure in figures
                .into_iter()
                .flatten()
                .filter(|figure| !OF_100.contains(figure))
            {
                report.complain(
                    id,
                    &entry.id,
                    format!(
                        "{figure} of 100 for `{}` is not between 0.1 and 99",
                        entry.id
                    ),
                );
            }
        }
        for entry in &condition.lab.list {
            for figure in [entry.of_100, entry.without]
                .into_iter()
                .filter(|figure| !LAB_OF_100.contains(figure))
            {
                report.complain(
                    id,
                    &entry.id,
                    format!(
                        "{figure} of 100 for `{}` is not between 0.01 and 99.9",
                        entry.id
                    ),
                );
            }
        }
        for figure in condition
            .must_not_miss
            .iter()
            .map(|limit| limit.above_of_100)
            .filter(|percentage| !(0.01..=50.0).contains(percentage))
        {
            report.complain(
                id,
                "above_of_100",
                format!("above_of_100 = {figure} is not between 0.01 and 50"),
            );
        }
    }
    for finding in &report.content.findings {
        let figure = finding.background_of_100;
        if !(0.001..=90.0).contains(&figure) {
            report.complain(
                &finding.id,
                "background",
                format!("a background of {figure} of 100 is not between 0.001 and 90"),
            );
        }
    }
    for risk in &report.content.risk_factors {
        let figure = risk.background_of_100;
        if !(0.001..=99.0).contains(&figure) {
            report.complain(
                &risk.id,
                "background",
                format!("a background of {figure} of 100 is not between 0.001 and 99"),
            );
        }
    }
}

fn listed_once<'a>(
    report: &mut Report<'_>,
    condition: &str,
    list: impl Iterator<Item = &'a String>,
) {
    let mut seen = std::collections::BTreeSet::new();
    for id in list {
        if !seen.insert(id) {
            report.complain(condition, id, format!("`{id}` is listed twice"));
        }
    }
}

/// Checks that odds ratios are between 0.1 and 50.
pub(super) fn odds_ratios(report: &mut Report<'_>) {
    for condition in &report.content.conditions {
        for entry in &condition.risk_factors.list {
            let ratio = entry.odds_ratio;
            if !ODDS_RATIO.contains(&ratio) {
                report.complain(
                    &condition.id,
                    &entry.id,
                    format!(
                        "an odds ratio of {ratio} for `{}` is not between 0.1 and 50",
                        entry.id
                    ),
                );
            }
        }
    }
}

/// Checks that priors, their multipliers and the course are plausible.
pub(super) fn priors(report: &mut Report<'_>) {
    for condition in &report.content.conditions {
        let (id, prior, course) = (&condition.id, &condition.prior, &condition.course);
        if prior.per_1000.is_empty() {
            report.complain(id, "per_1000", "the prior is empty: nobody could have it");
        }
        for (band, figure) in prior
            .per_1000
            .iter()
            .filter(|(_, figure)| !PER_1000.contains(*figure) && **figure != 0.0)
        {
            report.complain(
                id,
                "per_1000",
                format!("{figure} of 1,000 in the band {band} is not between 0.00001 and 500"),
            );
        }
        for times in prior
            .times
            .iter()
            .filter(|times| !TIMES_BY.contains(&times.by))
        {
            report.complain(
                id,
                "by =",
                format!("a multiplier of {} is not between 0.001 and 200", times.by),
            );
        }
        for times in &prior.times {
            if times.belt.is_none() && times.setting.is_none() && times.months.is_empty() {
                report.complain(id, "times", "a multiplier names no belt, month or setting");
            }
            if times.months.iter().any(|month| !(1..=12).contains(month)) {
                report.complain(id, "months", "a month is not between 1 and 12");
            }
        }
        if let Some(sex) = prior
            .sex
            .filter(|sex| ((sex.male + sex.female) / 2.0 - 1.0).abs() > 0.11)
        {
            let average = (sex.male + sex.female) / 2.0;
            report.complain(
                id,
                "sex ",
                format!("the multipliers by sex average {average:.2}, not 1"),
            );
        }
        let [usual, possible] = [course.usual_days, course.possible_days];
        if !(possible[0] <= usual[0] && usual[0] <= usual[1] && usual[1] <= possible[1]) {
            report.complain(
                id,
                "usual_days",
                "the usual days do not lie within the possible ones",
            );
        }
    }
}

/// Checks that the priors of each band add up to at most 1,000 per 1,000 patients.
pub(super) fn prior_sum(report: &mut Report<'_>) {
    for &band in AgeBand::ALL {
        for sex in [Sex::Male, Sex::Female] {
            let possible = report
                .base
                .conditions()
                .iter()
                .filter(|condition| condition.state.is_none() && condition.sex.allows(sex));
            let sum: f32 = possible
                .map(|condition| condition.per_1000(band) * condition.sex_times(sex))
                .sum();
            too_many(report, sum, &format!("{sex} patients of the band {band}"));
        }
        for &state in State::ALL {
            let possible = report
                .base
                .conditions()
                .iter()
                .filter(|condition| condition.state == Some(state));
            let sum: f32 = possible.map(|condition| condition.per_1000(band)).sum();
            too_many(report, sum, &format!("{state} women of the band {band}"));
        }
    }
}

fn too_many(report: &mut Report<'_>, sum: f32, whom: &str) {
    if sum > 1000.0 {
        report.complain(
            "conditions",
            "",
            format!("the priors of {whom} add up to {sum:.0} of 1,000"),
        );
    }
}
