//! The interview: what earlier turns told, sent again or not. Tenant-scoped, 24 hours, any replica.

use jiff::Timestamp;
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{
    Age, AssessmentId, Choice, ConceptKind, Environment, Evidence, EvidenceSource, InterviewId,
    Sex, TenantId,
};
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

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
    #[serde(serialize_with = "without_names")]
    evidence: EvidenceList,
}

/// Each piece as a list of its fields, without their names, up to the last that is there: every turn of every interview is
/// written anew, and this is half as much. Reading takes fields with and without names.
fn without_names<S: Serializer>(evidence: &EvidenceList, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(evidence.iter().map(Unnamed))
}

struct Unnamed<'a>(&'a Evidence);

impl Serialize for Unnamed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Evidence {
            id,
            choice,
            source,
            duration_days,
            severity,
            value,
        } = self.0;
        let optional = [duration_days.is_some(), severity.is_some(), value.is_some()];
        let last = optional.iter().rposition(|&is_there| is_there);
        let count = last.map_or(0, |place| place + 1);
        let mut fields = serializer.serialize_seq(Some(3 + count))?;
        fields.serialize_element(id)?;
        fields.serialize_element(choice)?;
        fields.serialize_element(source)?;
        if count > 0 {
            fields.serialize_element(duration_days)?;
        }
        if count > 1 {
            fields.serialize_element(severity)?;
        }
        if count > 2 {
            fields.serialize_element(value)?;
        }
        fields.end()
    }
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
    Ok(Memory {
        turn: stored.turn,
        kept: Some(read(&stored.document)?),
        latest: Some((stored.last_assessment_id, stored.last_request_digest)),
    })
}

fn read(stored: &[u8]) -> Result<Kept, ServiceError> {
    serde_json::from_slice(stored).map_err(|cause| {
        ServiceError::Internal(format!("a stored interview is unreadable: {cause}"))
    })
}

/// What an interview remembers, every field with its name, for whoever takes it away.
pub(crate) fn exported(stored: &[u8]) -> Result<Value, ServiceError> {
    let Kept { age, sex, evidence } = read(stored)?;
    Ok(json!({"age": age, "sex": sex, "evidence": evidence}))
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

    /// The memory after this turn: new evidence is stronger than remembered evidence, detail by detail.
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

#[cfg(test)]
mod tests {
    use super::*;
    use lafiya_model::{ConceptId, Severity};

    fn kept() -> Kept {
        let plain = |id: &str| Evidence {
            id: ConceptId::from(id),
            choice: Choice::Present,
            source: EvidenceSource::Initial,
            duration_days: None,
            severity: None,
            value: None,
        };
        let mut evidence = vec![plain("s_a"), plain("s_b"), plain("s_c"), plain("s_d")];
        evidence[1].duration_days = Some(3);
        evidence[2].severity = Some(Severity::Severe);
        evidence[3].value = Some(39.5);
        Kept {
            age: Age::from_years(4),
            sex: Sex::Female,
            evidence,
        }
    }

    #[test]
    fn evidence_is_kept_without_names_and_read_with_and_without() {
        let kept = kept();
        let memory = Memory {
            kept: Some(kept.clone()),
            ..Memory::default()
        };
        let written = memory.to_bytes().unwrap();
        let text = str::from_utf8(&written).unwrap();
        assert!(text.contains(r#"["s_a","present","initial"]"#), "{text}");
        let named = exported(&written).unwrap();
        assert_eq!(named["evidence"][1]["duration_days"], 3);
        for stored in [written, named.to_string().into_bytes()] {
            let read: Kept = serde_json::from_slice(&stored).unwrap();
            assert_eq!(read.evidence, kept.evidence);
        }
    }
}
