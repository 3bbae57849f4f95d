//! A second opinion: what a language model may say about a case, and what is kept of having asked.
//! An [`Opinion`] holds only claims that passed every check; the engine still bounds what they do.

use serde::{Deserialize, Serialize};

use crate::ids::ConceptId;
use crate::triage::TriageLevel;

/// The thoughts of the engine that a second opinion is asked about, in concepts alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// What is there, as told or as read from measurements.
    pub present: Vec<ConceptId>,
    /// What is not there.
    pub absent: Vec<ConceptId>,
    /// Candidates, likeliest first.
    pub candidates: Vec<ConceptId>,
    /// Ids of the dangers that were seen: rules, findings, scores.
    pub dangers: Vec<String>,
}

/// A second opinion whose claims were checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// The name of the model.
    pub by: String,
    /// How likely it holds each condition, 0 to 1; together at most 1.
    pub views: Vec<(ConceptId, f64)>,
    /// How urgent it holds the case. It can only raise the level.
    pub level: Option<TriageLevel>,
    /// Its reasons.
    pub reasons: Vec<Reason>,
}

/// One sentence of a second opinion, all of whose words stand in the passages it cites.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The sentence.
    pub text: String,
    /// Source ids of the passages.
    pub sources: Vec<String>,
}

/// What became of asking for a second opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpinionStatus {
    /// Every claim passed.
    Used,
    /// Some claims passed.
    UsedInPart,
    /// An answer came, and nothing of it passed.
    Refused,
    /// No answer came.
    Unavailable,
}

crate::tenant::word_enum!(OpinionStatus {
    Used => "used",
    UsedInPart => "used_in_part",
    Refused => "refused",
    Unavailable => "unavailable",
});

/// What was decided about one claim. Words of the model are never repeated here: a refused claim
/// must not reach a clinician by way of its refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What kind of claim.
    pub claim: String,
    /// The condition it is about, where it is one of the base.
    pub about: Option<ConceptId>,
    /// Whether it counted.
    pub accepted: bool,
    /// Why not; empty where it counted.
    pub reason: String,
}

/// What is kept of having asked, with the assessment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondOpinion {
    /// What came of it.
    pub status: OpinionStatus,
    /// The model.
    pub model: String,
    /// Why there is no answer, as a short word (`timeout`); empty where there is one.
    pub failure: String,
    /// SHA-256 over the request as sent, in hexadecimal; empty where nothing was sent.
    pub request_sha256: String,
    /// Attempts made.
    pub attempts: u32,
    /// Milliseconds from asking to the answer or to giving up.
    pub latency_ms: u64,
    /// What was decided about each claim.
    pub verdicts: Vec<Verdict>,
    /// The exchange in full, only for tenants that allow texts to go to the provider.
    #[serde(default)]
    pub exchange: Option<Exchange>,
}

impl SecondOpinion {
    /// Whether nothing that was said had to be refused.
    pub fn passed(&self) -> bool {
        matches!(
            self.status,
            OpinionStatus::Used | OpinionStatus::Unavailable
        )
    }
}

/// A question to a model and its answer, as they went over the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The request's messages.
    pub request: String,
    /// The answer's text, cut off where it is long.
    pub answer: String,
}
