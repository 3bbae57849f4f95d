//! Checks sources: all clinical content names its source, and the source exists.

use super::Report;
use crate::schema::Condition;

/// Checks that treatment, rules, scores, tests, referral and other content name a source.
pub(super) fn missing(report: &mut Report<'_>) {
    for (owner, what, source) in cited(report) {
        if source.is_empty() {
            report.complain(&owner, "", format!("{what} names no source"));
        }
    }
    for condition in &report.content.conditions {
        if condition.sources.is_empty() {
            report.complain(&condition.id, "", "the condition names no sources");
        }
    }
}

/// Checks that every named source is in `sources.toml`.
pub(super) fn unknown(report: &mut Report<'_>) {
    let in_lists = report.content.conditions.iter().flat_map(|condition| {
        condition
            .sources
            .iter()
            .map(|source| (condition.id.clone(), "the condition", source.clone()))
    });
    let own = report.content.conditions.iter().flat_map(own_sources);
    let all: Vec<_> = cited(report)
        .into_iter()
        .chain(in_lists)
        .chain(own)
        .collect();
    for (owner, what, source) in all {
        if !source.is_empty() && report.base.find_source(&source).is_none() {
            report.complain(
                &owner,
                &source,
                format!("{what} names the source `{source}`, which is not in sources.toml"),
            );
        }
    }
}

/// Checks that every condition states its review status, and that a sign-off has a name and a date.
pub(super) fn review(report: &mut Report<'_>) {
    for condition in &report.content.conditions {
        match &condition.review {
            None => report.complain(&condition.id, "", "the condition has no review status"),
            Some(review)
                if review.status == crate::words::ReviewStatus::SignedOff
                    && (review.by.is_none() || review.on.is_none()) =>
            {
                report.complain(
                    &condition.id,
                    "review",
                    "a signed-off condition says by whom and on which day",
                );
            }
            Some(_) => {}
        }
    }
}

type Citation = (String, &'static str, String);

/// Returns everything that must name a source: owner, description and source.
fn cited(report: &Report<'_>) -> Vec<Citation> {
    let content = report.content;
    let mut cited: Vec<Citation> = content.conditions.iter().flat_map(of_condition).collect();
    let mut add =
        |owner: &str, what, source: &str| cited.push((owner.to_owned(), what, source.to_owned()));
    for rule in &content.rules {
        add(&rule.id, "the rule", &rule.source);
    }
    for score in &content.scores {
        add(&score.id, "the score", &score.source);
    }
    for pair in &content.pairs {
        add(&pair.id, "the pair", &pair.source);
    }
    for screen in &content.screens {
        add(&screen.id, "the screen", &screen.source);
    }
    for gate in &content.gates {
        add(&gate.id, "the gate", &gate.source);
    }
    for exposure in &content.exposures {
        add(&exposure.id, "the exposure", &exposure.source);
    }
    for belt in &content.belts {
        add(&belt.id, "the belt", &belt.source);
    }
    for sign in &content.triage.danger_sign {
        add(&sign.id, "the danger sign", &sign.source);
    }
    for share in &content.population {
        add(&share.id, "the share", &share.source);
    }
    cited
}

fn of_condition(condition: &Condition) -> Vec<Citation> {
    let mut cited = Vec::new();
    let mut add = |what, source: &str| cited.push((condition.id.clone(), what, source.to_owned()));
    add("the prevalence", &condition.prevalence.source);
    add("the prior", &condition.prior.source);
    add("the course", &condition.course.source);
    add("the list of findings", &condition.findings.source);
    if !condition.lab.list.is_empty() {
        add("the list of tests", &condition.lab.source);
    }
    if !condition.risk_factors.list.is_empty() {
        add("the list of risk factors", &condition.risk_factors.source);
    }
    condition
        .excluded_by
        .iter()
        .for_each(|exclusion| add("what excludes it", &exclusion.source));
    condition
        .must_not_miss
        .iter()
        .for_each(|limit| add("must_not_miss", &limit.source));
    add("the triage", &condition.triage.source);
    condition
        .triage
        .higher
        .iter()
        .for_each(|higher| add("a higher triage", &higher.source));
    condition
        .watch_for
        .iter()
        .for_each(|sign| add("a sign to watch for", &sign.source));
    condition
        .investigation
        .iter()
        .for_each(|investigation| add("an investigation", &investigation.source));
    let treatment = &condition.treatment;
    let advice = [
        &treatment.first_line,
        &treatment.alternative,
        &treatment.pregnancy,
        &treatment.children,
    ];
    advice
        .into_iter()
        .flatten()
        .for_each(|advice| add("a treatment", &advice.source));
    treatment
        .avoid
        .iter()
        .for_each(|action| add("something to avoid", &action.source));
    condition
        .referral
        .iter()
        .for_each(|referral| add("the referral", &referral.source));
    condition
        .notifiable
        .iter()
        .for_each(|duty| add("the duty to report", &duty.source));
    cited
}

/// Returns the sources of single entries, which may be left out but must not be wrong.
fn own_sources(condition: &Condition) -> Vec<Citation> {
    let findings = condition
        .findings
        .list
        .iter()
        .filter_map(|link| link.source.as_ref());
    let labs = condition
        .lab
        .list
        .iter()
        .filter_map(|link| link.source.as_ref());
    let risks = condition
        .risk_factors
        .list
        .iter()
        .filter_map(|link| link.source.as_ref());
    findings
        .chain(labs)
        .chain(risks)
        .map(|source| (condition.id.clone(), "an entry", source.clone()))
        .collect()
}
