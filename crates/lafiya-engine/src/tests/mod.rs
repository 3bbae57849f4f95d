//! Tests of the engine: what must hold for every case over the whole knowledge base.

mod opinions;
mod places;
mod plans;
mod properties;
mod values;

use lafiya_knowledge::{ConceptRef, FindingIx, KnowledgeBase};
use lafiya_model::{Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Sex};
use std::sync::LazyLock;

pub(crate) static BASE: LazyLock<KnowledgeBase> =
    LazyLock::new(|| lafiya_content::load().expect("the embedded base loads"));

fn item(id: &str, choice: Choice) -> Evidence {
    Evidence {
        id: ConceptId::from(id),
        choice,
        source: EvidenceSource::Initial,
        duration_days: None,
        severity: None,
        value: None,
    }
}

fn case(age: Age, sex: Sex, evidence: Vec<Evidence>) -> DeidentifiedCase {
    DeidentifiedCase {
        age,
        sex,
        region: None,
        month: Some(6),
        evidence,
    }
}

fn finding_id(ix: FindingIx) -> &'static str {
    BASE.id_of(ConceptRef::Finding(ix))
}
