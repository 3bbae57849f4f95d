//! Checks conditions: complete enough to reason about, and free of contradictions.

use lafiya_model::{Age, AgeBand, TriageLevel};

use super::Report;
use crate::base::{ConceptRef, Condition};
use crate::words::{AgeSpan, RedFlag, SexLimit};

/// An illness is common from this many cases per 1,000 in any age band.
const COMMON_PER_1000: f32 = 5.0;
/// The minimum number of findings for a common illness.
const FINDINGS_OF_A_COMMON_ILLNESS: usize = 10;
/// Two conditions that differ by less than this probability in every finding cannot be told apart
/// by questions.
const TELLING_DIFFERENCE: f32 = 0.15;

/// Checks that an urgent or emergency condition has warning signs, and that an emergency also has a
/// referral, is marked as not to be missed, and lists a red flag or a finding that a rule uses.
pub(super) fn emergencies(report: &mut Report<'_>) {
    for condition in report.base.conditions() {
        let (id, text) = (&condition.text.id, &condition.text);
        if text.triage.default >= TriageLevel::Urgent && text.watch_for.is_empty() {
            report.complain(
                id,
                "",
                "an urgent or emergency condition names no sign to watch for",
            );
        }
        if text.triage.default != TriageLevel::Emergency {
            continue;
        }
        if text.referral.is_none() {
            report.complain(id, "", "an emergency says nothing of referral");
        }
        if text.must_not_miss.is_none() {
            report.complain(id, "", "an emergency has no must_not_miss");
        }
        if !is_noticed(report, condition) {
            report.complain(id, "[findings]", "nothing leads to this emergency: no finding of it is a red flag, and no rule asks for one");
        }
    }
}

fn is_noticed(report: &Report<'_>, condition: &Condition) -> bool {
    let flagged = |link: &crate::base::FindingLink| {
        report.base.finding(link.finding).text.red_flag != RedFlag::None
    };
    let in_rule = |link: &crate::base::FindingLink| {
        let concept = ConceptRef::Finding(link.finding);
        report
            .base
            .rules()
            .iter()
            .any(|rule| rule.when.concepts().contains(&concept))
    };
    condition
        .findings
        .iter()
        .any(|link| flagged(link) || in_rule(link))
}

/// Checks that a common illness lists at least ten findings and a cardinal one.
pub(super) fn thin_profile(report: &mut Report<'_>) {
    for condition in report.base.conditions() {
        let id = &condition.text.id;
        let cardinal = condition
            .findings
            .iter()
            .filter(|link| link.cardinal)
            .count();
        let listed = condition.text.findings.list.len();
        let common = condition
            .per_1000
            .iter()
            .any(|&figure| figure >= COMMON_PER_1000);
        if common && listed < FINDINGS_OF_A_COMMON_ILLNESS {
            report.complain(
                id,
                "[findings]",
                format!("a common illness with only {listed} findings; ten are the least"),
            );
        }
        if common && cardinal == 0 {
            report.complain(
                id,
                "[findings]",
                "a common illness without a cardinal finding",
            );
        }
        if !common && cardinal == 0 {
            report.note(id, "[findings]", "no cardinal finding");
        }
        if cardinal > 3 {
            report.note(
                id,
                "[findings]",
                format!("{cardinal} cardinal findings; one to three are meant"),
            );
        }
    }
}

/// Checks that a condition's ages, sexes and states agree with its prior, findings and risk
/// factors.
pub(super) fn impossible(report: &mut Report<'_>) {
    for condition in report.base.conditions() {
        limits(report, condition);
        pairs(report, condition);
    }
}

fn limits(report: &mut Report<'_>, condition: &Condition) {
    let (id, text) = (&condition.text.id, &condition.text);
    if text.who.state.is_some() && text.who.sex == SexLimit::Male {
        report.complain(id, "state", "a state of women in a condition of men");
    }
    if text.who.sex != SexLimit::Any && text.prior.sex.is_some() {
        report.complain(id, "sex ", "multipliers by sex in a condition of one sex");
    }
    if condition.sex == SexLimit::Male && text.prior.pregnant.is_some() {
        report.complain(
            id,
            "pregnant",
            "a multiplier for pregnancy in a condition of men",
        );
    }
    for &band in AgeBand::ALL {
        if condition.per_1000(band) > 0.0 && !overlap(&band_span(band), &condition.ages) {
            report.complain(
                id,
                "per_1000",
                format!("a prior in the band {band}, which [who] excludes"),
            );
        }
    }
}

