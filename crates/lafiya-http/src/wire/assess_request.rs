//! The body of `POST /assess`: its shape and its limits. All mistakes in it are reported at once.

use std::fmt::Display;

use lafiya_model::{
    Age, AgeUnit, AssessmentId, Case, Choice, Disagreement, EvidenceSource, IdRefusal, InterviewId,
    Severity, Sex, SubmittedEvidence,
};
use lafiya_service::assess::AssessRequest;
use lafiya_service::{FieldError, ServiceError};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::wire::fields::{
    Field, Items, JsonPointer, Object, Problems, Scalar, Shorthand, Word, read_object,
};

pub(crate) const AGE_YEARS_MAX: i64 = 120;
pub(crate) const AGE_MONTHS_MAX: i64 = 59;
pub(crate) const AGE_DAYS_MAX: i64 = 60;
const WEIGHT_KG_MIN: f64 = 0.3;
const WEIGHT_KG_MAX: f64 = 300.0;
const EVIDENCE_ITEMS_MAX: usize = 50;
const RISK_FACTORS_MAX: usize = 30;
const PREVIOUS_EVIDENCE_MAX: usize = 30;
const ID_CHARACTERS_MAX: usize = 200;
const LOCATION_CHARACTERS_MAX: usize = 200;
const DURATION_DAYS_MAX: i64 = 50_000;

/// A patient and what is known about the illness.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct AssessBody {
    #[schema(value_type = PatientBody)]
    #[serde(default)]
    patient: Object<PatientBody>,
    /// 1 to 50 items
    #[schema(value_type = Vec<EvidenceBody>, min_items = 1, max_items = 50)]
    #[serde(default)]
    evidence: Items<EvidenceBody>,
    /// Concept ids of risk factors that are present, or objects with `id` and `choice_id`
    #[schema(value_type = Option<Vec<RiskFactorBody>>, max_items = 30)]
    #[serde(default)]
    risk_factors: Items<RiskFactorBody>,
    /// Evidence from earlier turns; `evidence` takes precedence
    #[schema(value_type = Option<Vec<EvidenceBody>>, max_items = 30)]
    #[serde(default)]
    previous_evidence: Items<EvidenceBody>,
    /// Continues an interview; a UUID, or `int_` and a UUID
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    interview_id: Field<String>,
    /// The date that the season is derived from; today if omitted
    #[schema(value_type = Option<String>, format = Date)]
    #[serde(default)]
    evaluated_at: Field<String>,
    /// Language of the reader, such as `en`; responses are in English for now
    #[schema(value_type = Option<String>, max_length = 35)]
    #[serde(default)]
    language: Field<String>,
}

#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct PatientBody {
    /// Completed years
    #[schema(value_type = u32, minimum = 0, maximum = 120, example = 30)]
    #[serde(default)]
    age: Field<i64>,
    #[schema(value_type = String, example = "female")]
    #[serde(default)]
    sex: Field<Word<Sex>>,
    /// A place name, or a region slug such as `lagos`
    #[schema(value_type = Option<String>, max_length = 200)]
    #[serde(default)]
    location: Field<String>,
    /// For children under five: completed months
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 59)]
    #[serde(default)]
    age_months: Field<i64>,
    /// For newborns: completed days
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 60)]
    #[serde(default)]
    age_days: Field<i64>,
    /// The weight in kilograms, from which doses are computed
    #[schema(value_type = Option<f64>, minimum = 0.3, maximum = 300, example = 14)]
    #[serde(default)]
    weight_kg: Field<f64>,
}

#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct EvidenceBody {
    /// Concept id of a symptom, risk factor or lab test
    #[schema(value_type = String, example = "s_fever")]
    #[serde(default)]
    id: Field<String>,
    /// `present`, `absent` or `unknown`
    #[schema(value_type = String, example = "present")]
    #[serde(default)]
    choice_id: Field<Word<Choice>>,
    /// `initial`, `suggest`, `predefined` or `red_flags`
    #[schema(value_type = String, example = "initial")]
    #[serde(default)]
    source: Field<Word<EvidenceSource>>,
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 50_000)]
    #[serde(default)]
    duration_days: Field<i64>,
    /// `mild`, `moderate` or `severe`
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    severity: Field<Word<Severity>>,
    /// A measured value, such as `39.5`
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    value: Field<String>,
}

