//! The wire types of `/search`.

use jiff::Timestamp;
use lafiya_knowledge::{KnowledgeBase, MedicineIx};
use lafiya_model::Sex;
use lafiya_text::Hit;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::error::ApiError;
use crate::wire::query::Params;

const PHRASE_CHARACTERS_MAX: usize = 200;
const RESULTS_MAX: u64 = 20;
const RESULTS_DEFAULT: u64 = 8;

/// Parameters of a search.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "documents what `read` reads")]
pub(crate) struct SearchParams {
    /// What to search for
    #[param(min_length = 1, max_length = 200)]
    phrase: String,
    /// Excludes what this sex cannot have: `male`, `female` or `other`
    sex: Option<String>,
    #[param(minimum = 1, maximum = 20, default = 8)]
    max_results: Option<u32>,
}

pub(crate) struct SearchRequest {
    pub(crate) phrase: String,
    pub(crate) sex: Option<Sex>,
    pub(crate) max_results: usize,
}

pub(crate) fn read(mut params: Params) -> Result<SearchRequest, ApiError> {
    let phrase = params.text("phrase", PHRASE_CHARACTERS_MAX);
    if phrase.is_none() {
        params.problems.require("/phrase");
    }
    let sex: Option<Sex> = params.word("sex");
    let max_results = params.integer("max_results", 1..=RESULTS_MAX, RESULTS_DEFAULT) as usize;
    params.problems.into_result(|| {
        Some(SearchRequest {
            phrase: phrase?,
            sex,
            max_results,
        })
    })
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SearchAnswer<'a> {
    /// Best first
    data: Vec<HitAnswer<'a>>,
    meta: SearchMeta<'a>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct HitAnswer<'a> {
    id: &'a str,
    name: &'a str,
    /// `symptom`, `risk_factor`, `lab_test`, `condition` or `medicine`
    #[serde(rename = "type")]
    kind: &'static str,
    category: &'a str,
    /// 0 to 1, in descending order
    similarity: f64,
    common_name: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SearchMeta<'a> {
    total: usize,
    phrase: &'a str,
    #[schema(format = DateTime)]
    timestamp: String,
}

impl<'a> SearchAnswer<'a> {
    pub(crate) fn of(
        base: &'a KnowledgeBase,
        (hits, medicines): (&[Hit], &[(MedicineIx, f64)]),
        max_results: usize,
        phrase: &'a str,
        now: Timestamp,
    ) -> Self {
        let mut data: Vec<HitAnswer<'a>> = hits
            .iter()
            .map(|hit| HitAnswer {
                id: base.id_of(hit.concept),
                name: base.name_of(hit.concept),
                kind: hit.concept.kind().as_str(),
                category: base.category_of(hit.concept),
                similarity: (hit.similarity * 1e4).round() / 1e4,
                common_name: base.common_name_of(hit.concept),
            })
            .collect();
        data.extend(medicines.iter().map(|&(ix, similarity)| {
            let text = &base.medicine(ix).text;
            HitAnswer {
                id: &text.id,
                name: &text.name,
                kind: "medicine",
                category: &text.class,
                similarity,
                common_name: &text.name,
            }
        }));
        // The sort is stable: of equally similar hits, concepts stand before medicines.
        data.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        data.truncate(max_results);
        Self {
            meta: SearchMeta {
                total: data.len(),
                phrase,
                timestamp: now.to_string(),
            },
            data,
        }
    }
}