fn pairs(report: &mut Report<'_>, condition: &Condition) {
    let base = report.base;
    let id = &condition.text.id;
    for link in &condition.findings {
        let finding = base.finding(link.finding);
        let other = &finding.text.id;
        if apart(finding.sex, condition.sex) {
            report.complain(
                id,
                other,
                format!("`{other}` is impossible in the sex that has this condition"),
            );
        }
        if !ages_meet(condition, &finding.ages) {
            report.complain(
                id,
                other,
                format!("`{other}` is impossible at the ages that have this condition"),
            );
        }
    }
    for link in &condition.risks {
        let risk = base.risk(link.risk);
        let other = &risk.text.id;
        if apart(risk.sex, condition.sex) {
            report.complain(
                id,
                other,
                format!("`{other}` is impossible in the sex that has this condition"),
            );
        }
        if !ages_meet(condition, &risk.implied_by_age.unwrap_or(risk.ages)) {
            report.complain(
                id,
                other,
                format!("`{other}` is impossible at the ages that have this condition"),
            );
        }
    }
}

/// Checks that two conditions possible in the same patient differ by at least 15 percentage points
/// in some finding.
pub(super) fn equal_profiles(report: &mut Report<'_>) {
    let base = report.base;
    for (n, first) in base.conditions().iter().enumerate() {
        for second in &base.conditions()[n + 1..] {
            if same_patients(first, second) && !tell_apart(report, first, second) {
                let says = format!(
                    "looks the same as `{}`: no finding differs by 15 of 100 or more",
                    second.text.id
                );
                report.complain(&first.text.id, "[findings]", says);
            }
        }
    }
}

fn same_patients(first: &Condition, second: &Condition) -> bool {
    if first.findings.is_empty() || second.findings.is_empty() {
        return false;
    }
    let bands = first
        .per_1000
        .iter()
        .zip(&second.per_1000)
        .any(|(&a, &b)| a > 0.0 && b > 0.0);
    let states = first.state.is_none() || second.state.is_none() || first.state == second.state;
    bands && states && !apart(first.sex, second.sex) && overlap(&first.ages, &second.ages)
}

/// Compares all findings that either condition lists. A finding that one does not list counts with
/// its background rate.
fn tell_apart(report: &Report<'_>, first: &Condition, second: &Condition) -> bool {
    let figure = |condition: &Condition, finding| {
        let link = condition
            .findings
            .iter()
            .find(|link| link.finding == finding);
        link.map_or(report.base.finding(finding).background, |link| {
            link.probability
        })
    };
    let listed = first
        .findings
        .iter()
        .chain(&second.findings)
        .map(|link| link.finding);
    listed.into_iter().any(|finding| {
        (figure(first, finding) - figure(second, finding)).abs() >= TELLING_DIFFERENCE
    })
}

fn apart(first: SexLimit, second: SexLimit) -> bool {
    matches!(
        (first, second),
        (SexLimit::Male, SexLimit::Female) | (SexLimit::Female, SexLimit::Male)
    )
}

/// Whether a patient with the condition can be of one of these ages.
fn ages_meet(condition: &Condition, ages: &AgeSpan) -> bool {
    AgeBand::ALL.iter().any(|&band| {
        let span = band_span(band);
        condition.per_1000(band) > 0.0 && overlap(&span, ages) && overlap(&condition.ages, ages)
    })
}

fn overlap(first: &AgeSpan, second: &AgeSpan) -> bool {
    let start = first.from.max(second.from).unwrap_or(Age::from_days(0));
    let end = [first.below, second.below].into_iter().flatten().min();
    end.is_none_or(|end| start < end)
}

fn band_span(band: AgeBand) -> AgeSpan {
    let years = Age::from_years;
    let (from, below) = match band {
        AgeBand::Neonate => (Age::from_days(0), Some(Age::from_days(29))),
        AgeBand::Infant => (Age::from_days(29), Some(years(1))),
        AgeBand::From1To4 => (years(1), Some(years(5))),
        AgeBand::From5To14 => (years(5), Some(years(15))),
        AgeBand::From15To49 => (years(15), Some(years(50))),
        AgeBand::From50To64 => (years(50), Some(years(65))),
        AgeBand::From65 => (years(65), None),
    };
    AgeSpan {
        from: Some(from),
        below,
    }
}
