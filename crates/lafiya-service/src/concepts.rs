//! From the client's words to concepts of the knowledge base. Nothing is dropped silently: an
//! unknown id is refused with suggestions, an unreadable value is said.

use std::collections::BTreeMap;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::assessment::{Warning, WarningKind, WarningSeverity};
use lafiya_model::{Case, Claim, ConceptId, ConceptKind, Evidence, Text};
use lafiya_text::SearchOptions;

use crate::error::{FieldError, ServiceError};
use crate::library::Library;

const SUGGESTIONS_MAX: usize = 3;
/// What may be sent as evidence.
const EVIDENCE_KINDS: &[ConceptKind] = &[
    ConceptKind::Symptom,
    ConceptKind::RiskFactor,
    ConceptKind::LabTest,
];

/// Evidence that names concepts of the base, and what a clinician should know about it.
pub(crate) struct Resolved {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) warnings: Vec<Warning<'static>>,
}

/// Resolves this request's evidence. `evidence` is stronger than `previous_evidence`.
pub(crate) fn resolve(base: &Library, case: &Case) -> Result<Resolved, ServiceError> {
    let mut problems = Vec::new();
    let mut unreadable = Vec::new();
    let previous = case.previous_evidence.iter();
    let previous = resolve_list(base, previous, &mut problems, &mut unreadable);
    let current = case.evidence.iter().chain(&case.risk_factors);
    let current = resolve_list(base, current, &mut problems, &mut unreadable);
    if !problems.is_empty() {
        return Err(ServiceError::InvalidRequest(problems));
    }
    let evidence = merged(previous, current);
    let mut warnings = Vec::new();
    if !unreadable.is_empty() {
        warnings.push(concern("A value could not be used.", unreadable));
    }
    if !case.left_out.is_empty() {
        warnings.push(concern(
            "Some of what was sent was not used.",
            case.left_out.clone(),
        ));
    }
    Ok(Resolved { evidence, warnings })
}

