//! The case mix the base implies: what a clinic would see if the priors were right. For a clinician to
//! read; a prior out of proportion shows here first.

use lafiya_engine::case_mix;
use lafiya_knowledge::{KnowledgeBase, words::State};
use lafiya_model::{Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Sex};
use serde::{Deserialize, Serialize};

/// Whose case mix is asked for.
#[derive(Clone, Debug, Deserialize)]
pub struct MixOf {
    /// For people: `Children of 1 to 4 in Kano in September`.
    pub title: String,
    /// `3 years`, `10 days`.
    pub age: String,
    /// The sex.
    pub sex: Sex,
    /// Pregnant or postpartum.
    #[serde(default)]
    pub state: Option<State>,
    /// Region slug.
    #[serde(default)]
    pub region: Option<String>,
    /// 1 to 12.
    #[serde(default)]
    pub month: Option<u8>,
}

/// One condition's share of the visits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Condition id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Of 1,000 visits.
    pub per_1000: f64,
}

/// The commonest conditions, most frequent first. `None` when the age cannot be read.
pub fn commonest(base: &KnowledgeBase, of: &MixOf, how_many: usize) -> Option<Vec<Share>> {
    let age: Age = of.age.parse().ok()?;
    let case = DeidentifiedCase {
        age,
        sex: of.sex,
        region: of.region.clone(),
        month: of.month,
        evidence: of
            .state
            .and_then(|state| says_state(base, state))
            .into_iter()
            .collect(),
    };
    let mut shares: Vec<Share> = case_mix(base, &case)
        .into_iter()
        .zip(base.conditions())
        .map(|(share, condition)| Share {
            id: condition.text.id.clone(),
            name: condition.text.name.clone(),
            per_1000: share * 1000.0,
        })
        .collect();
    shares.sort_by(|a, b| b.per_1000.total_cmp(&a.per_1000));
    shares.truncate(how_many);
    Some(shares)
}

/// The evidence by which a woman says that she is in a state.
pub(crate) fn says_state(base: &KnowledgeBase, state: State) -> Option<Evidence> {
    let risk = base
        .risks()
        .iter()
        .find(|risk| risk.state == Some(state) && risk.implies.is_empty())?;
    Some(told(&risk.text.id, Choice::Present))
}

/// A piece of evidence without duration, severity or value.
pub(crate) fn told(id: &str, choice: Choice) -> Evidence {
    Evidence {
        id: ConceptId(id.to_owned()),
        choice,
        source: EvidenceSource::Initial,
        duration_days: None,
        severity: None,
        value: None,
    }
}
