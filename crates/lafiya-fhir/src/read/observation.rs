//! Reads an Observation: one concept, what is stated about it, its severity and its duration. A
//! panel such as a blood pressure is read component by component.

use lafiya_knowledge::{ConceptRef, Person};
use lafiya_model::{Severity, SubmittedEvidence};

use super::{DatedEvidence, Reader, answer, source_of, when};
use crate::codes;
use crate::node::{Coding, Node};
use crate::problem::{ProblemKind, Problems};
use crate::units;

/// The same limit as `/assess`.
const DURATION_DAYS_MAX: f64 = 50_000.0;
/// Codes of a severity component (SNOMED CT and our own).
const SEVERITY_CODES: &[&str] = &["246112005", "severity"];

const STATUSES: &[&str] = &[
    "registered",
    "preliminary",
    "final",
    "amended",
    "corrected",
    "unknown",
];
const VOID: &[&str] = &["entered-in-error", "cancelled"];

/// Whether it was entered in error or cancelled; then it is ignored.
pub(crate) fn is_void(node: &Node<'_>) -> bool {
    let status = node.field("status");
    status
        .text(&mut Problems::default())
        .is_some_and(|status| VOID.contains(&status))
}

/// What the components state about the concept itself.
#[derive(Default)]
struct Detail {
    severity: Option<Severity>,
    duration_days: Option<u32>,
}

impl Reader<'_> {
    /// Reads one Observation.
    pub(crate) fn observation(
        &self,
        node: &Node<'_>,
        person: &Person,
        problems: &mut Problems,
    ) -> Vec<DatedEvidence> {
        if is_void(node) {
            return Vec::new();
        }
        check_status(&node.field("status"), problems);
        let when = when::of_observation(node, self.today, &mut Problems::default());
        let code = node.field("code");
        let Some(concept) = self.concept(&code, problems) else {
            return Vec::new();
        };
        let before = problems.count();
        let mut parts = Vec::new();
        let detail = self.components(node, person, &mut parts, problems);
        let mut readings = Vec::new();
        // A panel has no value of its own.
        let is_panel = !parts.is_empty() && !says_anything(node);
        if !is_panel
            && problems.count() == before
            && let Some(said) = answer::read(node, concept, self.base, person, problems)
        {
            let claim = SubmittedEvidence {
                duration_days: detail.duration_days,
                severity: detail.severity,
                ..self.claim(concept, &said, node)
            };
            readings.push(self.reading(claim, concept, when));
        }
        readings.extend(
            parts
                .into_iter()
                .map(|(concept, claim)| self.reading(claim, concept, when)),
        );
        readings
    }

    fn components(
        &self,
        node: &Node<'_>,
        person: &Person,
        parts: &mut Vec<(ConceptRef, SubmittedEvidence)>,
        problems: &mut Problems,
    ) -> Detail {
        let mut detail = Detail::default();
        for component in node.field("component").items(problems) {
            if !component.is_object(problems) {
                continue;
            }
            let code = component.field("code");
            let codings = code.codings(problems);
            if names_severity(&code, &codings) {
                detail.severity = read_severity(&component, problems).or(detail.severity);
            } else if let Some(concept) = codes::find(self.base, self.systems, &codings) {
                if let Some(said) = answer::read(&component, concept, self.base, person, problems) {
                    parts.push((concept, self.claim(concept, &said, &component)));
                }
            } else if let Some(days) = read_duration(&component, problems) {
                detail.duration_days = Some(days);
            } else if let Some(severity) = answer::severity(&component) {
                detail.severity = Some(severity);
            } else {
                self.unknown(&code, &codings, problems);
            }
        }
        detail
    }

    /// Returns the concept of a code. An unknown code is noted and never dropped.
    fn concept(&self, code: &Node<'_>, problems: &mut Problems) -> Option<ConceptRef> {
        if !code.exists() {
            problems.note(ProblemKind::Missing, code, "is required");
            return None;
        }
        let codings = code.codings(problems);
        match codes::find(self.base, self.systems, &codings) {
            Some(ConceptRef::Condition(_)) => {
                problems.note(
                    ProblemKind::NotSupported,
                    code,
                    "names a condition, which is no evidence; a history goes into a Condition",
                );
                None
            }
            Some(concept) => Some(concept),
            None => {
                self.unknown(code, &codings, problems);
                None
            }
        }
    }

    fn unknown(&self, code: &Node<'_>, codings: &[Coding<'_>], problems: &mut Problems) {
        if codings.is_empty() {
            problems.note(
                ProblemKind::Missing,
                &code.field("coding"),
                "is required: a code of a known system, not words alone",
            );
            return;
        }
        let evidence = self.systems.value_set("evidence");
        let shown = codes::shown(codings);
        let says = format!("{shown} is not known here; {evidence} lists what is");
        match codes::local_code(self.systems, codings) {
            Some(local) => problems.note_unknown(code, local, says),
            None => problems.note(ProblemKind::UnknownCode, code, says),
        }
    }

    fn claim(
        &self,
        concept: ConceptRef,
        said: &answer::Said,
        node: &Node<'_>,
    ) -> SubmittedEvidence {
        SubmittedEvidence {
            pointer: node.path(),
            is_bare: false,
            id: self.base.id_of(concept).to_owned(),
            choice: said.choice,
            source: source_of(concept.kind()),
            duration_days: None,
            severity: None,
            value: said.value.clone(),
        }
    }

    fn reading(
        &self,
        claim: SubmittedEvidence,
        concept: ConceptRef,
        when: Option<when::When>,
    ) -> DatedEvidence {
        DatedEvidence {
            claim,
            kind: concept.kind(),
            when,
        }
    }
}

