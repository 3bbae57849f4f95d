//! The wire types of `/parse`: both variants of the contract in one object.

use std::borrow::Cow;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Age, ConceptKind, Sex};
use lafiya_service::parse::ReadText;
use lafiya_text::{Mention, ParseContext, Parsed};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::wire::assess_request::AGE_DAYS_MAX;
use crate::wire::fields::{Field, JsonPointer, Object, Problems, Shorthand, Word, read_object};

const TEXT_CHARACTERS_MAX: usize = 2000;
const AGE_YEARS_MAX: i64 = 120;

/// Free text about a patient.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct ParseBody<'a> {
    /// At most 2,000 characters
    #[serde(default, borrow)]
    #[schema(value_type = String, min_length = 1, max_length = 2000, example = "3/7 hx of fever, chills & vomiting, no cough")]
    text: Field<Cow<'a, str>>,
    /// `{"value": 30}`, or the number itself
    #[serde(default)]
    #[schema(value_type = Option<AgeValue>)]
    age: Object<AgeValue>,
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "female")]
    sex: Field<Word<Sex>>,
    /// Instead of `age` and `sex`
    #[serde(default)]
    #[schema(value_type = Option<ParseContextBody>)]
    context: Object<ParseContextBody>,
    /// The day the text was written; used to compute the duration of "since Sunday"
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    evaluated_at: Field<String>,
}

#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct ParseContextBody {
    #[serde(default)]
    #[schema(value_type = Option<AgeValue>)]
    age: Object<AgeValue>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    sex: Field<Word<Sex>>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    location: Field<String>,
}

/// An age in completed years, or in months or days.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct AgeValue {
    /// At most 120 years, 1,440 months or 43,800 days
    #[serde(default)]
    #[schema(value_type = u32, minimum = 0, maximum = 43800)]
    value: Field<i64>,
    /// `year` (the default), `month` or `day`: a baby of five days is not a child of five years
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "year")]
    unit: Field<String>,
    /// The age was sent as a bare number.
    #[serde(skip)]
    bare: bool,
}

impl Shorthand for ParseContextBody {}
impl Shorthand for AgeValue {
    fn from_integer(years: i64) -> Option<Self> {
        Some(Self {
            value: Field::Given(years),
            unit: Field::default(),
            bare: true,
        })
    }
}

/// A text and what else is known about the patient.
pub(crate) struct ParseRequest<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) context: ParseContext,
}

pub(crate) fn read(bytes: &[u8]) -> Result<ParseRequest<'_>, ApiError> {
    let body: ParseBody<'_> = read_object(bytes)?;
    let mut problems = Problems::default();
    let text = read_text(body.text, &mut problems);
    let age = read_age("/age", body.age, &mut problems);
    let sex = problems.word("/sex", body.sex);
    let (context_age, context_sex) = match body.context {
        Object::Missing => (None, None),
        Object::WrongType => {
            problems.note("/context", "must be an object");
            (None, None)
        }
        Object::Given(context) => {
            problems.optional("/context/location", context.location);
            (
                read_age("/context/age", context.age, &mut problems),
                problems.word("/context/sex", context.sex),
            )
        }
    };
    if age.is_some() && context_age.is_some() && age != context_age {
        problems.note("/context/age", "differs from /age");
    }
    if sex.is_some() && context_sex.is_some() && sex != context_sex {
        problems.note("/context/sex", "differs from /sex");
    }
    let evaluated_at = problems.day("/evaluated_at", body.evaluated_at);
    problems.into_result(|| {
        let context = ParseContext {
            age: age.or(context_age),
            sex: sex.or(context_sex),
            evaluated_at,
        };
        Some(ParseRequest {
            text: text?,
            context,
        })
    })
}

fn read_text<'a>(field: Field<Cow<'a, str>>, problems: &mut Problems) -> Option<Cow<'a, str>> {
    let text = problems.optional("/text", field);
    match &text {
        None => problems.require("/text"),
        Some(text) if text.trim().is_empty() => problems.note("/text", "must not be empty"),
        Some(text) if text.chars().count() > TEXT_CHARACTERS_MAX => {
            problems.note(
                "/text",
                format!("may have at most {TEXT_CHARACTERS_MAX} characters"),
            );
        }
        Some(_) => return text,
    }
    None
}

