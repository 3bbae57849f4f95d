//! The interview: what earlier turns told, sent again or not. Tenant-scoped, 24 hours, any replica.

use jiff::Timestamp;
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{
    Age, AssessmentId, Choice, ConceptKind, Environment, Evidence, EvidenceSource, InterviewId,
    Sex, TenantId,
};
use serde::{Deserialize, Serialize};

use crate::assess::{EvidenceList, invalid};
use crate::concepts;
use crate::consult::OpenInterview;
use crate::context::Context;
use crate::error::ServiceError;

const TURNS_MAX: u32 = 60;
const REMEMBERED_ITEMS_MAX: usize = 150;

/// What an interview remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    turn: u32,
    kept: Option<Kept>,
    latest: Option<(AssessmentId, [u8; 32])>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    age: Age,
    sex: Sex,
    evidence: EvidenceList,
}

/// What was told in earlier turns of this interview; nothing for a new one.
pub(crate) async fn recall(
    context: &Context,
    tenant: TenantId,
    environment: Environment,
    id: InterviewId,
    now: Timestamp,
) -> Result<Memory, ServiceError> {
    let Some(stored) = context
        .store
        .load_interview(tenant, environment, id, now)
        .await?
    else {
        return Ok(Memory::default());
    };
    let kept = serde_json::from_slice(&stored.document).map_err(|cause| {
        ServiceError::Internal(format!("a stored interview is unreadable: {cause}"))
    })?;
    Ok(Memory {
        turn: stored.turn,
        kept: Some(kept),
        latest: Some((stored.last_assessment_id, stored.last_request_digest)),
    })
}

/// A newborn whose age is counted in days grows a day older while the interview lasts.
fn is_same_age(one: Age, other: Age) -> bool {
    one.days().abs_diff(other.days()) <= 1
}

impl Memory {
    /// The assessment that answered the same body, if that was the latest turn.
    pub(crate) fn latest_answer(&self, digest: &[u8; 32]) -> Option<AssessmentId> {
        self.latest
            .filter(|(_, latest)| latest == digest)
            .map(|(id, _)| id)
    }

    /// The memory after this turn: new evidence is stronger than remembered evidence.
    pub(crate) fn continued(
        self,
        age: Age,
        sex: Sex,
        evidence: EvidenceList,
    ) -> Result<Self, ServiceError> {
        if self.turn >= TURNS_MAX {
            return Err(invalid(
                "/interview_id",
                format!("has had {TURNS_MAX} turns, which is the limit; begin a new interview"),
            ));
        }
        if let Some(kept) = self
            .kept
            .as_ref()
            .filter(|kept| !is_same_age(kept.age, age) || kept.sex != sex)
        {
            let what = if is_same_age(kept.age, age) {
                "sex"
            } else {
                "age"
            };
            return Err(invalid(
                "/patient",
                format!("has another {what} than in the first turn of this interview"),
            ));
        }
        let remembered = self.kept.map(|kept| kept.evidence).unwrap_or_default();
        let evidence = concepts::merged(remembered, evidence);
        if evidence.len() > REMEMBERED_ITEMS_MAX {
            return Err(invalid(
                "/evidence",
                format!("would make the interview remember more than {REMEMBERED_ITEMS_MAX} items"),
            ));
        }
        let kept = Kept { age, sex, evidence };
        Ok(Self {
            turn: self.turn + 1,
            kept: Some(kept),
            latest: self.latest,
        })
    }

    /// What is open, for who continues it; nothing before the first turn.
    pub(crate) fn opened(self) -> Option<OpenInterview> {
        let (kept, (latest, _)) = self.kept.zip(self.latest)?;
        Some(OpenInterview {
            age: kept.age,
            sex: kept.sex,
            evidence: kept.evidence,
            turn: self.turn,
            latest,
        })
    }

    /// Everything told so far.
    pub(crate) fn evidence(&self) -> &[Evidence] {
        self.kept.as_ref().map_or(&[], |kept| &kept.evidence)
    }

    /// The number of this turn, from 1.
    pub(crate) fn turn(&self) -> u32 {
        self.turn
    }

    pub(crate) fn is_first_turn(&self) -> bool {
        self.turn == 1
    }

    /// How many questions were answered: those marked as suggested, or the turns after the first
    /// where a client does not mark them.
    pub(crate) fn questions_asked(&self) -> usize {
        let suggested = self
            .evidence()
            .iter()
            .filter(|item| item.source == EvidenceSource::Suggest)
            .count();
        suggested.max(self.turn.saturating_sub(1) as usize)
    }

    /// Whether at least one symptom is present: a risk factor alone is nothing to reason on.
    pub(crate) fn has_symptom(&self, base: &KnowledgeBase) -> bool {
        self.evidence().iter().any(|item| {
            let kind = base.resolve(item.id.as_str()).map(|concept| concept.kind());
            item.choice == Choice::Present && kind == Some(ConceptKind::Symptom)
        })
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, ServiceError> {
        /// Enough for most.
        const BYTES: usize = 2048;
        let mut bytes = Vec::with_capacity(BYTES);
        serde_json::to_writer(&mut bytes, &self.kept)
            .map_err(|cause| ServiceError::Internal(cause.to_string()))?;
        Ok(bytes)
    }
}
