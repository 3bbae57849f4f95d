//! Resolves the client's evidence to concepts of the knowledge base. Nothing is dropped silently:
//! an unknown id is refused with suggestions, an unreadable value gives a warning.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use lafiya_knowledge::{ConceptRef, KnowledgeBase, NotANumber, Person};
use lafiya_model::assessment::{Warning, WarningKind, WarningSeverity};
use lafiya_model::{
    Case, Choice, ConceptId, ConceptKind, Disagreement, Evidence, SubmittedEvidence, Text,
};
use lafiya_text::SearchOptions;

use crate::error::{FieldError, ServiceError};
use crate::library::Library;

const SUGGESTIONS_MAX: usize = 3;
/// Maximum number of details in one warning.
const DETAILS_MAX: usize = 30;
/// The kinds of concepts that may be sent as evidence.
const EVIDENCE_KINDS: &[ConceptKind] = &[
    ConceptKind::Symptom,
    ConceptKind::RiskFactor,
    ConceptKind::LabTest,
];

/// Evidence resolved to concepts, and warnings for the clinician.
pub(crate) struct Resolved {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) warnings: Vec<Warning<'static>>,
}

/// Problems and warnings collected while claims are resolved.
#[derive(Default)]
struct Noted {
    problems: Vec<FieldError>,
    /// Values sent for concepts that take none.
    without_unit: Vec<String>,
    impossible: Vec<Impossible>,
    left_out: Vec<String>,
}

/// A value that cannot be right.
struct Impossible {
    says: String,
    is_dangerous_if_true: bool,
}

/// Resolves the evidence of a request. `evidence` takes precedence over `previous_evidence`.
pub(crate) fn resolve(base: &Library, case: &Case) -> Result<Resolved, ServiceError> {
    let mut noted = Noted::default();
    let previous = case.previous_evidence.iter();
    // The two lists are resolved apart: within one list a contradiction is an error, between them
    // the later one counts.
    let previous = resolve_list(base, previous, case, &mut noted);
    let current = case.evidence.iter().chain(&case.risk_factors);
    let current = resolve_list(base, current, case, &mut noted);
    // After everything is read, so that a client learns of all mistakes at once.
    if !noted.problems.is_empty() {
        return Err(ServiceError::InvalidRequest(noted.problems));
    }
    let evidence = merged(previous, current);
    let mut warnings = Vec::new();
    warnings.extend(impossible_values(noted.impossible));
    if !noted.without_unit.is_empty() {
        warnings.push(concern("A value could not be used.", noted.without_unit));
    }
    let left_out = [&case.left_out[..], &noted.left_out].concat();
    if !left_out.is_empty() {
        warnings.push(concern("Some of what was sent was not used.", left_out));
    }
    Ok(Resolved { evidence, warnings })
}

/// Builds the warning about values that cannot be right. Such values are never treated as normal.
fn impossible_values(values: Vec<Impossible>) -> Option<Warning<'static>> {
    if values.is_empty() {
        return None;
    }
    let is_dangerous = values.iter().any(|value| value.is_dangerous_if_true);
    let details = values.into_iter().map(|value| value.says).collect();
    Some(Warning {
        severity: WarningSeverity::High,
        recommended_action: if is_dangerous {
            "Measure again now: if the value is true, the patient is in danger.".into()
        } else {
            "Measure again, or check what was entered.".into()
        },
        ..concern(
            "A measured value cannot be right and was not used.",
            details,
        )
    })
}

