//! A second opinion: what a language model may say about a case, and the record of the request. An
//! [`Opinion`] contains only claims that passed every check; the engine still bounds their effect.

use serde::{Deserialize, Serialize};

use crate::ids::ConceptId;
use crate::triage::TriageLevel;

/// The engine's result that a second opinion is requested for, as concepts only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Findings that are present, as stated or derived from measurements.
    pub present: Vec<ConceptId>,
    /// Findings that are absent.
    pub absent: Vec<ConceptId>,
    /// Candidates, most likely first.
    pub candidates: Vec<ConceptId>,
    /// Ids of the danger signs found: rules, findings and scores.
    pub dangers: Vec<String>,
}

/// A second opinion whose claims were checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// The name of the model.
    pub by: String,
    /// The probability of each condition, 0 to 1, with a sum of at most 1.
    pub views: Vec<(ConceptId, f64)>,
    /// The level of urgency. It can only raise the engine's level.
    pub level: Option<TriageLevel>,
    /// Its reasons.
    pub reasons: Vec<Reason>,
}

/// One sentence of a second opinion. All its words occur in the cited excerpts.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The sentence.
    pub text: String,
    /// Source ids of the excerpts.
    pub sources: Vec<String>,
}

/// The outcome of the request for a second opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpinionStatus {
    /// Every claim passed.
    Used,
    /// Some claims passed.
    UsedInPart,
    /// An answer was received, but no claim passed.
    Refused,
    /// No answer was received.
    Unavailable,
}

crate::tenant::word_enum!(OpinionStatus {
    Used => "used",
    UsedInPart => "used_in_part",
    Refused => "refused",
    Unavailable => "unavailable",
});

/// The decision about one claim. Words of the model are never repeated here, so that a refused
/// claim cannot reach a clinician through its refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The kind of claim.
    pub claim: String,
    /// The condition it is about, if it is in the knowledge base.
    pub about: Option<ConceptId>,
    /// Whether the claim was used.
    pub accepted: bool,
    /// The reason for the refusal; empty if it was used.
    pub reason: String,
}

/// The record of a request for a second opinion, stored with the assessment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondOpinion {
    /// The outcome.
    pub status: OpinionStatus,
    /// The model.
    pub model: String,
    /// The reason for a missing answer, as a short word (`timeout`); empty if there is an answer.
    pub failure: String,
    /// SHA-256 of the request as sent, in hexadecimal; empty if nothing was sent.
    pub request_sha256: String,
    /// The number of attempts.
    pub attempts: u32,
    /// Milliseconds from the request to the answer or to giving up.
    pub latency_ms: u64,
    /// The decision about each claim.
    pub verdicts: Vec<Verdict>,
    /// The full exchange, only for tenants that allow texts to be sent to the provider.
    #[serde(default)]
    pub exchange: Option<Exchange>,
}

impl SecondOpinion {
    /// Whether no claim was refused.
    pub fn passed(&self) -> bool {
        matches!(
            self.status,
            OpinionStatus::Used | OpinionStatus::Unavailable
        )
    }
}

/// A request to a model and its answer, as sent over the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The messages of the request.
    pub request: String,
    /// The text of the answer, truncated if long.
    pub answer: String,
}
