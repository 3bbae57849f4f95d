//! The document of an assessment as bytes: MessagePack with named fields, which takes half the time of
//! JSON to write and is as open to new fields. Documents of the form before are JSON and stay readable.

use lafiya_model::AssessmentDocument;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

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
        serde_json::from_slice(stored)
            .and_then(|document| serde_json::from_value(with_weighed(document)))
            .map_err(|cause| unreadable(&cause))
    } else {
        let mut reader = rmp_serde::Deserializer::from_read_ref(stored).with_human_readable();
        T::deserialize(&mut reader).map_err(|cause| unreadable(&cause))
    }
}

/// In form 1 every candidate names what was weighed, each with its weight; since then it is named once.
fn with_weighed(mut document: Value) -> Value {
    let Some(Value::Object(assessment)) = document.get_mut("assessment") else {
        return document;
    };
    let mut weighed = Value::Array(Vec::new());
    let conditions = assessment.get_mut("conditions");
    for condition in conditions
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let Some(condition) = condition.as_object_mut() else {
            continue;
        };
        if let Some(Value::Array(mut contributions)) = condition.remove("contributions") {
            let weights = contributions.iter_mut().filter_map(|it| {
                let it = it.as_object_mut()?;
                it.remove("weight")
            });
            let weights = weights.collect();
            condition.insert("weights".to_owned(), Value::Array(weights));
            weighed = Value::Array(contributions);
        }
    }
    assessment.entry("weighed").or_insert(weighed);
    document
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

    /// As form 1 wrote it: JSON, and with every candidate all that was weighed.
    fn in_form_1(document: &AssessmentDocument) -> Vec<u8> {
        let mut told = serde_json::to_value(document).unwrap();
        let weighed = told["assessment"]["weighed"].take();
        told["assessment"]
            .as_object_mut()
            .unwrap()
            .remove("weighed");
        for condition in told["assessment"]["conditions"].as_array_mut().unwrap() {
            let weights = condition.as_object_mut().unwrap().remove("weights");
            let mut contributions = weighed.clone();
            let all = contributions.as_array_mut().unwrap().iter_mut();
            for (one, weight) in all.zip(weights.unwrap().as_array().unwrap()) {
                one["weight"] = weight.clone();
            }
            condition["contributions"] = contributions;
        }
        serde_json::to_vec(&told).unwrap()
    }

    #[test]
    fn a_document_reads_as_it_was_written_in_either_form() {
        let document = document();
        let told = serde_json::to_value(&document).unwrap();
        let weights = told["assessment"]["conditions"][0]["weights"].as_array();
        assert!(
            weights.is_some_and(|it| it.len() >= 10),
            "there is something to lose"
        );
        for stored in [written(&document).unwrap(), in_form_1(&document)] {
            let again: AssessmentDocument = read(&stored).unwrap();
            assert_eq!(serde_json::to_value(&again).unwrap(), told);
            assert_eq!(
                read::<Value>(&stored).unwrap(),
                told,
                "what an export gives"
            );
        }
        assert!(written(&document).unwrap().len() < in_form_1(&document).len());
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