/// Builds a warning about the request. It is stored, so the number of its details is limited.
pub(crate) fn concern(message: &'static str, mut details: Vec<String>) -> Warning<'static> {
    let rest = details.len().saturating_sub(DETAILS_MAX);
    if rest > 0 {
        details.truncate(DETAILS_MAX);
        details.push(format!("And {rest} more."));
    }
    Warning {
        kind: WarningKind::ValidationConcern,
        severity: WarningSeverity::Low,
        message: message.into(),
        recommended_action: "Check what was entered.".into(),
        details: details.into_iter().map(Text::from).collect(),
    }
}

/// Merges earlier and later evidence, sorted by id, each concept once. The latest item takes
/// precedence. A detail that it omits keeps its earlier value: not mentioning a detail does not
/// withdraw it.
pub(crate) fn merged(earlier: Vec<Evidence>, later: Vec<Evidence>) -> Vec<Evidence> {
    let latest_first = later.into_iter().rev().chain(earlier.into_iter().rev());
    let mut all: Vec<Evidence> = latest_first.collect();
    // The sort is stable, so the latest of equal ids stays first.
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

/// Fills in details missing from `told` from other evidence about the same concept. If the choice
/// differs, it was a different statement and none of its details still apply.
fn complete(told: &mut Evidence, other: &Evidence) {
    if told.choice == other.choice {
        told.duration_days = told.duration_days.or(other.duration_days);
        told.severity = told.severity.or(other.severity);
        told.value = told.value.or(other.value);
    }
}

/// Resolves a list of claims to evidence, each concept once.
fn resolve_list<'a>(
    base: &Library,
    claims: impl Iterator<Item = &'a SubmittedEvidence>,
    case: &Case,
    noted: &mut Noted,
) -> Vec<Evidence> {
    let person = Person {
        age: case.age,
        sex: case.sex,
        // Whether the patient is pregnant is part of what is being read here.
        state: None,
    };
    // By concept and not by id: a concept has several ids that mean it.
    let mut told: BTreeMap<ConceptRef, (usize, &SubmittedEvidence)> = BTreeMap::new();
    let mut evidence: Vec<Evidence> = Vec::with_capacity(claims.size_hint().0);
    for claim in claims {
        let concept = match concept_of(base, claim) {
            Ok(concept) => concept,
            Err(problem) => {
                noted.problems.push(problem);
                continue;
            }
        };
        for (concept, item) in read(base, concept, claim, &person, noted) {
            match told.entry(concept) {
                Entry::Vacant(place) => {
                    place.insert((evidence.len(), claim));
                    evidence.push(item);
                }
                Entry::Occupied(place) => {
                    let (at, first) = *place.get();
                    let name = base.name_of(concept);
                    let differing = differing_details(&evidence[at], &item);
                    noted.repetition(first, claim, differing, case.disagreement, name);
                    complete(&mut evidence[at], &item);
                }
            }
        }
    }
    evidence
}

impl Noted {
    /// Handles two claims about the same concept. Contradicting choices are an error. Differing
    /// details are an error too, or the later ones are ignored with a warning.
    fn repetition(
        &mut self,
        first: &SubmittedEvidence,
        second: &SubmittedEvidence,
        differing: Vec<&'static str>,
        disagreement: Disagreement,
        name: &str,
    ) {
        let there = &first.pointer;
        if first.choice != second.choice {
            let reason = format!("contradicts {there}");
            let problem = FieldError::new(second.place_of("choice_id"), reason);
            self.problems.push(problem);
            return;
        }
        match disagreement {
            Disagreement::Refused => self.problems.extend(differing.into_iter().map(|detail| {
                FieldError::new(
                    second.place_of(detail),
                    format!("differs from {there}, which is about the same concept"),
                )
            })),
            Disagreement::FirstCounts if differing.is_empty() => {}
            Disagreement::FirstCounts => self.left_out.push(format!(
                "\"{name}\" was sent more than once and not alike: the first one counts."
            )),
        }
    }
}

/// Returns the names of the fields in which both items have a value and the values differ.
fn differing_details(one: &Evidence, other: &Evidence) -> Vec<&'static str> {
    let details = [
        (
            "duration_days",
            differ(one.duration_days, other.duration_days),
        ),
        ("severity", differ(one.severity, other.severity)),
        ("value", differ(one.value, other.value)),
    ];
    let differing = details.into_iter().filter(|(_, differ)| *differ);
    differing.map(|(name, _)| name).collect()
}

