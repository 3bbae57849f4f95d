//! Encodes assessment documents as MessagePack with named fields, which takes half the time of JSON
//! and also allows new fields. Texts of the knowledge base are stored as numbers of a phrase table
//! that the store keeps. Documents in earlier formats stay readable.

use bytes::Bytes;
use lafiya_knowledge::PhraseTable;
use lafiya_model::AssessmentDocument;
use lafiya_model::text::{Cited, Reference};
use rmp::Marker;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::buffers::Buffers;
use crate::context::Context;
use crate::error::ServiceError;
use crate::phrase_tables::{self, PhraseTableId};

/// The current document format: MessagePack, or a list of two items, the id of a phrase table and
/// MessagePack that refers to texts in it. Format 2 is MessagePack without a phrase table, format 1
/// is JSON.
pub(crate) const FORM: u16 = 3;
/// Buffer capacity in bytes, large enough for nearly all documents.
static BUFFERS: Buffers = Buffers::new(24 * 1024);
/// Maximum size of a stored document. Every part of a document is limited, so a larger one is a bug
/// in this service and must not fill the database.
const BYTES_MAX: usize = 1024 * 1024;
/// First byte of a document with a phrase table: a MessagePack list of two items. All others are
/// maps.
const WITH_PHRASE_TABLE: u8 = 0x92;

/// Encodes a document for storage. Texts in the phrase table are written as references.
pub(crate) fn written(
    document: &AssessmentDocument<'_>,
    phrase_table: Option<&PhraseTableId>,
) -> Result<Bytes, ServiceError> {
    let internal = |cause: &dyn std::fmt::Display| ServiceError::Internal(cause.to_string());
    let mut bytes = BUFFERS.take();
    if let Some(phrase_table) = phrase_table {
        bytes.push(WITH_PHRASE_TABLE);
        rmp::encode::write_str(&mut bytes, phrase_table).map_err(|cause| internal(&cause))?;
    }
    let mut writer = rmp_serde::Serializer::new(&mut bytes).with_struct_map();
    let written = match phrase_table {
        // The form that is not human-readable writes texts as references.
        Some(_) => document.serialize(&mut writer),
        // Without a phrase table, a text is written out in full.
        None => document.serialize(&mut writer.with_human_readable()),
    };
    written.map_err(|cause| internal(&cause))?;
    if bytes.len() > BYTES_MAX {
        let size = bytes.len();
        return Err(internal(&format!(
            "a document of {size} bytes is not stored"
        )));
    }
    Ok(BUFFERS.lend(bytes))
}

/// Decodes a stored document of any format into the requested type.
pub(crate) async fn read<T: DeserializeOwned>(
    context: &Context,
    stored: &[u8],
) -> Result<T, ServiceError> {
    match phrase_table_named(stored) {
        None => read_in_full(stored),
        Some((id, document)) => {
            let phrase_table = phrase_tables::find(context, id).await?;
            read_with(document, &phrase_table)
        }
    }
}

/// Splits a document into the id of its phrase table and the rest.
fn phrase_table_named(stored: &[u8]) -> Option<(&str, &[u8])> {
    let named = stored.strip_prefix(&[WITH_PHRASE_TABLE])?;
    rmp::decode::read_str_from_slice(named).ok()
}

fn unreadable(cause: &dyn std::fmt::Display) -> ServiceError {
    ServiceError::Internal(format!("a stored document is unreadable: {cause}"))
}

fn read_with<T: DeserializeOwned>(
    document: &[u8],
    phrase_table: &PhraseTable,
) -> Result<T, ServiceError> {
    let in_full = in_full(document, phrase_table);
    read_in_full(
        &in_full.ok_or_else(|| unreadable(&"it names a text that is not in its phrase table"))?,
    )
}

