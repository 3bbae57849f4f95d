//! What a finding means beside another: blisters of somebody who was burnt are a blistered burn, no rash. Which ids is data.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::concept_set::ConceptSet;
use super::known;
use super::spotted::Spotted;
use crate::words::BodyWords;

/// Findings that mean something else in company.
#[derive(Clone, Debug)]
pub(super) struct Company(Vec<Beside>);

#[derive(Clone, Debug)]
struct Beside {
    findings: ConceptSet,
    beside: ConceptSet,
    means: ConceptRef,
}

impl Company {
    pub(super) fn new(base: &KnowledgeBase, words: &BodyWords) -> Self {
        let all = words.company.iter().filter_map(|it| {
            Some(Beside {
                findings: known(base, &it.findings),
                beside: known(base, &it.beside),
                means: base.resolve(&it.means)?,
            })
        });
        Self(all.collect())
    }

    /// Only what the patient has counts, on either side.
    pub(super) fn apply(&self, spotted: &mut [Spotted]) {
        let has = |it: &Spotted, ids: &ConceptSet| ids.contains(it.concept) && it.is_had();
        for company in &self.0 {
            // Most texts have nothing that could mean something else.
            let any = |ids: &ConceptSet| spotted.iter().any(|it| has(it, ids));
            if !any(&company.findings) || !any(&company.beside) {
                continue;
            }
            for it in spotted.iter_mut() {
                if has(it, &company.findings) {
                    it.concept = company.means;
                }
            }
        }
    }
}
