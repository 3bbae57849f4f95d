//! Tests of the engine: what must hold for every case over the whole knowledge base.

mod doses;
mod dosing;
mod isolation;
mod misfits;
mod opinions;
mod places;
mod plans;
mod properties;
mod values;

use lafiya_knowledge::schema::Example;
use lafiya_knowledge::{ConceptRef, FindingIx, KnowledgeBase};
use lafiya_model::{
    Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Severity, Sex,
};
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

/// The patient of a rule's example, or `None` if a value of it is no plain number.
fn patient_of(example: Option<&Example>) -> Option<DeidentifiedCase> {
    let example = example?;
    let mut evidence: Vec<Evidence> = Vec::new();
    for id in example.present.iter().chain(&example.severe) {
        evidence.push(item(id, Choice::Present));
    }
    for id in &example.absent {
        evidence.push(item(id, Choice::Absent));
    }
    for id in &example.severe {
        let named = evidence.iter_mut().filter(|item| item.id.as_str() == id);
        named.for_each(|item| item.severity = Some(Severity::Severe));
    }
    let states = BASE.state_risks().iter().map(|ix| BASE.risk(*ix));
    let mut states = states.filter(|risk| risk.state.is_some() && risk.state == example.state);
    if let Some(risk) = states.find(|risk| risk.implies.is_empty()) {
        evidence.push(item(&risk.text.id, Choice::Present));
    }
    for (id, value) in &example.values {
        let mut measured = item(id, Choice::Present);
        measured.value = Some(value.parse().ok()?);
        evidence.push(measured);
    }
    for (id, days) in &example.days {
        if evidence.iter().all(|item| item.id.as_str() != id) {
            evidence.push(item(id, Choice::Present));
        }
        let named = evidence.iter_mut().filter(|item| item.id.as_str() == id);
        named.for_each(|item| item.duration_days = Some(*days));
    }
    let age = example.age.unwrap_or(Age::from_years(30));
    Some(case(age, example.sex, evidence))
}
