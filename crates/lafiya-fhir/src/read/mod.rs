//! Reads a Bundle as a case: one Patient, Observations, and history as Conditions. All errors are
//! reported at once. Unknown parts are ignored; clinical parts that cannot be used are mentioned.

mod answer;
mod condition;
mod left_out;
mod modifiers;
mod observation;
mod patient;
mod when;

use jiff::civil::Date;
use lafiya_knowledge::{KnowledgeBase, Person};
use lafiya_model::{
    Age, AgeUnit, Case, ConceptKind, Disagreement, EvidenceSource, Sex, SubmittedEvidence,
};
use serde_json::Value;

use crate::node::Node;
use crate::problem::{Problem, ProblemKind, Problems};
use crate::systems::Systems;
use left_out::LeftOut;
use when::When;

/// The same limits as `/assess`.
const EVIDENCE_ITEMS_MAX: usize = 50;
const RISK_FACTORS_MAX: usize = 30;

/// Resources that contain nothing about the illness. Other unread resources are mentioned.
const ADMINISTRATIVE: &[&str] = &[
    "Account",
    "Appointment",
    "AuditEvent",
    "CareTeam",
    "Claim",
    "Composition",
    "Consent",
    "Coverage",
    "Device",
    "Encounter",
    "Endpoint",
    "EpisodeOfCare",
    "ExplanationOfBenefit",
    "HealthcareService",
    "List",
    "Location",
    "MessageHeader",
    "Organization",
    "Practitioner",
    "PractitionerRole",
    "Provenance",
    "RelatedPerson",
];

/// Why a body cannot be read as a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a Bundle.
    NotABundle(Problem),
    /// It is a Bundle that cannot be translated, with all reasons.
    Untranslatable(Vec<Problem>),
}

/// The context of reading a Bundle.
pub(crate) struct Reader<'a> {
    pub(crate) base: &'a KnowledgeBase,
    pub(crate) systems: &'a Systems,
    pub(crate) today: Date,
}

/// A claim with the data needed to select it for the case.
pub(crate) struct DatedEvidence {
    claim: SubmittedEvidence,
    kind: ConceptKind,
    when: Option<When>,
}

/// Reads a Bundle. `today` is the date at the service's location.
///
/// # Example
///
/// ```
/// use jiff::civil::date;
/// use lafiya_fhir::{Systems, read_bundle};
/// use serde_json::json;
///
/// let base = lafiya_content::load()?;
/// let systems = Systems::new("https://lafiya.example");
/// let not_a_bundle = json!({"resourceType": "Patient"});
/// assert!(read_bundle(&not_a_bundle, &base, &systems, date(2026, 11, 19)).is_err());
/// # Ok::<(), lafiya_knowledge::LoadError>(())
/// ```
pub fn read_bundle(
    body: &Value,
    base: &KnowledgeBase,
    systems: &Systems,
    today: Date,
) -> Result<Case, Refusal> {
    let bundle = Node::root("Bundle", body);
    if body.get("resourceType").and_then(Value::as_str) != Some("Bundle") {
        return Err(Refusal::NotABundle(Problem {
            kind: ProblemKind::Structure,
            expression: "Bundle.resourceType".to_owned(),
            says: "must be `Bundle`: send a Bundle of type `collection`".to_owned(),
            unknown_code: None,
        }));
    }
    let reader = Reader {
        base,
        systems,
        today,
    };
    let mut problems = Problems::default();
    let case = reader.case(&bundle, &mut problems);
    match case {
        Some(case) if problems.count() == 0 => Ok(case),
        _ => Err(Refusal::Untranslatable(problems.into_list())),
    }
}

impl<'r> Reader<'r> {
    fn case(&self, bundle: &Node<'_>, problems: &mut Problems) -> Option<Case> {
        check_type(bundle, problems);
        modifiers::refuse(bundle, &["entry"], problems);
        let sorted = Sorted::of(bundle, problems);
        let patient_entry = sorted.the_patient(bundle, problems);
        let whens: Vec<When> = sorted
            .observations
            .iter()
            .filter(|observed| !observation::is_void(observed))
            .filter_map(|observation| when::of_observation(observation, self.today, problems))
            .collect();
        let evaluated_at = whens.iter().filter_map(|when| when.date).max();
        let patient = patient_entry.and_then(|(_, node)| {
            patient::read(node, evaluated_at.unwrap_or(self.today), problems)
        });
        // The person only affects the meaning of numbers. If the Patient is invalid, that was
        // already noted.
        let person = patient.as_ref().map_or(
            Person {
                age: Age::from_years(30),
                sex: Sex::Other,
                state: None,
            },
            |patient| Person {
                age: patient.age,
                sex: patient.sex,
                state: None,
            },
        );
        let subject = patient_entry.map(|(entry, node)| patient::names(entry, node));
        let mut readings = Vec::new();
        for node in &sorted.observations {
            check_subject(node, subject.as_deref(), problems);
            readings.extend(self.observation(node, &person, problems));
        }
        let mut left_out: LeftOut<'r> = LeftOut::default();
        for kind in &sorted.unread {
            left_out.resource(kind);
        }
        for node in &sorted.conditions {
            check_subject(node, subject.as_deref(), problems);
            readings.extend(self.condition(node, &mut left_out, problems));
        }
        let (evidence, risk_factors) = self.sorted_claims(readings);
        check_amounts(bundle, &evidence, &risk_factors, problems);
        let patient = patient?;
        Some(Case {
            age: patient.age,
            age_unit: AgeUnit::Days,
            sex: patient.sex,
            location: patient.location,
            coordinate: patient.coordinate,
            evidence,
            risk_factors,
            previous_evidence: Vec::new(),
            evaluated_at,
            left_out: left_out.sentences(),
            disagreement: Disagreement::FirstCounts,
        })
    }