/// Whether both values are present and differ.
fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// Returns the concept of a claim, if it can be evidence.
fn concept_of(base: &Library, claim: &SubmittedEvidence) -> Result<ConceptRef, FieldError> {
    match base.resolve(&claim.id) {
        Some(ConceptRef::Condition(_)) => Err(FieldError::new(
            claim.place_of("id"),
            "is a condition, not evidence",
        )),
        Some(concept) => Ok(concept),
        None => Err(unknown_id(base, claim)),
    }
}

/// Returns what is wrong with the concept of a claim, if anything.
pub fn problem_of(base: &Library, claim: &SubmittedEvidence) -> Option<FieldError> {
    concept_of(base, claim).err()
}

/// Converts one claim to evidence; a pair such as a blood pressure gives two items.
fn read(
    base: &KnowledgeBase,
    concept: ConceptRef,
    claim: &SubmittedEvidence,
    person: &Person,
    noted: &mut Noted,
) -> Vec<(ConceptRef, Evidence)> {
    let item = |concept: ConceptRef, choice: Choice, value: Option<f64>| {
        let evidence = Evidence {
            id: ConceptId(base.id_of(concept).to_owned()),
            choice,
            source: claim.source,
            duration_days: claim.duration_days,
            severity: claim.severity,
            value,
        };
        (concept, evidence)
    };
    match claim
        .value
        .as_ref()
        .map(|text| base.read_value(concept, text))
    {
        Some(Ok(values)) => {
            let values = values.into_iter();
            let item = |(concept, value)| item(concept, claim.choice, Some(value));
            return values.map(item).collect();
        }
        Some(Err(NotANumber::NoUnit)) => noted.without_unit.push(format!(
            "\"{}\" takes no number, so its value was not used.",
            base.name_of(concept)
        )),
        Some(Err(problem)) => {
            noted.impossible.push(Impossible {
                says: impossible_words(base, concept, &problem),
                is_dangerous_if_true: base.is_dangerous_if_true(concept, &problem, person),
            });
            // "Normal, 398" is not a normal result, so an absent finding becomes unknown. A present
            // finding is kept, because it does not reassure anyone.
            if claim.choice == Choice::Absent {
                return vec![item(concept, Choice::Unknown, None)];
            }
        }
        None => {}
    }
    vec![item(concept, claim.choice, None)]
}

/// Describes what is wrong with a value and which values are possible. The sent text is never
/// quoted, because it may contain anything.
fn impossible_words(base: &KnowledgeBase, concept: ConceptRef, problem: &NotANumber) -> String {
    let name = base.name_of(concept);
    let what = match problem {
        NotANumber::Unreadable(_) => "the value is not a number in its unit",
        NotANumber::UpsideDown => "the first number must be above the second",
        NotANumber::Implausible { .. } | NotANumber::NoUnit => "no living patient has this value",
    };
    match base.plausible_words(concept) {
        Some(possible) => format!("\"{name}\": {what}; possible is {possible}."),
        None => format!("\"{name}\": {what}."),
    }
}

fn unknown_id(base: &Library, claim: &SubmittedEvidence) -> FieldError {
    let mut error = FieldError::new(claim.place_of("id"), "is not a known concept id");
    error.suggestions = suggestions(base, &claim.id);
    error
}