fn read_age(pointer: &str, field: Object<AgeValue>, problems: &mut Problems) -> Option<Age> {
    let age = match field {
        Object::Missing => return None,
        Object::Given(age) => age,
        Object::WrongType => {
            problems.note(pointer, "must be an integer or an object with value");
            return None;
        }
    };
    let unit = problems.optional(JsonPointer(pointer, "unit"), age.unit);
    let (in_a_year, of): (i64, fn(u32) -> Age) = match unit.as_deref() {
        None | Some("year" | "years") => (1, Age::from_years),
        Some("month" | "months") => (12, Age::from_months),
        Some("day" | "days") => (365, Age::from_days),
        Some(_) => {
            problems.note(JsonPointer(pointer, "unit"), "must be year, month or day");
            return None;
        }
    };
    let pointer = if age.bare {
        pointer.to_owned()
    } else {
        [pointer, "/value"].concat()
    };
    let Some(value) = problems.optional(&pointer, age.value) else {
        problems.require(&pointer);
        return None;
    };
    let most = AGE_YEARS_MAX * in_a_year;
    match u32::try_from(value) {
        Ok(small) if value <= most => Some(of(small)),
        _ => {
            problems.note(pointer, format!("must be an integer from 0 to {most}"));
            None
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ParseAnswer<'a> {
    /// In text order
    mentions: Vec<MentionAnswer<'a>>,
    /// True when nothing was guessed
    obvious: bool,
    /// The age that the text states, in the fields of a request to `/assess`; null if it states
    /// none, or one that differs from the request
    patient: Option<StatedAge>,
    /// Tests whose results the text states: `present` means positive, or the test's own word for
    /// it; ready to be sent as evidence
    lab_tests: Vec<MentionAnswer<'a>>,
    /// The variant form: symptoms that are present
    symptoms: Vec<SymptomMention<'a>>,
    /// The variant form: risk factors that are present
    risk_factors: Vec<RiskFactorMention<'a>>,
}

/// The age of a patient. For small children the days or months are given besides the years.
#[derive(Serialize, ToSchema)]
pub(crate) struct StatedAge {
    /// Completed years
    age: u32,
    /// Below one year
    #[serde(skip_serializing_if = "Option::is_none")]
    age_months: Option<u32>,
    /// Up to 60 days
    #[serde(skip_serializing_if = "Option::is_none")]
    age_days: Option<u32>,
}

impl From<Age> for StatedAge {
    fn from(age: Age) -> Self {
        let in_days = i64::from(age.days()) <= AGE_DAYS_MAX;
        let months = (0..12)
            .rev()
            .find(|months| Age::from_months(*months) <= age);
        Self {
            age: age.years(),
            age_months: months.filter(|_| age.years() == 0 && !in_days),
            age_days: in_days.then_some(age.days()),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MentionAnswer<'a> {
    id: &'a str,
    /// The words as written
    orth: &'a str,
    name: &'a str,
    common_name: &'a str,
    /// `present`, `absent` or `unknown`
    choice_id: &'static str,
    /// `symptom`, `risk_factor` or `lab_test`
    #[serde(rename = "type")]
    kind: &'static str,
    /// `mild`, `moderate`, `severe`, or empty if not stated
    severity: &'static str,
    /// Null if no number can be derived
    duration_days: Option<u32>,
    /// A measured value as written
    value: Option<&'a str>,
    /// 0 to 1
    confidence: f64,
    /// Offset of the first character
    start: usize,
    /// Offset after the last character
    end: usize,
    /// `lexicon`, or `model` if a language model found the words
    found_by: &'static str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SymptomMention<'a> {
    id: &'a str,
    name: &'a str,
    confidence: f64,
    duration_days: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RiskFactorMention<'a> {
    id: &'a str,
    name: &'a str,
    confidence: f64,
}

impl<'a> ParseAnswer<'a> {
    pub(crate) fn of(base: &'a KnowledgeBase, read: &'a ReadText) -> Self {
        let parsed: &'a Parsed = &read.parsed;
        let present = |kind: ConceptKind| {
            let mentions = parsed.mentions.iter();
            mentions.filter(move |mention| {
                mention.concept.kind() == kind && mention.choice == lafiya_model::Choice::Present
            })
        };
        let told = |mentions: &'a [Mention]| {
            let answers = mentions.iter().map(|mention| {
                MentionAnswer::of(base, mention, read.by_model.contains(&mention.concept))
            });
            answers.collect()
        };
        Self {
            mentions: told(&parsed.mentions),
            lab_tests: told(&parsed.tests),
            obvious: parsed.obvious,
            patient: parsed.age.map(StatedAge::from),
            // A measured value is not a symptom, normal or not: its meaning is a separate mention.
            symptoms: present(ConceptKind::Symptom)
                .filter(|mention| mention.value.is_none())
                .map(|mention| SymptomMention {
                    id: base.id_of(mention.concept),
                    name: base.name_of(mention.concept),
                    confidence: rounded(mention.confidence),
                    duration_days: mention.duration_days,
                })
                .collect(),
            risk_factors: present(ConceptKind::RiskFactor)
                .map(|mention| RiskFactorMention {
                    id: base.id_of(mention.concept),
                    name: base.name_of(mention.concept),
                    confidence: rounded(mention.confidence),
                })
                .collect(),
        }
    }
}

impl<'a> MentionAnswer<'a> {
    fn of(base: &'a KnowledgeBase, mention: &'a Mention, by_model: bool) -> Self {
        Self {
            id: base.id_of(mention.concept),
            orth: &mention.orth,
            name: base.name_of(mention.concept),
            common_name: base.common_name_of(mention.concept),
            choice_id: mention.choice.as_str(),
            kind: mention.concept.kind().as_str(),
            severity: mention.severity.map_or("", |severity| severity.as_str()),
            duration_days: mention.duration_days,
            value: mention.value.as_deref(),
            confidence: rounded(mention.confidence),
            start: mention.start,
            end: mention.end,
            found_by: if by_model { "model" } else { "lexicon" },
        }
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
