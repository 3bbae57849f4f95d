//! The case mix implied by the knowledge base: what a clinic would see if the priors were right. It
//! is meant for review by a clinician; an implausible prior is most visible here.

use lafiya_engine::case_mix;
use lafiya_knowledge::{KnowledgeBase, words::State};
use lafiya_model::{Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Sex};
use serde::{Deserialize, Serialize};

/// The patient group of a case mix.
#[derive(Clone, Debug, Deserialize)]
pub struct MixOf {
    /// The title for display: `Children of 1 to 4 in Kano in September`.
    pub title: String,
    /// The age: `3 years`, `10 days`.
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
    /// Per 1,000 visits.
    pub per_1000: f64,
}

/// Returns the most common conditions, most frequent first. `None` if the age cannot be parsed.
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

/// Returns the evidence that states that a woman is in a state.
pub(crate) fn says_state(base: &KnowledgeBase, state: State) -> Option<Evidence> {
    let risk = base
        .risks()
        .iter()
        .find(|risk| risk.state == Some(state) && risk.implies.is_empty())?;
    Some(told(&risk.text.id, Choice::Present))
}

/// Returns a piece of evidence without duration, severity or value.
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
