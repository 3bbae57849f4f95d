//! Interviews: the evidence of earlier turns is remembered, whether or not it is sent again.
//! Interviews belong to a tenant, expire after 24 hours, and work on any replica.

use jiff::Timestamp;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{
    Age, AgeUnit, AssessmentId, Case, Choice, ConceptKind, Environment, Evidence, EvidenceSource,
    InterviewId, Sex, TenantId,
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

/// The state of an interview.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    turn: u32,
    kept: Option<StoredState>,
    latest: Option<(AssessmentId, [u8; 32])>,
}

/// The input of one turn.
pub(crate) struct TurnInput {
    pub(crate) age: Age,
    pub(crate) age_unit: AgeUnit,
    pub(crate) sex: Sex,
    pub(crate) evidence: EvidenceList,
    /// Whether the age and the sex replace those of earlier turns.
    pub(crate) corrects_patient: bool,
}

impl TurnInput {
    /// Returns the input of a case whose evidence is resolved.
    pub(crate) fn of(case: &Case, evidence: EvidenceList) -> Self {
        Self {
            age: case.age,
            age_unit: case.age_unit,
            sex: case.sex,
            evidence,
            corrects_patient: false,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredState {
    age: Age,
    #[serde(default)]
    age_unit: AgeUnit,
    sex: Sex,
    #[serde(serialize_with = "without_names")]
    evidence: EvidenceList,
}

/// Serializes each item as a list of its field values, without names, up to the last one present.
/// The interview is written again on every turn, and this halves its size. Deserialization accepts
/// both forms.
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
        // Fields behind the last one present are left out; those before it are written as null,
        // because only the place tells them apart.
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

/// Loads the state of an interview. A new interview has an empty state.
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

fn read(stored: &[u8]) -> Result<StoredState, ServiceError> {
    serde_json::from_slice(stored).map_err(|cause| {
        ServiceError::Internal(format!("a stored interview is unreadable: {cause}"))
    })
}

/// Returns the state of an interview with named fields, for the data export.
pub(crate) fn exported(stored: &[u8]) -> Result<Value, ServiceError> {
    let StoredState {
        age, sex, evidence, ..
    } = read(stored)?;
    Ok(json!({"age": age, "sex": sex, "evidence": evidence}))
}

impl StoredState {
    /// Whether the stated age may be that of the same patient: both ages are given in the same unit
    /// and agree, or the more precise one is within the range of the other.
    fn may_have(&self, age: Age, age_unit: AgeUnit) -> bool {
        let (kept, told) = ((self.age_unit, self.age), (age_unit, age));
        // Units compare by precision, so the pair with the coarser unit is the smaller.
        let ((unit, coarse), (finer_unit, fine)) = (kept.min(told), kept.max(told));
        if unit == finer_unit {
            // A newborn whose age is counted in days may turn a day older during the interview.
            return coarse.days().abs_diff(fine.days()) <= 1;
        }
        match unit {
            AgeUnit::Years => coarse.years() == fine.years(),
            // A month has 28 to 31 days.
            _ => (fine.days() / 31..=fine.days() / 28).contains(&coarse.months()),
        }
    }
}

impl Memory {
    /// Returns the assessment of the latest turn if its body had this digest.
    pub(crate) fn latest_answer(&self, digest: &[u8; 32]) -> Option<AssessmentId> {
        self.latest
            .filter(|(_, latest)| latest == digest)
            .map(|(id, _)| id)
    }

    /// Returns the state after this turn. New evidence overrides remembered evidence, detail by
    /// detail.
    pub(crate) fn continued(self, told: TurnInput) -> Result<Self, ServiceError> {
        let TurnInput {
            age,
            age_unit,
            sex,
            evidence,
            corrects_patient,
        } = told;
        // An interview without an end would grow with every turn.
        if self.turn >= TURNS_MAX {
            return Err(invalid(
                "/interview_id",
                format!("has had {TURNS_MAX} turns, which is the limit; begin a new interview"),
            ));
        }
        let differs = |kept: &&StoredState| !kept.may_have(age, age_unit) || kept.sex != sex;
        if let Some(kept) = self.kept.as_ref().filter(differs)
            && !corrects_patient
        {
            let what = if kept.may_have(age, age_unit) {
                "sex"
            } else {
                "age"
            };
            return Err(invalid(
                "/patient",
                format!("has another {what} than in the first turn of this interview"),
            ));
        }
        // The more precise age applies to the whole interview: a newborn stays a newborn in every
        // turn.
        let kept_age = self.kept.as_ref().map(|kept| (kept.age_unit, kept.age));
        let finer = kept_age.filter(|(unit, _)| !corrects_patient && *unit > age_unit);
        let (age_unit, age) = finer.unwrap_or((age_unit, age));
        let remembered = self.kept.map(|kept| kept.evidence).unwrap_or_default();
        let evidence = concepts::merged(remembered, evidence);
        if evidence.len() > REMEMBERED_ITEMS_MAX {
            return Err(invalid(
                "/evidence",
                format!("would make the interview remember more than {REMEMBERED_ITEMS_MAX} items"),
            ));
        }
        let kept = StoredState {
            age,
            age_unit,
            sex,
            evidence,
        };
        Ok(Self {
            turn: self.turn + 1,
            kept: Some(kept),
            // Still the turn before: this one has no assessment yet.
            latest: self.latest,
        })
    }

    /// Returns the interview for the web app, or `None` before the first turn.
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

    /// Returns the most precise age that any turn stated.
    pub(crate) fn age(&self) -> Option<Age> {
        self.kept.as_ref().map(|kept| kept.age)
    }

    /// Returns all evidence so far.
    pub(crate) fn evidence(&self) -> &[Evidence] {
        self.kept.as_ref().map_or(&[], |kept| &kept.evidence)
    }

    /// Returns the number of this turn, starting at 1.
    pub(crate) fn turn(&self) -> u32 {
        self.turn
    }

    pub(crate) fn is_first_turn(&self) -> bool {
        self.turn == 1
    }

    /// Returns how many questions were answered: the evidence marked as suggested, or, if a client
    /// does not mark it, the number of turns after the first.
    pub(crate) fn questions_asked(&self) -> usize {
        let suggested = self
            .evidence()
            .iter()
            .filter(|item| item.source == EvidenceSource::Suggest)
            .count();
        // The larger number, because it limits the length of the interview.
        suggested.max(self.turn.saturating_sub(1) as usize)
    }

    /// Whether at least one symptom is present. A risk factor alone is not enough for an
    /// assessment.
    pub(crate) fn has_symptom(&self, base: &KnowledgeBase) -> bool {
        // The weight is needed for doses and says nothing about an illness.
        let weight = base.weights().measure.map(ConceptRef::Measure);
        self.evidence().iter().any(|item| {
            let concept = base.resolve(item.id.as_str());
            let kind = concept.map(|concept| concept.kind());
            item.choice == Choice::Present
                && kind == Some(ConceptKind::Symptom)
                && concept != weight
        })
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, ServiceError> {
        /// Buffer capacity in bytes, large enough for most interviews.
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

    fn kept() -> StoredState {
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
        StoredState {
            age: Age::from_years(4),
            age_unit: AgeUnit::Years,
            sex: Sex::Female,
            evidence,
        }
    }

    fn told(age_unit: AgeUnit, age: Age) -> TurnInput {
        TurnInput {
            age,
            age_unit,
            sex: Sex::Female,
            evidence: Vec::new(),
            corrects_patient: false,
        }
    }

    #[test]
    fn the_more_precise_age_is_kept_and_another_age_refused() {
        let newborn = (AgeUnit::Days, Age::from_days(10));
        // "0 years" without months or days is read as the middle of the first year.
        let infant = (AgeUnit::Years, Age::from_months(6));
        let first_month = (AgeUnit::Months, Age::from_months(0));
        for (one, other) in [
            (newborn, infant),
            (infant, newborn),
            (first_month, newborn),
            (infant, first_month),
            (newborn, (AgeUnit::Days, Age::from_days(11))),
        ] {
            let begun = Memory::default().continued(told(one.0, one.1)).unwrap();
            let memory = begun.continued(told(other.0, other.1)).unwrap();
            let finest = if one.0 > other.0 { one } else { other };
            assert_eq!(memory.age(), Some(finest.1), "{one:?}, {other:?}");
            let third = memory.continued(told(infant.0, infant.1)).unwrap();
            assert_eq!(third.age(), Some(finest.1), "{one:?}, {other:?}");
        }
        for (one, other) in [
            (newborn, (AgeUnit::Days, Age::from_days(12))),
            (newborn, (AgeUnit::Years, Age::from_years(1))),
            (newborn, (AgeUnit::Months, Age::from_months(6))),
            ((AgeUnit::Months, Age::from_months(6)), newborn),
            (infant, (AgeUnit::Months, Age::from_months(12))),
            (
                (AgeUnit::Years, Age::from_years(30)),
                (AgeUnit::Years, Age::from_years(31)),
            ),
        ] {
            let begun = Memory::default().continued(told(one.0, one.1)).unwrap();
            let refused = begun.continued(told(other.0, other.1));
            assert!(refused.is_err(), "{one:?}, {other:?}");
        }
    }

    #[test]
    fn a_correction_replaces_age_and_sex_and_keeps_the_evidence() {
        let memory = Memory {
            kept: Some(kept()),
            turn: 1,
            ..Memory::default()
        };
        for (unit, age) in [
            (AgeUnit::Years, Age::from_years(40)),
            (AgeUnit::Days, Age::from_days(10)),
        ] {
            let correction = TurnInput {
                sex: Sex::Male,
                corrects_patient: true,
                ..told(unit, age)
            };
            let corrected = memory.clone().continued(correction).unwrap();
            assert_eq!(corrected.age(), Some(age));
            assert_eq!(corrected.evidence(), kept().evidence);
            let man = TurnInput {
                sex: Sex::Male,
                ..told(unit, age)
            };
            assert!(corrected.continued(man).is_ok());
        }
    }

    #[test]
    fn stored_evidence_is_compact_and_reads_in_both_forms() {
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
            let read: StoredState = serde_json::from_slice(&stored).unwrap();
            assert_eq!(read.evidence, kept.evidence);
        }
    }
}