fn check_status(status: &Node<'_>, problems: &mut Problems) {
    match status.text(problems) {
        Some(word) if STATUSES.contains(&word) => {}
        Some(_) => problems.note(
            ProblemKind::UnknownCode,
            status,
            format!(
                "must be one of {}, {}",
                STATUSES.join(", "),
                VOID.join(", ")
            ),
        ),
        None if status.exists() => {}
        None => problems.note(ProblemKind::Missing, status, "is required, such as `final`"),
    }
}

fn says_anything(node: &Node<'_>) -> bool {
    node.field("interpretation").exists()
        || node.field("dataAbsentReason").exists()
        || node.names().any(|name| name.starts_with("value"))
}

fn names_severity(code: &Node<'_>, codings: &[Coding<'_>]) -> bool {
    let word = |text: &str| SEVERITY_CODES.contains(&text.to_lowercase().as_str());
    codings.iter().any(|coding| word(coding.code))
        || code
            .field("text")
            .text(&mut Problems::default())
            .is_some_and(word)
}

fn read_severity(component: &Node<'_>, problems: &mut Problems) -> Option<Severity> {
    let severity = answer::severity(component);
    if severity.is_none() {
        problems.note(
            ProblemKind::UnknownCode,
            &component.field("valueCodeableConcept"),
            "must be mild (255604002), moderate (6736007) or severe (24484000)",
        );
    }
    severity
}

/// Reads a time quantity as completed days.
fn read_duration(component: &Node<'_>, problems: &mut Problems) -> Option<u32> {
    let quantity = component.field("valueQuantity");
    if !quantity.exists() {
        return None;
    }
    let mut quiet = Problems::default();
    let number = quantity.field("value").number(&mut quiet)?;
    let code = quantity.field("code").text(&mut quiet);
    let unit = quantity.field("unit").text(&mut quiet);
    let days = units::days(number, code, unit)?;
    if !(0.0..=DURATION_DAYS_MAX).contains(&days) {
        problems.note(
            ProblemKind::Value,
            &quantity.field("value"),
            "is not a length of time that an illness can have",
        );
        return Some(0);
    }
    // The small addition keeps 3 x 24 h at three days despite floating-point rounding.
    Some((days + 1e-9) as u32)
}
