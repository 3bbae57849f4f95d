//! Reads a Condition as history: it becomes a risk factor if the knowledge base binds its code. One
//! that is not bound is mentioned in the response; a problem list is never a reason to refuse the
//! Bundle.

use lafiya_knowledge::ConceptRef;
use lafiya_model::{Choice, ConceptKind, SubmittedEvidence};

use super::left_out::LeftOut;
use super::{DatedEvidence, Reader, source_of};
use crate::codes;
use crate::node::Node;
use crate::problem::{ProblemKind, Problems};

/// Kinds of risk factor that still count after the condition has ended.
const LASTING_KINDS: &[&str] = &["medical_history", "birth_history", "family_history"];

impl<'r> Reader<'r> {
    /// Reads one Condition.
    pub(super) fn condition(
        &self,
        node: &Node<'_>,
        left_out: &mut LeftOut<'r>,
        problems: &mut Problems,
    ) -> Option<DatedEvidence> {
        let choice = verified(node, problems)?;
        let ended = has_ended(node, problems);
        let code = node.field("code");
        if !code.exists() {
            problems.note(ProblemKind::Missing, &code, "is required");
            return None;
        }
        let codings = code.codings(problems);
        let concept = codes::find(self.base, self.systems, &codings);
        if let (None, Some(local)) = (concept, codes::local_code(self.systems, &codings)) {
            let says = format!("{} is not known here", codes::shown(&codings));
            problems.note_unknown(&code, local, says);
            return None;
        }
        let Some(ConceptRef::Risk(ix)) = concept else {
            left_out.unbound_condition();
            return None;
        };
        let risk = self.base.risk(ix);
        if ended && !LASTING_KINDS.contains(&risk.text.kind.as_str()) {
            left_out.ended(&risk.text.name);
            return None;
        }
        Some(DatedEvidence {
            claim: SubmittedEvidence {
                pointer: node.path(),
                is_bare: false,
                id: risk.text.id.clone(),
                choice,
                source: source_of(ConceptKind::RiskFactor),
                duration_days: None,
                severity: None,
                value: None,
            },
            kind: ConceptKind::RiskFactor,
            when: None,
        })
    }
}

/// Returns the choice of a verification status; `None` for an entry in error.
fn verified(node: &Node<'_>, problems: &mut Problems) -> Option<Choice> {
    let status = node.field("verificationStatus");
    let codings = status.codings(problems);
    match codings.first().map(|coding| coding.code) {
        Some("entered-in-error") => None,
        Some("refuted") => Some(Choice::Absent),
        Some("unconfirmed" | "provisional" | "differential") => Some(Choice::Unknown),
        Some("confirmed") | None => Some(Choice::Present),
        Some(_) => {
            problems.note(
                ProblemKind::UnknownCode,
                &status,
                "must be confirmed, unconfirmed, provisional, differential, refuted or entered-in-error",
            );
            None
        }
    }
}

fn has_ended(node: &Node<'_>, problems: &mut Problems) -> bool {
    let codings = node.field("clinicalStatus").codings(problems);
    let said = codings
        .iter()
        .any(|coding| matches!(coding.code, "inactive" | "remission" | "resolved"));
    said || node.names().any(|name| name.starts_with("abatement"))
}