/// A concept id, or an object.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct RiskFactorBody {
    #[serde(default)]
    #[schema(value_type = String, example = "p_pregnancy")]
    id: Field<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "present")]
    choice_id: Field<Word<Choice>>,
    #[serde(skip)]
    is_bare: bool,
}

impl Shorthand for PatientBody {}
impl Shorthand for EvidenceBody {}
impl Shorthand for RiskFactorBody {
    fn from_text(id: &str) -> Option<Self> {
        Some(Self {
            id: Field::Given(id.to_owned()),
            choice_id: Field::Missing,
            is_bare: true,
        })
    }
}

/// What is sent besides the body: headers and the request id.
pub(crate) struct Envelope {
    pub(crate) interview_header: Option<String>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) digest: [u8; 32],
    pub(crate) assessment_id: AssessmentId,
    /// The concept that a weight is evidence of, if the knowledge base has one.
    pub(crate) weight_measure: Option<String>,
}

/// Reads a body and reports every mistake in it. `unknown` checks the concept of a claim; it is
/// called only if the body is refused anyway, so that a client learns of all mistakes at once.
pub(crate) fn read(
    bytes: &[u8],
    envelope: Envelope,
    unknown: impl Fn(&SubmittedEvidence) -> Option<FieldError>,
) -> Result<AssessRequest, ApiError> {
    let body: AssessBody = read_object(bytes)?;
    let mut problems = Problems::default();
    let no_evidence = matches!(&body.evidence, Items::Missing) || body.evidence.is_empty();

    let patient = read_patient(body.patient, &mut problems);
    let mut evidence = read_evidence(
        "/evidence",
        body.evidence,
        EVIDENCE_ITEMS_MAX,
        &mut problems,
    );
    let previous_evidence = read_evidence(
        "/previous_evidence",
        body.previous_evidence,
        PREVIOUS_EVIDENCE_MAX,
        &mut problems,
    );
    let risk_factors = read_risk_factors(body.risk_factors, &mut problems);
    let interview_id =
        read_interview_id(body.interview_id, envelope.interview_header, &mut problems);
    let evaluated_at = problems.day("/evaluated_at", body.evaluated_at);
    read_language(body.language, &mut problems);
    if !problems.is_empty() {
        let claims = evidence.iter().chain(&risk_factors);
        for problem in claims.chain(&previous_evidence).filter_map(unknown) {
            problems.add(problem);
        }
    }
    if no_evidence {
        if problems.is_empty() {
            return Err(ServiceError::NoEvidence.into());
        }
        problems.note("/evidence", "must hold at least one item");
    }
    problems.into_result(|| {
        let (age, age_unit, sex, location, weight_kg) = patient?;
        evidence.extend(
            weight_kg
                .zip(envelope.weight_measure)
                .map(|(kg, id)| weight(id, kg)),
        );
        Some(AssessRequest {
            case: Case {
                age,
                age_unit,
                sex,
                location,
                coordinate: None,
                evidence,
                risk_factors,
                previous_evidence,
                evaluated_at,
                left_out: Vec::new(),
                disagreement: Disagreement::Refused,
            },
            interview_id,
            digest: envelope.digest,
            idempotency_key: envelope.idempotency_key,
            assessment_id: envelope.assessment_id,
            corrects: None,
            corrects_patient: false,
        })
    })
}

/// The longest language tag that BCP 47 recommends every implementation to accept.
const LANGUAGE_CHARACTERS_MAX: usize = 35;

