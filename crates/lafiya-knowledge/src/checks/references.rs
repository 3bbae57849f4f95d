//! Checks references: everything a file refers to exists and is of the right kind.

use std::collections::BTreeSet;

use lafiya_model::ConceptKind;

use super::Report;
use crate::base::ConceptRef;
use crate::schema::{Condition, Derivation, When};

/// The kind of concept that a reference may name.
#[derive(Clone, Copy)]
enum Wanted {
    Finding,
    Measure,
    Risk,
    Lab,
    Condition,
    /// A finding, risk factor or lab test, as in rules.
    Evidence,
    /// A concept that takes a value.
    Value,
}

/// Checks that referenced findings, risk factors, tests and conditions exist and are of the right
/// kind.
pub(super) fn known_ids(report: &mut Report<'_>) {
    let content = report.content;
    for condition in &content.conditions {
        of_condition(report, condition);
    }
    for finding in &content.findings {
        let named = finding.parent.iter().chain(&finding.implies);
        each(report, &finding.id, named, Wanted::Finding);
        let asking = finding.requires.iter().chain(&finding.not_with);
        each(report, &finding.id, asking, Wanted::Evidence);
    }
    for risk in &content.risk_factors {
        each(report, &risk.id, &risk.implies, Wanted::Risk);
        let asking = risk.requires.iter().chain(&risk.not_with);
        each(report, &risk.id, asking, Wanted::Evidence);
    }
    of_interview(report);
    for belt in &content.belts {
        each(report, &belt.id, &belt.implies, Wanted::Risk);
    }
    for measure in &content.measures {
        derivations(
            report,
            &measure.id,
            &measure.derive,
            &measure.absent_unless_derived,
        );
        each(
            report,
            &measure.id,
            measure.pair.iter().flatten(),
            Wanted::Measure,
        );
    }
    for test in &content.lab_tests {
        derivations(report, &test.id, &test.derive, &test.absent_unless_derived);
        each(report, &test.id, &test.not_with, Wanted::Evidence);
    }
    for sign in &content.triage.danger_sign {
        each(report, "triage.toml", [&sign.id], Wanted::Finding);
    }
    for pair in &content.pairs {
        each(report, &pair.id, [&pair.id, &pair.with], Wanted::Condition);
    }
    for rule in &content.rules {
        of_when(report, &rule.id, &rule.when);
        for example in rule.example.iter().chain(&rule.not_example) {
            let there = example
                .present
                .iter()
                .chain(&example.absent)
                .chain(&example.severe);
            each(
                report,
                &rule.id,
                there.chain(example.days.keys()),
                Wanted::Evidence,
            );
            each(report, &rule.id, example.values.keys(), Wanted::Value);
        }
    }
    for score in &content.scores {
        for item in &score.item {
            each(report, &score.id, &item.measure, Wanted::Value);
            each(report, &score.id, &item.any, Wanted::Evidence);
        }
        for example in score.example.iter().chain(&score.not_example) {
            each(
                report,
                &score.id,
                example.present.iter().chain(&example.absent),
                Wanted::Evidence,
            );
            each(report, &score.id, example.values.keys(), Wanted::Value);
        }
    }
}

/// Checks that retired ids point to current ones, and lay terms to concepts.
pub(super) fn known_words(report: &mut Report<'_>) {
    for alias in &report.content.aliases {
        if report
            .base
            .resolve(&alias.now)
            .map(|concept| report.base.id_of(concept))
            != Some(&alias.now)
        {
            report.complain(
                "aliases.toml",
                &alias.now,
                format!("`{}` does not exist", alias.now),
            );
        }
    }
    for term in &report.content.lay_terms {
        let file = format!("lay-terms/{}.csv", term.language);
        if report
            .base
            .resolve(&term.concept)
            .map(|concept| report.base.id_of(concept))
            != Some(&term.concept)
        {
            report.complain(
                &file,
                &term.phrase,
                format!("`{}` does not exist", term.concept),
            );
        }
        if !(0.0..=1.0).contains(&term.confidence) {
            report.complain(
                &file,
                &term.phrase,
                format!("confidence {} is not between 0 and 1", term.confidence),
            );
        }
    }
}

/// Checks that the specialists that conditions refer to exist.
pub(super) fn known_specialists(report: &mut Report<'_>) {
    let known: BTreeSet<&str> = report
        .content
        .specialists
        .iter()
        .map(|specialist| &*specialist.id)
        .collect();
    for condition in &report.content.conditions {
        let advice = &condition.triage.specialist;
        let next = Some(&advice.escalate_to).filter(|id| !id.is_empty());
        for id in std::iter::once(&advice.id).chain(next) {
            if !known.contains(&**id) {
                report.complain(&condition.id, id, format!("there is no specialist `{id}`"));
            }
        }
    }
}

/// Checks that the belts that priors and regions refer to exist.
pub(super) fn known_belts(report: &mut Report<'_>) {
    let known: BTreeSet<&str> = report.content.belts.iter().map(|belt| &*belt.id).collect();
    for condition in &report.content.conditions {
        for belt in condition
            .prior
            .times
            .iter()
            .filter_map(|times| times.belt.as_deref())
        {
            if !known.contains(belt) {
                report.complain(&condition.id, belt, format!("there is no belt `{belt}`"));
            }
        }
    }
    for country in &report.content.countries {
        let file = format!("regions/{}.toml", country.country.to_lowercase());
        let of_regions = country
            .region
            .iter()
            .flat_map(|region| region.belts.iter().chain(&region.without));
        for belt in country
            .belts
            .iter()
            .chain(of_regions)
            .filter(|belt| !known.contains(&***belt))
        {
            report.complain(&file, belt, format!("there is no belt `{belt}`"));
        }
    }
}