fn read_in_full<T: DeserializeOwned>(stored: &[u8]) -> Result<T, ServiceError> {
    if stored.first() == Some(&b'{') {
        serde_json::from_slice(stored)
            .and_then(|document| serde_json::from_value(with_weighed(document)))
            .map_err(|cause| unreadable(&cause))
    } else {
        let mut reader = rmp_serde::Deserializer::from_read_ref(stored).with_human_readable();
        T::deserialize(&mut reader).map_err(|cause| unreadable(&cause))
    }
}

/// Returns the document with every reference replaced by its text. MessagePack maps and lists are
/// prefixed with their number of items, not of bytes, so everything else is copied unchanged.
fn in_full(document: &[u8], phrase_table: &PhraseTable) -> Option<Vec<u8>> {
    let mut full = Vec::with_capacity(4 * document.len());
    let mut rest = document;
    while let [first, behind @ ..] = rest {
        // Every reference is of this type, and nothing else in a document is.
        if let Marker::FixExt4 = Marker::from_u8(*first) {
            let ([kind, bytes @ ..], next) = behind.split_first_chunk::<5>()?;
            let words = match Reference::read(i8::from_be_bytes([*kind]), *bytes)? {
                Reference::Phrase(number) => phrase_table.phrase(number)?.into(),
                Reference::Cited(Cited { number, phrase }) => std::borrow::Cow::Owned(Cited::line(
                    number,
                    phrase_table.phrase(phrase.into())?,
                )),
            };
            rmp::encode::write_str(&mut full, &words).ok()?;
            rest = next;
        } else {
            let (value, next) = rest.split_at_checked(1 + length(*first, behind)?)?;
            full.extend_from_slice(value);
            rest = next;
        }
    }
    Some(full)
}

/// Returns the length of a value after its first byte, without the items of a map or list.
fn length(first: u8, behind: &[u8]) -> Option<usize> {
    let number = |bytes: usize| -> Option<usize> {
        let digits = behind.get(..bytes)?.iter();
        Some(digits.fold(0, |number, &digit| number << 8 | usize::from(digit)))
    };
    Some(match Marker::from_u8(first) {
        Marker::FixPos(_) | Marker::FixNeg(_) | Marker::Null | Marker::True | Marker::False => 0,
        Marker::FixMap(_) | Marker::FixArray(_) => 0,
        Marker::U8 | Marker::I8 => 1,
        Marker::U16 | Marker::I16 | Marker::Array16 | Marker::Map16 => 2,
        Marker::U32 | Marker::I32 | Marker::F32 | Marker::Array32 | Marker::Map32 => 4,
        Marker::U64 | Marker::I64 | Marker::F64 => 8,
        Marker::FixStr(length) => length.into(),
        Marker::Str8 | Marker::Bin8 => 1 + number(1)?,
        Marker::Str16 | Marker::Bin16 => 2 + number(2)?,
        Marker::Str32 | Marker::Bin32 => 4 + number(4)?,
        // Types that this service never writes.
        _ => return None,
    })
}