fn read_language(field: Field<String>, problems: &mut Problems) {
    let language = problems.optional("/language", field);
    if language.is_some_and(|tag| tag.is_empty() || tag.chars().count() > LANGUAGE_CHARACTERS_MAX) {
        problems.note("/language", "must be a language tag such as en");
    }
}

/// Returns a weight as evidence, as if it had been sent as a measured value.
fn weight(id: String, kg: f64) -> SubmittedEvidence {
    SubmittedEvidence {
        pointer: "/patient/weight_kg".to_owned(),
        is_bare: true,
        id,
        choice: Choice::Present,
        source: EvidenceSource::Predefined,
        duration_days: None,
        severity: None,
        value: Some(kg.to_string()),
    }
}

type Patient = (Age, AgeUnit, Sex, Option<String>, Option<f64>);

fn read_patient(patient: Object<PatientBody>, problems: &mut Problems) -> Option<Patient> {
    let patient = match patient {
        Object::Given(patient) => patient,
        Object::Missing => {
            problems.note("/patient", "is required");
            return None;
        }
        Object::WrongType => {
            problems.note("/patient", "must be an object");
            return None;
        }
    };
    let years = bounded(problems, "/patient/age", patient.age, AGE_YEARS_MAX);
    if years.is_none() {
        problems.require("/patient/age");
    }
    let months = bounded(
        problems,
        "/patient/age_months",
        patient.age_months,
        AGE_MONTHS_MAX,
    );
    let days = bounded(
        problems,
        "/patient/age_days",
        patient.age_days,
        AGE_DAYS_MAX,
    );
    let sex = problems.required_word("/patient/sex", patient.sex);
    let location = problems.optional("/patient/location", patient.location);
    if location
        .as_ref()
        .is_some_and(|place| place.chars().count() > LOCATION_CHARACTERS_MAX)
    {
        problems.note(
            "/patient/location",
            format!("may have at most {LOCATION_CHARACTERS_MAX} characters"),
        );
    }
    let weight_kg = problems.optional("/patient/weight_kg", patient.weight_kg);
    if weight_kg.is_some_and(|kg| !(WEIGHT_KG_MIN..=WEIGHT_KG_MAX).contains(&kg)) {
        problems.note(
            "/patient/weight_kg",
            format!("must be a number from {WEIGHT_KG_MIN} to {WEIGHT_KG_MAX}"),
        );
    }
    let age = read_age("/patient", (years?, months, days), problems)?;
    let location = location.filter(|place| !place.trim().is_empty());
    Some((age, finest_unit(months, days), sex?, location, weight_kg))
}

fn finest_unit(months: Option<u32>, days: Option<u32>) -> AgeUnit {
    match (days, months) {
        (Some(_), _) => AgeUnit::Days,
        (None, Some(_)) => AgeUnit::Months,
        (None, None) => AgeUnit::Years,
    }
}

/// Returns the most precise age given in years, months and days. The less precise values must agree
/// with it.
pub(crate) fn read_age(
    owner: &str,
    (years, months, days): (u32, Option<u32>, Option<u32>),
    problems: &mut Problems,
) -> Option<Age> {
    if months.is_some_and(|months| months / 12 != years) {
        problems.note(
            format!("{owner}/age_months"),
            format!("does not agree with an age of {years} years"),
        );
        return None;
    }
    if days.is_some_and(|days| {
        years != 0 || months.is_some_and(|months| days / 31 > months || (days / 28) < months)
    }) {
        problems.note(
            format!("{owner}/age_days"),
            "does not agree with the age in years or months",
        );
        return None;
    }
    Some(match (days, months) {
        (Some(days), _) => Age::from_days(days),
        (None, Some(months)) => Age::from_months(months),
        // "0 years" without months or days is read as the middle of the first year, not as a
        // newborn.
        (None, None) if years == 0 => Age::from_months(6),
        (None, None) => Age::from_years(years),
    })
}

fn read_evidence(
    pointer: &str,
    items: Items<EvidenceBody>,
    max: usize,
    problems: &mut Problems,
) -> Vec<SubmittedEvidence> {
    let items = items.read(pointer, max, problems);
    items
        .into_iter()
        .filter_map(|(pointer, item)| read_claim(pointer, item, problems))
        .collect()
}

