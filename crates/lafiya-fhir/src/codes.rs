//! Codes of the world to concepts of the knowledge base, and back. The bindings are data of the
//! base: a code that it does not bind means nothing here.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use crate::element::{Element, coding};
use crate::node::Coding;
use crate::systems::{ICD10, ICD10_CM, LOINC, SNOMED_CT, Systems};

/// The concept that one of the codings names; a local code is believed before others.
pub(crate) fn find(
    base: &KnowledgeBase,
    systems: &Systems,
    codings: &[Coding<'_>],
) -> Option<ConceptRef> {
    let is_local = |it: &&Coding<'_>| it.system.is_none_or(|system| systems.is_concept(system));
    let local = codings.iter().filter(is_local);
    let others = codings.iter().filter(|it| !is_local(it));
    local
        .filter_map(|it| base.resolve(it.code))
        .chain(others.filter_map(|it| find_bound(base, it.system?, it.code)))
        .next()
}

/// The local code among them: an unknown one is a mistake, not another vocabulary.
pub(crate) fn local_code<'a>(systems: &Systems, codings: &[Coding<'a>]) -> Option<&'a str> {
    codings
        .iter()
        .find(|it| it.system.is_none_or(|system| systems.is_concept(system)))
        .map(|it| it.code)
}

/// The codings as `system|code`, for messages to the client that sent them.
pub(crate) fn shown(codings: &[Coding<'_>]) -> String {
    let one = |it: &Coding<'_>| match it.system {
        Some(system) => format!("{}|{}", token(system), token(it.code)),
        None => token(it.code),
    };
    let all: Vec<String> = codings.iter().take(SHOWN_MAX).map(one).collect();
    all.join(", ")
}

/// How many codings of one concept a message shows.
const SHOWN_MAX: usize = 5;
/// No code that anybody here could know is longer.
pub(crate) const TOKEN_CHARACTERS_MAX: usize = 64;

/// A code or an address of a code system as far as it can be one: anything may stand in its place,
/// as much as fits into a body.
fn token(text: &str) -> String {
    text.chars()
        .filter(|it| it.is_ascii_alphanumeric() || ".-_:/".contains(*it))
        .take(TOKEN_CHARACTERS_MAX)
        .collect()
}

fn find_bound(base: &KnowledgeBase, system: &str, code: &str) -> Option<ConceptRef> {
    match system {
        SNOMED_CT => evidence(base).find(|&it| snomed_of(base, it) == Some(code)),
        LOINC => evidence(base).find(|&it| loinc_of(base, it) == Some(code)),
        ICD10 | ICD10_CM => base.risk_indices().map(ConceptRef::Risk).find(|&it| {
            icd10_of(base, it)
                .iter()
                .any(|bound| is_within(code, bound))
        }),
        _ => None,
    }
}

/// Everything that can be evidence. Measures come first: where a vital sign and a lab test share a
/// code, the vital sign is what was measured at the bedside.
fn evidence(base: &KnowledgeBase) -> impl Iterator<Item = ConceptRef> + '_ {
    let measures = base
        .measures()
        .iter()
        .filter_map(|it| base.resolve(&it.text.id));
    measures
        .chain(base.finding_indices().map(ConceptRef::Finding))
        .chain(base.lab_indices().map(ConceptRef::Lab))
        .chain(base.risk_indices().map(ConceptRef::Risk))
}

/// `E11.9` lies within `E11`.
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

/// Every coding of a concept: the local one first, then those that the base binds.
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
    fn what_is_shown_of_codes_is_bounded() {
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
    fn a_code_lies_within_its_block() {
        assert!(is_within("E11", "E11"));
        assert!(is_within("E11.9", "E11"));
        assert!(is_within("D57.00", "D57.0"));
        assert!(!is_within("E1", "E11"));
        assert!(!is_within("E110", "E11"));
    }
}