/// Checks the references of screens, gates, exposures and scales.
fn of_interview(report: &mut Report<'_>) {
    let content = report.content;
    for screen in &content.screens {
        of_when(report, &screen.id, &screen.when);
        each(report, &screen.id, &screen.items, Wanted::Finding);
    }
    for gate in &content.gates {
        each(report, &gate.id, &gate.complaints, Wanted::Finding);
        each(report, &gate.id, &gate.ask, Wanted::Risk);
    }
    for exposure in &content.exposures {
        of_when(report, &exposure.id, &exposure.when);
        each(report, &exposure.id, &exposure.ask, Wanted::Evidence);
    }
    for scale in &content.scales {
        each(report, &scale.id, &scale.of, Wanted::Finding);
        let named = scale
            .option
            .iter()
            .filter_map(|option| option.finding.as_ref());
        each(report, &scale.id, named, Wanted::Finding);
    }
}

fn of_condition(report: &mut Report<'_>, condition: &Condition) {
    let id = &condition.id;
    each(
        report,
        id,
        condition.findings.list.iter().map(|link| &link.id),
        Wanted::Finding,
    );
    each(
        report,
        id,
        condition.lab.list.iter().map(|link| &link.id),
        Wanted::Lab,
    );
    each(
        report,
        id,
        condition.risk_factors.list.iter().map(|link| &link.id),
        Wanted::Risk,
    );
    each(
        report,
        id,
        condition
            .excluded_by
            .iter()
            .flat_map(|exclusion| &exclusion.list),
        Wanted::Evidence,
    );
    each(
        report,
        id,
        condition
            .investigation
            .iter()
            .map(|investigation| &investigation.test),
        Wanted::Lab,
    );
    let others = condition
        .investigation
        .iter()
        .flat_map(|investigation| &investigation.differentiates);
    let planned = &report.content.planned;
    each(
        report,
        id,
        others.filter(|id| !planned.contains(id)),
        Wanted::Condition,
    );
    let avoid = condition
        .treatment
        .avoid
        .iter()
        .filter_map(|action| action.when.as_ref());
    for when in condition
        .triage
        .higher
        .iter()
        .map(|higher| &higher.when)
        .chain(avoid)
    {
        of_when(report, id, when);
    }
}

fn of_when(report: &mut Report<'_>, owner: &str, when: &When) {
    let named = when.all.iter().chain(&when.any).chain(&when.severe);
    let counted = when.at_least.iter().flat_map(|count| &count.of);
    let lasting = when.days.iter().map(|day| &day.id);
    let fresh = when.fresh.iter().map(|fresh| &fresh.id);
    each(
        report,
        owner,
        named.chain(counted).chain(lasting).chain(fresh),
        Wanted::Evidence,
    );
    each(
        report,
        owner,
        when.values.iter().map(|value| &value.id),
        Wanted::Value,
    );
    for inner in &when.any_of {
        of_when(report, owner, inner);
    }
}

fn derivations(report: &mut Report<'_>, owner: &str, derive: &[Derivation], absent: &[String]) {
    each(
        report,
        owner,
        derive.iter().map(|rule| &rule.finding).chain(absent),
        Wanted::Evidence,
    );
}

fn each<'a>(
    report: &mut Report<'_>,
    owner: &str,
    ids: impl IntoIterator<Item = &'a String>,
    wanted: Wanted,
) {
    for id in ids {
        let found = report
            .base
            .resolve(id)
            .filter(|&concept| report.base.id_of(concept) == id);
        match found {
            None => report.complain(owner, id, format!("`{id}` does not exist")),
            Some(concept) if !wanted.admits(report, concept) => {
                let (kind, wanted) = (kind_words(concept), wanted.words());
                report.complain(
                    owner,
                    id,
                    format!("`{id}` is {kind}, but {wanted} belongs here"),
                );
            }
            Some(_) => {}
        }
    }
}

impl Wanted {
    fn admits(self, report: &Report<'_>, concept: ConceptRef) -> bool {
        match self {
            Self::Finding => matches!(concept, ConceptRef::Finding(_)),
            Self::Measure => matches!(concept, ConceptRef::Measure(_)),
            Self::Risk => matches!(concept, ConceptRef::Risk(_)),
            Self::Lab => matches!(concept, ConceptRef::Lab(_)),
            Self::Condition => matches!(concept, ConceptRef::Condition(_)),
            Self::Evidence => matches!(
                concept,
                ConceptRef::Finding(_) | ConceptRef::Risk(_) | ConceptRef::Lab(_)
            ),
            Self::Value => report.base.quantity(concept).is_some(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Finding => "a finding",
            Self::Measure => "a measured value",
            Self::Risk => "a risk factor",
            Self::Lab => "a lab test",
            Self::Condition => "a condition",
            Self::Evidence => "a finding, risk factor or lab test",
            Self::Value => "something with a unit",
        }
    }
}

fn kind_words(concept: ConceptRef) -> &'static str {
    match (concept, concept.kind()) {
        (ConceptRef::Measure(_), _) => "a measured value",
        (_, ConceptKind::Symptom) => "a finding",
        (_, ConceptKind::RiskFactor) => "a risk factor",
        (_, ConceptKind::LabTest) => "a lab test",
        (_, ConceptKind::Condition) => "a condition",
    }
}