fn read_claim(
    pointer: String,
    item: Object<EvidenceBody>,
    problems: &mut Problems,
) -> Option<SubmittedEvidence> {
    let Object::Given(item) = item else {
        problems.note(pointer, "must be an object with id, choice_id and source");
        return None;
    };
    let at = |field: &'static str| JsonPointer(&pointer, field);
    let id = required_id(problems, at("id"), item.id);
    let choice = problems.required_word(at("choice_id"), item.choice_id);
    let source = problems.required_word(at("source"), item.source);
    let severity = problems.word(at("severity"), item.severity);
    let duration_days = bounded(
        problems,
        at("duration_days"),
        item.duration_days,
        DURATION_DAYS_MAX,
    );
    let value = problems.optional(at("value"), item.value);
    Some(SubmittedEvidence {
        id: id?,
        choice: choice?,
        source: source?,
        duration_days,
        severity,
        value,
        pointer,
        is_bare: false,
    })
}

fn read_risk_factors(
    items: Items<RiskFactorBody>,
    problems: &mut Problems,
) -> Vec<SubmittedEvidence> {
    let items = items.read("/risk_factors", RISK_FACTORS_MAX, problems);
    let read = |(pointer, item): (String, Object<RiskFactorBody>)| {
        let Object::Given(item) = item else {
            problems.note(
                pointer,
                "must be a concept id or an object with id and choice_id",
            );
            return None;
        };
        let id = if item.is_bare {
            required_id(problems, &pointer, item.id)
        } else {
            required_id(problems, JsonPointer(&pointer, "id"), item.id)
        };
        let choice = problems.word(JsonPointer(&pointer, "choice_id"), item.choice_id);
        Some(SubmittedEvidence {
            id: id?,
            choice: choice.unwrap_or(Choice::Present),
            source: EvidenceSource::Predefined,
            duration_days: None,
            severity: None,
            value: None,
            pointer,
            is_bare: item.is_bare,
        })
    };
    items.into_iter().filter_map(read).collect()
}

/// Reads the interview id from a header, for requests whose body has no field for it.
pub(crate) fn read_interview_header(
    header: Option<String>,
) -> Result<Option<InterviewId>, ApiError> {
    let mut problems = Problems::default();
    let id = read_interview_id(Field::Missing, header, &mut problems);
    problems.into_result(|| Some(id))
}

/// Reads the interview id from the header or the body. Both may be given if they agree.
fn read_interview_id(
    body: Field<String>,
    header: Option<String>,
    problems: &mut Problems,
) -> Option<InterviewId> {
    let in_body = problems.optional("/interview_id", body).and_then(|text| {
        let id = InterviewId::from_client(text.strip_prefix("int_").unwrap_or(&text));
        id.map_err(|refusal| {
            let form = match refusal {
                IdRefusal::NotAUuid => ", or int_ and a UUID",
                IdRefusal::Placeholder => "",
            };
            problems.note("/interview_id", format!("{refusal}{form}"));
        })
        .ok()
    });
    let in_header = header.and_then(|text| {
        InterviewId::from_client(&text)
            .map_err(|refusal| problems.note("/headers/X-Interview-Id", refusal.to_string()))
            .ok()
    });
    if let (Some(body), Some(header)) = (in_body, in_header)
        && body != header
    {
        problems.note("/interview_id", "differs from the header X-Interview-Id");
    }
    in_header.or(in_body)
}

fn required_id(
    problems: &mut Problems,
    pointer: impl Display + Copy,
    field: Field<String>,
) -> Option<String> {
    let id = problems.optional(pointer, field);
    match &id {
        None => problems.require(pointer),
        Some(id) if id.is_empty() || id.chars().count() > ID_CHARACTERS_MAX => {
            problems.note(
                pointer,
                format!("must have 1 to {ID_CHARACTERS_MAX} characters"),
            );
        }
        Some(_) => return id,
    }
    None
}