/// Returns likely alternatives for an unknown id.
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
    use std::sync::LazyLock;

    use super::*;
    use lafiya_model::{Age, AgeUnit, Choice, EvidenceSource, Severity, Sex};

    static LIBRARY: LazyLock<Library> =
        LazyLock::new(|| Library::new(lafiya_content::load().expect("the embedded base loads")));

    fn claim(place: usize, id: &str, value: Option<&str>) -> SubmittedEvidence {
        SubmittedEvidence {
            pointer: format!("/evidence/{place}"),
            is_bare: false,
            id: id.to_owned(),
            choice: Choice::Present,
            source: EvidenceSource::Initial,
            duration_days: None,
            severity: None,
            value: value.map(str::to_owned),
        }
    }

    fn case(evidence: Vec<SubmittedEvidence>, disagreement: Disagreement) -> Case {
        Case {
            age: Age::from_years(30),
            age_unit: AgeUnit::Years,
            sex: Sex::Female,
            location: None,
            coordinate: None,
            evidence,
            risk_factors: Vec::new(),
            previous_evidence: Vec::new(),
            evaluated_at: None,
            left_out: Vec::new(),
            disagreement,
        }
    }

    /// Returns the pointers of the refused fields.
    fn refused(evidence: Vec<SubmittedEvidence>) -> Vec<String> {
        match resolve(&LIBRARY, &case(evidence, Disagreement::Refused)) {
            Err(ServiceError::InvalidRequest(fields)) => {
                fields.into_iter().map(|field| field.pointer).collect()
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn duplicate_concepts_merge_their_details() {
        let mut severe = claim(0, "s_body_temperature", None);
        severe.severity = Some(Severity::Severe);
        let hot = claim(1, "body_temperature", Some("41.2"));
        for claims in [[severe.clone(), hot.clone()], [hot, severe]] {
            let case = case(claims.to_vec(), Disagreement::Refused);
            let resolved = resolve(&LIBRARY, &case).expect("they agree");
            assert_eq!(resolved.evidence.len(), 1);
            assert_eq!(resolved.evidence[0].value, Some(41.2));
            assert_eq!(resolved.evidence[0].severity, Some(Severity::Severe));
            assert!(resolved.warnings.is_empty());
        }
    }

    #[test]
    fn differing_details_are_refused_at_the_second_item() {
        let temperature = |place, value| claim(place, "s_body_temperature", Some(value));
        let differing = vec![temperature(0, "37"), temperature(1, "41.2")];
        assert_eq!(refused(differing), ["/evidence/1/value"]);
        let alike = vec![temperature(0, "39"), temperature(1, "39.0 C")];
        assert!(refused(alike).is_empty());

        let mut coughs = [claim(0, "s_cough", None), claim(1, "s_cough", None)];
        coughs[0].duration_days = Some(3);
        coughs[1].duration_days = Some(30);
        coughs[0].severity = Some(Severity::Mild);
        coughs[1].severity = Some(Severity::Severe);
        let pointers = ["/evidence/1/duration_days", "/evidence/1/severity"];
        assert_eq!(refused(coughs.to_vec()), pointers);
    }

    #[test]
    fn a_value_pair_and_its_part_must_agree() {
        let pressures = |systolic| {
            vec![
                claim(0, "s_blood_pressure", Some("80/40")),
                claim(1, "s_systolic_blood_pressure", Some(systolic)),
            ]
        };
        assert_eq!(refused(pressures("120")), ["/evidence/1/value"]);
        assert!(refused(pressures("80")).is_empty());
    }

    #[test]
    fn in_a_record_the_first_value_counts_with_a_warning() {
        let claims = vec![
            claim(0, "s_body_temperature", Some("41.2")),
            claim(1, "s_body_temperature", Some("37")),
        ];
        let case = case(claims, Disagreement::FirstCounts);
        let resolved = resolve(&LIBRARY, &case).expect("a record is not refused");
        assert_eq!(resolved.evidence.len(), 1);
        assert_eq!(resolved.evidence[0].value, Some(41.2));
        assert_eq!(resolved.warnings.len(), 1);
        assert!(resolved.warnings[0].details[0].contains("more than once"));
    }

    #[test]
    fn a_warning_has_a_bounded_size() {
        let details: Vec<String> = (0..10_000)
            .map(|number| format!("\"{number}\" has ended."))
            .collect();
        let warning = concern("Some of what was sent was not used.", details);
        assert_eq!(warning.details.len(), DETAILS_MAX + 1);
        let last = warning.details.last().expect("there are details");
        assert_eq!(last.as_str(), "And 9970 more.");
        let few = concern(
            "Some of what was sent was not used.",
            vec!["one".to_owned()],
        );
        assert_eq!(few.details.len(), 1);
    }

    /// Resolves one claim to its evidence and its warning.
    fn resolved(claim: SubmittedEvidence) -> (Vec<Evidence>, Option<Warning<'static>>) {
        let case = case(vec![claim], Disagreement::Refused);
        let mut resolved = resolve(&LIBRARY, &case).expect("it is not refused");
        assert!(resolved.warnings.len() <= 1, "one mistake, one warning");
        (resolved.evidence, resolved.warnings.pop())
    }

    #[test]
    fn an_impossible_value_is_a_high_concern_with_its_range() {
        for (id, value, possible) in [
            ("s_oxygen_saturation", "9", "30 to 100 %"),
            ("s_body_temperature", "398", "25 to 45 °C"),
            ("s_body_temperature", "abc", "25 to 45 °C"),
            (
                "s_blood_pressure",
                "80/120",
                "35 to 300 mmHg over 20 to 200 mmHg",
            ),
            ("s_glasgow_coma_score", "99", "3 to 15 points"),
            ("lt_potassium", "42", "1 to 11 mmol/L"),
        ] {
            let (evidence, warning) = resolved(claim(0, id, Some(value)));
            assert!(evidence.iter().all(|item| item.value.is_none()), "{id}");
            let warning = warning.expect("it is said");
            assert_eq!(warning.severity, WarningSeverity::High, "{id} = {value}");
            assert!(
                warning.details[0].contains(possible),
                "{:?}",
                warning.details
            );
            assert!(!warning.details[0].contains(value), "the text is repeated");
        }
    }

    #[test]
    fn a_value_on_a_concept_without_values_is_a_low_concern() {
        let (_, warning) = resolved(claim(0, "s_headache", Some("7")));
        assert_eq!(warning.expect("it is said").severity, WarningSeverity::Low);
    }

    #[test]
    fn an_impossible_dangerous_value_must_be_measured_again() {
        let action = |id, value| {
            let (_, warning) = resolved(claim(0, id, Some(value)));
            warning.expect("it is said").recommended_action.to_string()
        };
        for (id, value) in [
            ("s_oxygen_saturation", "9"),
            ("s_blood_pressure", "80/120"),
            ("s_blood_glucose", "0.1"),
        ] {
            assert!(action(id, value).contains("again now"), "{id} = {value}");
        }
        assert!(!action("s_glasgow_coma_score", "99").contains("again now"));
        assert!(!action("s_body_temperature", "abc").contains("again now"));
    }

    #[test]
    fn an_impossible_value_does_not_make_a_test_normal() {
        let mut normal = claim(0, "lt_haemoglobin", Some("abc"));
        normal.choice = Choice::Absent;
        assert_eq!(resolved(normal).0[0].choice, Choice::Unknown);
        let positive = claim(0, "lt_haemoglobin", Some("abc"));
        assert_eq!(resolved(positive).0[0].choice, Choice::Present);
    }

    #[test]
    fn every_measure_states_its_plausible_range() {
        let measures = LIBRARY.measures().iter();
        let ids = measures.map(|measure| measure.text.id.as_str());
        for id in ids {
            let concept = LIBRARY.resolve(id).expect("a measure");
            assert!(LIBRARY.plausible_words(concept).is_some(), "{id}");
        }
    }

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
    fn an_omitted_detail_keeps_its_earlier_value() {
        let earlier = detailed(3, Severity::Severe, 41.2);
        let again = merged(vec![earlier.clone()], vec![plain(Choice::Present)]);
        assert_eq!(again, [earlier]);
    }

    #[test]
    fn a_repeated_detail_replaces_only_itself() {
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
    fn the_latest_statement_wins() {
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
