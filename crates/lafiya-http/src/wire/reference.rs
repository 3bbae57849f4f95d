//! The wire types of the reference endpoints.

use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use lafiya_knowledge::{ConceptRef, Condition, KnowledgeBase};
use lafiya_model::ConceptKind;
use lafiya_service::reference::{self, ListRequest, Page};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::error::ApiError;
use crate::json::Json;
use crate::wire::page::OFFSET_MAX;
use crate::wire::query::Params;

const QUERY_CHARACTERS_MAX: usize = 200;
const CATEGORY_CHARACTERS_MAX: usize = 50;
const LIMIT_DEFAULT: u64 = 20;
const LIMIT_MAX: u64 = 50;

/// Parameters of every list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "documents what `read_list_request` reads")]
pub(crate) struct ListParams {
    /// Words to search for
    #[param(max_length = 200)]
    query: Option<String>,
    /// The category to filter by; an unknown one gives an empty list
    #[param(max_length = 50)]
    category: Option<String>,
    /// Page size
    #[param(minimum = 1, maximum = 50, default = 20)]
    limit: Option<u32>,
    /// Results to skip
    #[param(minimum = 0, default = 0)]
    offset: Option<u64>,
    /// `true` wraps the list in an object with `total`
    #[param(default = false)]
    envelope: Option<bool>,
}

/// Reads the parameters of a list, and whether an envelope is requested.
pub(crate) fn read_list_request(mut params: Params) -> Result<(ListRequest, bool), ApiError> {
    let request = ListRequest {
        query: params.text("query", QUERY_CHARACTERS_MAX),
        category: params.text("category", CATEGORY_CHARACTERS_MAX),
        limit: params.integer("limit", 1..=LIMIT_MAX, LIMIT_DEFAULT) as usize,
        offset: params
            .integer("offset", 0..=OFFSET_MAX, 0)
            .try_into()
            .unwrap_or(usize::MAX),
    };
    let envelope = params.flag("envelope");
    params.problems.into_result(|| Some((request, envelope)))
}

/// A symptom, sign, vital sign or measurement.
#[derive(Serialize, ToSchema)]
pub(crate) struct SymptomItem<'a> {
    #[schema(example = "s_fever")]
    id: &'a str,
    name: &'a str,
    common_name: &'a str,
    #[schema(example = "general")]
    category: &'a str,
}

/// A risk factor.
#[derive(Serialize, ToSchema)]
pub(crate) struct RiskFactorItem<'a> {
    #[schema(example = "p_pregnancy")]
    id: &'a str,
    name: &'a str,
    category: &'a str,
}

/// A lab test.
#[derive(Serialize, ToSchema)]
pub(crate) struct LabTestItem<'a> {
    #[schema(example = "lt_haemoglobin")]
    id: &'a str,
    name: &'a str,
    category: &'a str,
}

/// A condition in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConditionItem<'a> {
    #[schema(example = "c_uncomplicated_malaria")]
    id: &'a str,
    name: &'a str,
    common_name: &'a str,
    category: &'a str,
    icd10: &'a str,
    /// `mild`, `moderate`, `severe` or `critical`
    severity: &'static str,
}

macro_rules! item {
    ($item:ident { $($field:ident: $method:ident),+ }) => {
        impl<'a> ListItem<'a> for $item<'a> {
            fn of(base: &'a KnowledgeBase, concept: ConceptRef) -> Self {
                Self { $($field: base.$method(concept)),+ }
            }
        }
    };
}

/// An item of a list.
pub(crate) trait ListItem<'a>: Serialize {
    fn of(base: &'a KnowledgeBase, concept: ConceptRef) -> Self;
}

item!(SymptomItem {
    id: id_of,
    name: name_of,
    common_name: common_name_of,
    category: category_of
});
item!(RiskFactorItem {
    id: id_of,
    name: name_of,
    category: category_of
});
item!(LabTestItem {
    id: id_of,
    name: name_of,
    category: category_of
});

impl<'a> ListItem<'a> for ConditionItem<'a> {
    fn of(base: &'a KnowledgeBase, concept: ConceptRef) -> Self {
        let text = concept.condition().map(|ix| &base.condition(ix).text);
        Self {
            id: base.id_of(concept),
            name: base.name_of(concept),
            common_name: base.common_name_of(concept),
            category: base.category_of(concept),
            icd10: text.map_or("", |text| &text.icd10),
            severity: text.map_or("", |text| text.severity.as_str()),
        }
    }
}