fn bounded(
    problems: &mut Problems,
    pointer: impl Display + Copy,
    field: Field<i64>,
    most: i64,
) -> Option<u32> {
    let number = problems.optional(pointer, field)?;
    match u32::try_from(number) {
        Ok(small) if number <= most => Some(small),
        _ => {
            problems.note(
                pointer,
                format!("{} from 0 to {most}", <i64 as Scalar<'_>>::EXPECTED),
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn envelope() -> Envelope {
        Envelope {
            interview_header: None,
            idempotency_key: None,
            digest: [0; 32],
            assessment_id: AssessmentId(Uuid::nil()),
            weight_measure: Some("s_weight".to_owned()),
        }
    }

    fn pointers(body: &str) -> Vec<String> {
        match read(body.as_bytes(), envelope(), |_| None) {
            Ok(_) => Vec::new(),
            Err(error) => error.pointers(),
        }
    }

    const GOOD: &str = r#"{"patient": {"age": 30, "sex": "female"}, "evidence": [{"id": "s_fever", "choice_id": "present", "source": "initial"}]}"#;

    #[test]
    fn a_valid_body_is_read() {
        let request = read(GOOD.as_bytes(), envelope(), |_| None).unwrap();
        assert_eq!(request.case.age, Age::from_years(30));
        assert_eq!(request.case.evidence.len(), 1);
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let body = r#"{"patient": {"age": 121, "sex": "x"}, "evidence": [{"choice_id": "maybe", "source": 3, "duration_days": -1, "value": 39.5}, 7], "risk_factors": "none"}"#;
        assert_eq!(
            pointers(body),
            [
                "/patient/age",
                "/patient/sex",
                "/evidence/0/id",
                "/evidence/0/choice_id",
                "/evidence/0/source",
                "/evidence/0/duration_days",
                "/evidence/0/value",
                "/evidence/1",
                "/risk_factors"
            ]
        );
    }

    #[test]
    fn ages_of_small_children_must_agree() {
        let with = |age: &str| pointers(&GOOD.replace("\"age\": 30", age));
        assert!(with(r#""age": 0, "age_months": 9"#).is_empty());
        assert!(with(r#""age": 0, "age_months": 1, "age_days": 42"#).is_empty());
        assert!(with(r#""age": 0, "age_days": 5"#).is_empty());
        assert_eq!(
            with(r#""age": 2, "age_months": 9"#),
            ["/patient/age_months"]
        );
        assert_eq!(with(r#""age": 1, "age_days": 5"#), ["/patient/age_days"]);
    }

    #[test]
    fn a_weight_is_read_as_a_measured_value() {
        let with = |weight: &str| GOOD.replace("\"age\": 30", &format!("\"age\": 30, {weight}"));
        for (weight, value) in [
            ("14", "14"),
            ("0.3", "0.3"),
            ("13.5", "13.5"),
            ("300", "300"),
        ] {
            let body = with(&format!("\"weight_kg\": {weight}"));
            let request = read(body.as_bytes(), envelope(), |_| None).unwrap();
            let claim = request.case.evidence.last().unwrap();
            assert_eq!(claim.id, "s_weight");
            assert_eq!(claim.value.as_deref(), Some(value));
        }
        for weight in ["0.2", "301", "-5", "\"14\"", "true"] {
            let body = with(&format!("\"weight_kg\": {weight}"));
            assert_eq!(pointers(&body), ["/patient/weight_kg"], "{weight}");
        }
    }

    #[test]
    fn too_many_items_are_refused() {
        let item = r#"{"id": "s_fever", "choice_id": "present", "source": "initial"}"#;
        let body = format!(
            r#"{{"patient": {{"age": 3, "sex": "male"}}, "evidence": [{}]}}"#,
            vec![item; 51].join(",")
        );
        assert_eq!(pointers(&body), ["/evidence"]);
    }
}
