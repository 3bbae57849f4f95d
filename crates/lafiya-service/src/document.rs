//! The document of an assessment as bytes: MessagePack with named fields, which takes half the time of
//! JSON to write and is as open to new fields. Documents of the form before are JSON and stay readable.

use lafiya_model::AssessmentDocument;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::ServiceError;

/// The form of documents that are written now. Form 1 is JSON.
pub(crate) const FORM: u16 = 2;
/// Large enough for nearly all documents.
const BYTES: usize = 48 * 1024;

/// The document as it is stored.
pub(crate) fn written(document: &AssessmentDocument) -> Result<Vec<u8>, ServiceError> {
    let mut bytes = Vec::with_capacity(BYTES);
    // Ids and times as text, so that a document can be exported without knowing its fields.
    let mut writer = rmp_serde::Serializer::new(&mut bytes)
        .with_struct_map()
        .with_human_readable();
    document
        .serialize(&mut writer)
        .map_err(|cause| ServiceError::Internal(cause.to_string()))?;
    Ok(bytes)
}

/// A stored document of either form, as whatever shape of it is wanted.
pub(crate) fn read<T: DeserializeOwned>(stored: &[u8]) -> Result<T, ServiceError> {
    let unreadable = |cause: &dyn std::fmt::Display| {
        ServiceError::Internal(format!("a stored document is unreadable: {cause}"))
    };
    if stored.first() == Some(&b'{') {
        serde_json::from_slice(stored).map_err(|cause| unreadable(&cause))
    } else {
        let mut reader = rmp_serde::Deserializer::from_read_ref(stored).with_human_readable();
        T::deserialize(&mut reader).map_err(|cause| unreadable(&cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use lafiya_engine::{Parameters, assess, review};
    use lafiya_model::{
        Age, AssessmentId, Choice, ConceptId, DeidentifiedCase, Environment, Evidence,
        EvidenceSource, InterviewId, Sex, Timings,
    };
    use serde_json::Value;
    use uuid::Uuid;

    fn document() -> AssessmentDocument {
        let base = lafiya_content::load().expect("the embedded base loads");
        let evidence = |id: &str| Evidence {
            id: ConceptId::from(id),
            choice: Choice::Present,
            source: EvidenceSource::Initial,
            duration_days: Some(2),
            severity: None,
            value: None,
        };
        let case = DeidentifiedCase {
            age: Age::from_years(30),
            sex: Sex::Female,
            region: None,
            month: None,
            evidence: base.findings()[..9]
                .iter()
                .map(|it| evidence(&it.text.id))
                .collect(),
        };
        AssessmentDocument {
            form: FORM,
            assessment_id: AssessmentId(Uuid::now_v7()),
            interview_id: InterviewId(Uuid::now_v7()),
            knowledge_version: base.content_hash().to_owned(),
            engine_version: lafiya_engine::ENGINE_VERSION.to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            environment: Environment::Live,
            age_group: "adult".to_owned(),
            region: None,
            assessment: review(assess(&base, &case, &Parameters::default()), 0),
            facilities: Vec::new(),
            second_opinion: None,
            model_used: "engine".to_owned(),
            disclaimer: "none".to_owned(),
            timings: Timings::default(),
        }
    }

    #[test]
    fn a_document_reads_as_it_was_written_in_either_form() {
        let document = document();
        let told = serde_json::to_value(&document).unwrap();
        assert!(told["assessment"]["conditions"][0]["contributions"][0].is_object());
        let new = written(&document).unwrap();
        let old = serde_json::to_vec(&document).unwrap();
        assert!(new.len() < old.len());
        for stored in [new, old] {
            let again: AssessmentDocument = read(&stored).unwrap();
            assert_eq!(serde_json::to_value(&again).unwrap(), told);
            assert_eq!(
                read::<Value>(&stored).unwrap(),
                told,
                "what an export gives"
            );
        }
    }

    #[test]
    fn a_field_that_is_not_known_yet_is_passed_over() {
        let mut told = serde_json::to_value(document()).unwrap();
        told["assessment"]["of_a_later_version"] = Value::Bool(true);
        let stored = rmp_serde::to_vec_named(&told).unwrap();
        assert!(read::<AssessmentDocument>(&stored).is_ok());
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        let stored = written(&document()).unwrap();
        for damaged in [&b""[..], b"{", &stored[..stored.len() / 2]] {
            assert!(read::<AssessmentDocument>(damaged).is_err());
        }
    }
}