/// Answers a list request with a bare array, or with an object that contains the list and its
/// total.
pub(crate) fn answer_list<'a, Item: ListItem<'a>>(
    base: &'a KnowledgeBase,
    kind: ConceptKind,
    envelope_name: &'static str,
    params: Params,
) -> Result<Response, ApiError> {
    let (request, envelope) = read_list_request(params)?;
    let Page { items, total } = reference::list(base, kind, &request);
    let items: Vec<Item> = items
        .into_iter()
        .map(|concept| Item::of(base, concept))
        .collect();
    let mut response = if envelope {
        Json(serde_json::json!({ envelope_name: items, "total": total })).into_response()
    } else {
        Json(items).into_response()
    };
    response
        .headers_mut()
        .insert("x-total-count", HeaderValue::from(total));
    Ok(response)
}

/// The main facts about a condition.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConditionDetail<'a> {
    #[schema(example = "c_uncomplicated_malaria")]
    id: &'a str,
    name: &'a str,
    description: &'a str,
    prevalence: PrevalenceText<'a>,
    /// Names of its findings, most common first
    symptoms: Vec<&'a str>,
    /// Names of its risk factors
    risk_factors: Vec<&'a str>,
    treatment_overview: &'a str,
    resources: Vec<ResourceLink<'a>>,
    common_name: &'a str,
    icd10: &'a str,
    /// Empty if no SNOMED CT concept is bound
    snomed_ct: &'a str,
    category: &'a str,
    severity: &'static str,
    /// Whether clinicians have signed off the content
    #[schema(example = "awaiting_clinical_sign_off")]
    review_status: &'static str,
    /// Titles of the sources
    sources: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PrevalenceText<'a> {
    global: &'a str,
    africa: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ResourceLink<'a> {
    title: &'a str,
    url: &'a str,
}

impl<'a> ConditionDetail<'a> {
    pub(crate) fn of(base: &'a KnowledgeBase, condition: &'a Condition) -> Self {
        let text = &condition.text;
        Self {
            id: &text.id,
            name: &text.name,
            description: &text.description,
            prevalence: PrevalenceText {
                global: &text.prevalence.global,
                africa: &text.prevalence.africa,
            },
            symptoms: condition
                .findings
                .iter()
                .map(|link| base.finding(link.finding).text.name.as_str())
                .collect(),
            risk_factors: condition
                .risks
                .iter()
                .map(|link| base.risk(link.risk).text.name.as_str())
                .collect(),
            treatment_overview: &text.education.treatment_overview,
            resources: text
                .education
                .resources
                .iter()
                .map(|resource| ResourceLink {
                    title: &resource.title,
                    url: &resource.url,
                })
                .collect(),
            common_name: &text.common_name,
            icd10: &text.icd10,
            snomed_ct: text.snomed_ct.as_deref().unwrap_or_default(),
            category: &text.category,
            severity: text.severity.as_str(),
            review_status: review_status(condition),
            sources: condition
                .sources
                .iter()
                .map(|&source| citation(base, source))
                .collect(),
        }
    }
}

fn review_status(condition: &Condition) -> &'static str {
    condition
        .text
        .review
        .as_ref()
        .map_or("awaiting_clinical_sign_off", |review| {
            review.status.as_str()
        })
}

fn citation(base: &KnowledgeBase, source: lafiya_knowledge::SourceIx) -> String {
    let source = base.source(source);
    format!("{}, {}, {}", source.title, source.publisher, source.year)
}

/// What a patient should know: both shapes of the contract in one object.
#[derive(Serialize, ToSchema)]
pub(crate) struct EducationAnswer<'a> {
    condition_id: &'a str,
    condition_name: &'a str,
    education: EducationText<'a>,
    title: &'a str,
    summary: &'a str,
    key_facts: &'a [String],
    when_to_seek_care: &'a str,
    prevention_tips: &'a [String],
}

#[derive(Serialize, ToSchema)]
pub(crate) struct EducationText<'a> {
    overview: &'a str,
    symptoms: &'a [String],
    prevention: &'a [String],
    treatment_overview: Option<&'a str>,
    severity: &'static str,
    home_care: &'a [String],
    when_to_seek_care: &'a str,
    resources: Vec<ResourceLink<'a>>,
}

impl<'a> EducationAnswer<'a> {
    pub(crate) fn of(condition: &'a Condition) -> Self {
        let text = &condition.text;
        let education = &text.education;
        Self {
            condition_id: &text.id,
            condition_name: &text.name,
            education: EducationText {
                overview: &education.overview,
                symptoms: &education.symptoms,
                prevention: &education.prevention,
                treatment_overview: Some(education.treatment_overview.as_str())
                    .filter(|words| !words.is_empty()),
                severity: text.severity.as_str(),
                home_care: &education.home_care,
                when_to_seek_care: &education.when_to_seek_care,
                resources: education
                    .resources
                    .iter()
                    .map(|resource| ResourceLink {
                        title: &resource.title,
                        url: &resource.url,
                    })
                    .collect(),
            },
            title: &text.common_name,
            summary: &education.overview,
            key_facts: &education.key_facts,
            when_to_seek_care: &education.when_to_seek_care,
            prevention_tips: &education.prevention,
        }
    }
}
