//! Maps codes of standard terminologies to concepts of the knowledge base and back. The bindings
//! are data of the knowledge base; a code that it does not bind is unknown.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use crate::element::{Element, coding};
use crate::node::Coding;
use crate::systems::{ICD10, ICD10_CM, LOINC, SNOMED_CT, Systems};

/// Finds the concept of the first known coding; a local code takes precedence.
pub(crate) fn find(
    base: &KnowledgeBase,
    systems: &Systems,
    codings: &[Coding<'_>],
) -> Option<ConceptRef> {
    let is_local = |coding: &&Coding<'_>| {
        coding
            .system
            .is_none_or(|system| systems.is_concept(system))
    };
    let local = codings.iter().filter(is_local);
    let others = codings.iter().filter(|coding| !is_local(coding));
    local
        .filter_map(|coding| base.resolve(coding.code))
        .chain(others.filter_map(|other| find_bound(base, other.system?, other.code)))
        .next()
}

/// Returns the local code among the codings. If it is unknown, it is an error rather than a code of
/// another terminology.
pub(crate) fn local_code<'a>(systems: &Systems, codings: &[Coding<'a>]) -> Option<&'a str> {
    codings
        .iter()
        .find(|coding| {
            coding
                .system
                .is_none_or(|system| systems.is_concept(system))
        })
        .map(|coding| coding.code)
}

/// Formats the codings as `system|code`, for messages to the client that sent them.
pub(crate) fn shown(codings: &[Coding<'_>]) -> String {
    let one = |coding: &Coding<'_>| match coding.system {
        Some(system) => format!("{}|{}", token(system), token(coding.code)),
        None => token(coding.code),
    };
    let all: Vec<String> = codings.iter().take(SHOWN_MAX).map(one).collect();
    all.join(", ")
}

/// Maximum number of codings of one concept in a message.
const SHOWN_MAX: usize = 5;
/// Maximum length of a code; no known code is longer.
pub(crate) const TOKEN_CHARACTERS_MAX: usize = 64;

/// Reduces a code or system URL to the characters and the length that one can have, because the
/// client may have sent any text of any size.
fn token(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || ".-_:/".contains(*letter))
        .take(TOKEN_CHARACTERS_MAX)
        .collect()
}

fn find_bound(base: &KnowledgeBase, system: &str, code: &str) -> Option<ConceptRef> {
    match system {
        SNOMED_CT => evidence(base).find(|&item| snomed_of(base, item) == Some(code)),
        LOINC => evidence(base).find(|&item| loinc_of(base, item) == Some(code)),
        ICD10 | ICD10_CM => base.risk_indices().map(ConceptRef::Risk).find(|&risk| {
            icd10_of(base, risk)
                .iter()
                .any(|bound| is_within(code, bound))
        }),
        _ => None,
    }
}

/// Returns all concepts that can be evidence. Measures come first: where a vital sign and a lab
/// test share a code, the vital sign is what was measured at the bedside.
fn evidence(base: &KnowledgeBase) -> impl Iterator<Item = ConceptRef> + '_ {
    let measures = base
        .measures()
        .iter()
        .filter_map(|measure| base.resolve(&measure.text.id));
    measures
        .chain(base.finding_indices().map(ConceptRef::Finding))
        .chain(base.lab_indices().map(ConceptRef::Lab))
        .chain(base.risk_indices().map(ConceptRef::Risk))
}

/// Whether an ICD-10 code is within a category: `E11.9` is within `E11`.
fn is_within(code: &str, bound: &str) -> bool {
    code.strip_prefix(bound)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || bound.contains('.'))
}

fn snomed_of(base: &KnowledgeBase, concept: ConceptRef) -> Option<&str> {
    match concept {
        ConceptRef::Finding(ix) => base.finding(ix).text.snomed_ct.as_deref(),
        ConceptRef::Measure(ix) => base.measure(ix).text.snomed_ct.as_deref(),
        ConceptRef::Risk(ix) => base.risk(ix).text.snomed_ct.as_deref(),
        ConceptRef::Lab(ix) => base.lab(ix).text.snomed_ct.as_deref(),
        ConceptRef::Condition(ix) => base.condition(ix).text.snomed_ct.as_deref(),
    }
}

fn loinc_of(base: &KnowledgeBase, concept: ConceptRef) -> Option<&str> {
    match concept {
        ConceptRef::Finding(ix) => base.finding(ix).text.loinc.as_deref(),
        ConceptRef::Measure(ix) => base.measure(ix).text.loinc.as_deref(),
        ConceptRef::Lab(ix) => base.lab(ix).text.loinc.as_deref(),
        ConceptRef::Risk(_) | ConceptRef::Condition(_) => None,
    }
}

fn icd10_of(base: &KnowledgeBase, concept: ConceptRef) -> &[String] {
    match concept {
        ConceptRef::Risk(ix) => &base.risk(ix).text.icd10,
        _ => &[],
    }
}

/// Returns every coding of a concept: the local one first, then those bound in the knowledge base.
pub(crate) fn codings_of<'a>(
    base: &'a KnowledgeBase,
    systems: &'a Systems,
    id: &'a str,
    name: &'a str,
) -> Vec<Element<'a>> {
    let mut codings = vec![coding(systems.concept(), id, name)];
    if let Some(concept) = base.resolve(id) {
        let bound = [
            (SNOMED_CT, snomed_of(base, concept)),
            (LOINC, loinc_of(base, concept)),
        ];
        for (system, code) in bound {
            codings.extend(code.map(|code| coding(system, code, "")));
        }
    }
    codings
}

#[cfg(test)]
mod tests {
    use super::{is_within, shown};
    use crate::node::Coding;

    #[test]
    fn displayed_codes_are_bounded_and_escaped() {
        let long = "<b>Amina Okafor</b>".repeat(10_000);
        let coding = Coding {
            system: Some(&long),
            code: &long,
            display: Some(&long),
        };
        let shown = shown(&[coding; 100]);
        assert!(shown.len() < 1000, "{} bytes", shown.len());
        assert!(!shown.contains(['<', '>']), "{shown}");
    }

    #[test]
    fn a_code_is_matched_by_its_block() {
        assert!(is_within("E11", "E11"));
        assert!(is_within("E11.9", "E11"));
        assert!(is_within("D57.00", "D57.0"));
        assert!(!is_within("E1", "E11"));
        assert!(!is_within("E110", "E11"));
    }
}
