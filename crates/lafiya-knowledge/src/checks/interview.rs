//! Checks what an interview asks: danger screens, gates, exposures, scales and question families.

use std::collections::BTreeMap;

use lafiya_model::{Age, Sex};

use super::Report;
use crate::base::ConceptRef;
use crate::schema::When;
use crate::words::ScaleKind;

/// More items than this are not read as one question.
const ITEMS_MAX: usize = 8;
/// More exposures than this of one entry would never be reached.
const EXPOSURES_MAX: usize = 4;

/// Checks the texts and the length of screens, gates, exposures and scales, and that every item of
/// a screen can be asked of somebody of its ages.
pub(super) fn form(report: &mut Report<'_>) {
    let content = report.content;
    for screen in &content.screens {
        let id = &screen.id;
        if !(1..=ITEMS_MAX).contains(&screen.items.len()) {
            report.complain(id, "items", format!("a screen has 1 to {ITEMS_MAX} items"));
        }
        let texts = [
            ("question", &screen.question),
            ("caregiver_question", &screen.caregiver_question),
            ("explanation", &screen.explanation),
        ];
        for (name, _) in texts.iter().filter(|(_, text)| text.trim().is_empty()) {
            report.complain(id, "", format!("`{id}` has no {name}"));
        }
        if screen.when == When::default() {
            report.complain(id, "when", "nothing opens the screen");
        }
        let span = screen.when.age.map(|age| age.span()).unwrap_or_default();
        let base = report.base;
        for item in &screen.items {
            let Some(concept) = base.resolve(item) else {
                continue;
            };
            let fits = |age| {
                let of_sex = |sex| base.fits(concept, age, sex);
                span.contains(age) && (of_sex(Sex::Male) || of_sex(Sex::Female))
            };
            if !every_age().any(fits) {
                let says = format!("`{item}` is asked of nobody of the ages of this screen");
                report.complain(id, item, says);
            }
        }
    }
    for gate in &content.gates {
        if gate.ask.is_empty() {
            report.complain(&gate.id, "ask", "the gate asks for nothing");
        }
    }
    for exposure in &content.exposures {
        if !(1..=EXPOSURES_MAX).contains(&exposure.ask.len()) {
            let says = format!("an exposure asks for 1 to {EXPOSURES_MAX} things");
            report.complain(&exposure.id, "ask", says);
        }
        if exposure.when == When::default() {
            report.complain(&exposure.id, "when", "the exposure is asked of nobody");
        }
    }
    for scale in &content.scales {
        let id = &scale.id;
        for text in [
            &scale.question,
            &scale.caregiver_question,
            &scale.explanation,
        ] {
            if text.trim().is_empty() {
                report.complain(id, "", "the scale lacks a text");
            }
        }
        let with_options = scale.kind == ScaleKind::Onset;
        if with_options == scale.option.is_empty() {
            report.complain(id, "option", "only an onset has options, at least one");
        }
    }
}

/// Returns one age of each part of life, for checks over all ages.
fn every_age() -> impl Iterator<Item = Age> {
    let days = [3, 20, 40, 100, 300].map(Age::from_days);
    days.into_iter().chain((1..=100).map(Age::from_years))
}

/// Notes families with a single member, which are usually spelling mistakes.
pub(super) fn families(report: &mut Report<'_>) {
    let base = report.base;
    let findings = base.finding_indices().map(ConceptRef::Finding);
    let risks = base.risk_indices().map(ConceptRef::Risk);
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for concept in findings.chain(risks) {
        let family = match concept {
            ConceptRef::Finding(ix) => base.finding(ix).text.family.as_deref(),
            ConceptRef::Risk(ix) => base.risk(ix).text.family.as_deref(),
            _ => None,
        };
        if let Some(family) = family {
            members.entry(family).or_default().push(base.id_of(concept));
        }
    }
    for (family, ids) in members {
        if let [only] = ids[..] {
            report.note(
                only,
                "family",
                format!("nothing else is of the family `{family}`"),
            );
        }
    }
}