    /// Selects the claims: of two readings of one concept at different times the later one counts.
    /// Risk factors are returned separately, as in `/assess`.
    fn sorted_claims(
        &self,
        readings: Vec<DatedEvidence>,
    ) -> (Vec<SubmittedEvidence>, Vec<SubmittedEvidence>) {
        let mut kept: Vec<DatedEvidence> = Vec::new();
        for reading in readings {
            let same = kept.iter().position(|earlier| {
                earlier.claim.id == reading.claim.id && when::differ(earlier.when, reading.when)
            });
            match same {
                Some(at) if when::is_later(reading.when, kept[at].when) => kept[at] = reading,
                Some(_) => {}
                None => kept.push(reading),
            }
        }
        let (risks, evidence): (Vec<DatedEvidence>, Vec<DatedEvidence>) = kept
            .into_iter()
            .partition(|dated| dated.kind == ConceptKind::RiskFactor);
        let claims = |list: Vec<DatedEvidence>| list.into_iter().map(|dated| dated.claim).collect();
        (claims(evidence), claims(risks))
    }
}

/// Returns the evidence source that `/assess` uses for this kind of concept.
pub(crate) fn source_of(kind: ConceptKind) -> EvidenceSource {
    match kind {
        ConceptKind::RiskFactor => EvidenceSource::Predefined,
        _ => EvidenceSource::Initial,
    }
}

fn check_type(bundle: &Node<'_>, problems: &mut Problems) {
    let node = bundle.field("type");
    match node.text(problems) {
        Some("collection") => {}
        Some(kind @ ("transaction" | "batch")) => problems.note(
            ProblemKind::NotSupported,
            &node,
            format!("`{kind}` asks a server to store resources; this service assesses. Send `collection`"),
        ),
        Some(_) => problems.note(
            ProblemKind::NotSupported,
            &node,
            "must be `collection`; other kinds of Bundle are not taken",
        ),
        None if node.exists() => {}
        None => problems.note(ProblemKind::Missing, &node, "is required: `collection`"),
    }
}

/// The resources of a Bundle by use.
struct Sorted<'a> {
    patients: Vec<(Node<'a>, Node<'a>)>,
    observations: Vec<Node<'a>>,
    conditions: Vec<Node<'a>>,
    /// The types of the other resources, one item per resource.
    unread: Vec<&'a str>,
}

impl<'a> Sorted<'a> {
    fn of(bundle: &Node<'a>, problems: &mut Problems) -> Self {
        let mut sorted = Self {
            patients: Vec::new(),
            observations: Vec::new(),
            conditions: Vec::new(),
            unread: Vec::new(),
        };
        for entry in bundle.field("entry").items(problems) {
            if !entry.is_object(problems) {
                continue;
            }
            let resource = entry.field("resource");
            if !resource.exists() {
                problems.note(ProblemKind::Missing, &resource, "is required");
                continue;
            }
            if !resource.is_object(problems) {
                continue;
            }
            let kind = resource.field("resourceType");
            if !kind.exists() {
                problems.note(ProblemKind::Missing, &kind, "is required");
            }
            let kind = kind.text(problems);
            modifiers::refuse(&entry, &["resource"], problems);
            if matches!(kind, Some("Patient" | "Observation" | "Condition")) {
                modifiers::refuse(&resource, &[], problems);
            }
            match kind {
                Some("Patient") => sorted.patients.push((entry, resource)),
                Some("Observation") => sorted.observations.push(resource),
                Some("Condition") => sorted.conditions.push(resource),
                Some(other) if !ADMINISTRATIVE.contains(&other) => sorted.unread.push(other),
                _ => {}
            }
        }
        sorted
    }

    fn the_patient(
        &self,
        bundle: &Node<'_>,
        problems: &mut Problems,
    ) -> Option<(&Node<'a>, &Node<'a>)> {
        let entry = bundle.field("entry");
        match self.patients.as_slice() {
            [] => problems.note(ProblemKind::Missing, &entry, "must hold one Patient"),
            [_] => {}
            [_, rest @ ..] => {
                for (_, second) in rest {
                    problems.note(
                        ProblemKind::TooMuch,
                        second,
                        "is a second Patient; a Bundle is about one",
                    );
                }
            }
        }
        if self.observations.is_empty() {
            problems.note(
                ProblemKind::Missing,
                &entry,
                "must hold at least one Observation",
            );
        }
        self.patients.first().map(|(entry, node)| (entry, node))
    }
}

/// Checks the subject, because data about another patient must never count for this one.
fn check_subject(node: &Node<'_>, names: Option<&[String]>, problems: &mut Problems) {
    let reference = node.field("subject").field("reference");
    let (Some(sent), Some(names)) = (reference.text(problems), names) else {
        return;
    };
    if !names.is_empty() && !names.iter().any(|name| patient::led_to(sent) == Some(name)) {
        problems.note(
            ProblemKind::Conflict,
            &reference,
            "does not lead to the Patient of this Bundle",
        );
    }
}

fn check_amounts(
    bundle: &Node<'_>,
    evidence: &[SubmittedEvidence],
    risk_factors: &[SubmittedEvidence],
    problems: &mut Problems,
) {
    let entry = bundle.field("entry");
    for (what, count, most) in [
        ("pieces of evidence", evidence.len(), EVIDENCE_ITEMS_MAX),
        ("risk factors", risk_factors.len(), RISK_FACTORS_MAX),
    ] {
        if count > most {
            problems.note(
                ProblemKind::TooMuch,
                &entry,
                format!("holds {count} {what}; at most {most} fit into one assessment"),
            );
        }
    }
}

#[cfg(test)]
mod tests;