/// Converts format 1, in which every candidate lists the weighed evidence with its weights, to the
/// current format, which lists the evidence once.
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
            let weights = contributions.iter_mut().filter_map(|contribution| {
                let contribution = contribution.as_object_mut()?;
                contribution.remove("weight")
            });
            let weights = weights.collect();
            condition.insert("weights".to_owned(), Value::Array(weights));
            // The same evidence in every candidate, so the last one is as good as any.
            weighed = Value::Array(contributions);
        }
    }
    assessment.entry("weighed").or_insert(weighed);
    document
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use jiff::Timestamp;
    use lafiya_engine::{Parameters, assess, review};
    use lafiya_knowledge::KnowledgeBase;
    use lafiya_model::{
        Age, AssessmentId, Choice, ConceptId, DeidentifiedCase, Environment, Evidence,
        EvidenceSource, InterviewId, Sex, Timings,
    };
    use uuid::Uuid;

    static BASE: LazyLock<KnowledgeBase> =
        LazyLock::new(|| lafiya_content::load().expect("the embedded base loads"));

    fn document() -> AssessmentDocument<'static> {
        document_of(9)
    }

    /// Builds a document with a number of findings.
    fn document_of(findings: usize) -> AssessmentDocument<'static> {
        let base = &*BASE;
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
            evidence: base.findings()[..findings]
                .iter()
                .map(|finding| evidence(&finding.text.id))
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
            case: None,
            assessment: review(assess(base, &case, &Parameters::default()), 0),
            facilities: Vec::new(),
            second_opinion: None,
            model_used: "engine".to_owned(),
            disclaimer: "none".to_owned(),
            timings: Timings::default(),
        }
    }

    /// Encodes a document in format 1: JSON, with the weighed evidence listed for every candidate.
    fn in_form_1(document: &AssessmentDocument<'_>) -> Vec<u8> {
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

    fn in_full_or_with<T: DeserializeOwned>(
        stored: &[u8],
        phrase_table: &PhraseTable,
    ) -> Result<T, ServiceError> {
        match phrase_table_named(stored) {
            None => read_in_full(stored),
            Some((id, document)) => {
                assert_eq!(id, "of-test");
                read_with(document, phrase_table)
            }
        }
    }

    #[test]
    fn a_document_reads_back_in_every_form() {
        let document = document();
        let told = serde_json::to_value(&document).unwrap();
        let weights = told["assessment"]["conditions"][0]["weights"].as_array();
        assert!(
            weights.is_some_and(|weight| weight.len() >= 10),
            "there is something to lose"
        );
        let with_book = written(&document, Some(&"of-test".to_owned())).unwrap();
        let without = written(&document, None).unwrap();
        let forms = [with_book, without, in_form_1(&document).into()];
        for stored in &forms {
            let again: AssessmentDocument<'_> =
                in_full_or_with(stored, BASE.phrase_table()).unwrap();
            assert_eq!(serde_json::to_value(&again).unwrap(), told);
            let exported: Value = in_full_or_with(stored, BASE.phrase_table()).unwrap();
            assert_eq!(exported, told, "what an export gives");
        }
        let sizes = forms.map(|form| form.len());
        // Lines with doses are written for the patient, so no phrase table holds them.
        assert!(
            4 * sizes[0] < 3 * sizes[1] && sizes[1] < sizes[2],
            "{sizes:?}"
        );
    }

    #[test]
    fn the_largest_interview_fits_and_oversized_documents_do_not() {
        let mut document = document_of(150);
        let stored = written(&document, None).unwrap();
        assert!(2 * stored.len() < BYTES_MAX, "{} bytes", stored.len());
        document.disclaimer = "x".repeat(BYTES_MAX);
        assert!(written(&document, None).is_err());
    }

    #[test]
    fn a_document_read_with_another_phrase_table_is_an_error() {
        let stored = written(&document(), Some(&"of-test".to_owned())).unwrap();
        let (_, document) = phrase_table_named(&stored).unwrap();
        let thin: PhraseTable = ["one phrase"].into_iter().collect();
        assert!(read_with::<Value>(document, &thin).is_err());
    }

    #[test]
    fn an_unknown_field_is_ignored() {
        let mut told = serde_json::to_value(document()).unwrap();
        told["assessment"]["of_a_later_version"] = Value::Bool(true);
        let stored = rmp_serde::to_vec_named(&told).unwrap();
        assert!(read_in_full::<AssessmentDocument<'_>>(&stored).is_ok());
    }

    #[test]
    fn damaged_data_is_an_error() {
        for phrase_table in [None, Some("of-test".to_owned())] {
            let stored = written(&document(), phrase_table.as_ref()).unwrap();
            for damaged in [&b""[..], b"{", &stored[..stored.len() / 2], &stored[..9]] {
                let read = in_full_or_with::<AssessmentDocument<'_>>(damaged, BASE.phrase_table());
                assert!(read.is_err());
            }
        }
    }
}