pub(crate) fn concern(message: &'static str, details: Vec<String>) -> Warning<'static> {
    Warning {
        kind: WarningKind::ValidationConcern,
        severity: WarningSeverity::Low,
        message: message.into(),
        recommended_action: "Check what was entered.".into(),
        details: details.into_iter().map(Text::from).collect(),
    }
}

/// Earlier and later evidence in the order of ids, each once: what came last is the strongest. A detail
/// that it leaves out is still as it was told before: silence takes no fever back.
pub(crate) fn merged(earlier: Vec<Evidence>, later: Vec<Evidence>) -> Vec<Evidence> {
    let latest_first = later.into_iter().rev().chain(earlier.into_iter().rev());
    let mut all: Vec<Evidence> = latest_first.collect();
    // Equals stay in their order, so that the first of them is the one that came last.
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all.dedup_by(|next, kept| {
        let is_same = next.id == kept.id;
        if is_same {
            complete(kept, next);
        }
        is_same
    });
    all
}

/// Takes the details that `told` leaves out from what else was told of the same concept. With another choice it
/// was another statement, of which nothing holds any more.
fn complete(told: &mut Evidence, other: &Evidence) {
    if told.choice == other.choice {
        told.duration_days = told.duration_days.or(other.duration_days);
        told.severity = told.severity.or(other.severity);
        told.value = told.value.or(other.value);
    }
}

fn resolve_list<'a>(
    base: &Library,
    claims: impl Iterator<Item = &'a Claim>,
    problems: &mut Vec<FieldError>,
    unreadable: &mut Vec<String>,
) -> Vec<Evidence> {
    let mut seen: BTreeMap<ConceptRef, &Claim> = BTreeMap::new();
    let mut evidence = Vec::with_capacity(claims.size_hint().0);
    for claim in claims {
        let concept = match concept_of(base, claim) {
            Ok(concept) => concept,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        if let Some(earlier) = seen.insert(concept, claim) {
            if earlier.choice != claim.choice {
                problems.push(FieldError::new(
                    format!("{}/choice_id", claim.pointer),
                    format!("contradicts {}", earlier.pointer),
                ));
            }
            continue;
        }
        read(base, concept, claim, &mut evidence, unreadable);
    }
    evidence
}

/// The concept that a claim is about, if it is one that can be evidence.
fn concept_of(base: &Library, claim: &Claim) -> Result<ConceptRef, FieldError> {
    match base.resolve(&claim.id) {
        Some(ConceptRef::Condition(_)) => Err(FieldError::new(
            format!("{}/id", claim.pointer),
            "is a condition, not evidence",
        )),
        Some(concept) => Ok(concept),
        None => Err(unknown_id(base, claim)),
    }
}

/// What is wrong with the concept of a claim, if anything.
pub fn problem_of(base: &Library, claim: &Claim) -> Option<FieldError> {
    concept_of(base, claim).err()
}

/// Adds one claim as evidence; a pair such as a blood pressure gives two.
fn read(
    base: &KnowledgeBase,
    concept: ConceptRef,
    claim: &Claim,
    evidence: &mut Vec<Evidence>,
    unreadable: &mut Vec<String>,
) {
    let item = |concept: ConceptRef, value: Option<f64>| Evidence {
        id: ConceptId(base.id_of(concept).to_owned()),
        choice: claim.choice,
        source: claim.source,
        duration_days: claim.duration_days,
        severity: claim.severity,
        value,
    };
    let read = claim.value.as_ref().map(|it| base.read_value(concept, it));
    match read {
        Some(Ok(values)) => {
            let values = values.into_iter();
            evidence.extend(values.map(|(concept, value)| item(concept, Some(value))));
            return;
        }
        // The text itself is never repeated: anything may stand in it.
        Some(Err(_)) => unreadable.push(format!(
            "The value of \"{}\" is not a number in its unit.",
            base.name_of(concept)
        )),
        None => {}
    }
    evidence.push(item(concept, None));
}

fn unknown_id(base: &Library, claim: &Claim) -> FieldError {
    let mut error = FieldError::new(format!("{}/id", claim.pointer), "is not a known concept id");
    error.suggestions = suggestions(base, &claim.id);
    error
}

/// What may have been meant, for an id that is not known.
pub fn suggestions(library: &Library, id: &str) -> Vec<String> {
    let words = ["s_", "p_", "lt_"]
        .iter()
        .find_map(|prefix| id.strip_prefix(prefix))
        .unwrap_or(id)
        .replace('_', " ");
    let options = SearchOptions {
        sex: None,
        kinds: Some(EVIDENCE_KINDS),
        max_results: SUGGESTIONS_MAX,
    };
    let hits = library.search.find(library.base(), &words, &options);
    hits.into_iter()
        .map(|hit| library.id_of(hit.concept).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lafiya_model::{Choice, EvidenceSource, Severity};

    fn plain(choice: Choice) -> Evidence {
        Evidence {
            id: ConceptId::from("s_a"),
            choice,
            source: EvidenceSource::Initial,
            duration_days: None,
            severity: None,
            value: None,
        }
    }

    fn detailed(days: u32, severity: Severity, value: f64) -> Evidence {
        Evidence {
            duration_days: Some(days),
            severity: Some(severity),
            value: Some(value),
            ..plain(Choice::Present)
        }
    }

    #[test]
    fn a_detail_left_out_is_as_it_was_told_before() {
        let earlier = detailed(3, Severity::Severe, 41.2);
        let again = merged(vec![earlier.clone()], vec![plain(Choice::Present)]);
        assert_eq!(again, [earlier]);
    }

    #[test]
    fn a_detail_told_again_replaces_the_earlier_one_alone() {
        let earlier = detailed(3, Severity::Severe, 41.2);
        let mut later = plain(Choice::Present);
        later.severity = Some(Severity::Mild);
        let all = merged(vec![earlier], vec![later]);
        assert_eq!(all, [detailed(3, Severity::Mild, 41.2)]);
    }

    #[test]
    fn another_choice_replaces_every_detail() {
        let earlier = detailed(3, Severity::Severe, 41.2);
        for choice in [Choice::Absent, Choice::Unknown] {
            let all = merged(vec![earlier.clone()], vec![plain(choice)]);
            assert_eq!(all, [plain(choice)]);
        }
    }

    #[test]
    fn what_was_told_last_is_the_strongest() {
        let told = |id: &str, days| Evidence {
            id: ConceptId::from(id),
            choice: Choice::Present,
            source: EvidenceSource::Initial,
            duration_days: Some(days),
            severity: None,
            value: None,
        };
        let earlier = vec![told("s_b", 1), told("s_c", 2)];
        let later = vec![told("s_c", 3), told("s_a", 4), told("s_c", 5)];
        let all = merged(earlier, later);
        let expected = [told("s_a", 4), told("s_b", 1), told("s_c", 5)];
        assert_eq!(all, expected);
    }
}
