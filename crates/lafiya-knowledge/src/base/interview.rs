//! What an interview asks before it compares the candidates, with resolved references.

use super::directory::Directory;
use super::index::{ConceptRef, FindingIx, RiskIx};
use super::when::When;
use crate::schema::{self, Content};
use crate::words::{AgeSpan, SexLimit};

/// A danger screen.
#[derive(Clone, Debug)]
pub struct Screen {
    /// The contents of the file.
    pub text: schema::Screen,
    /// Whom it is asked.
    pub when: When,
    /// The danger signs, in order.
    pub items: Vec<FindingIx>,
}

/// A state that must be known first.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The contents of the file.
    pub text: schema::Gate,
    /// The complaints for which it is asked.
    pub complaints: Vec<FindingIx>,
    /// The possible sexes.
    pub sex: SexLimit,
    /// The ages at which it is asked.
    pub ages: AgeSpan,
    /// The risk factors to ask about, in order.
    pub ask: Vec<RiskIx>,
}

/// Exposures that must be asked about.
#[derive(Clone, Debug)]
pub struct Exposure {
    /// The contents of the file.
    pub text: schema::Exposure,
    /// Whom it is asked.
    pub when: When,
    /// What is asked, in order.
    pub ask: Vec<ConceptRef>,
}

/// A question whose answer is a value.
#[derive(Clone, Debug)]
pub struct Scale {
    /// The contents of the file.
    pub text: schema::Scale,
    /// The complaints for which it is asked; empty means any.
    pub of: Vec<FindingIx>,
    /// The finding of each option, in order.
    pub options: Vec<Option<FindingIx>>,
}

/// All of them, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Interview {
    /// Danger screens.
    pub screens: Vec<Screen>,
    /// Gates.
    pub gates: Vec<Gate>,
    /// Exposures.
    pub exposures: Vec<Exposure>,
    /// Scales.
    pub scales: Vec<Scale>,
}

impl Interview {
    /// Takes the entries out of the content.
    pub(super) fn take(content: &mut Content, directory: &Directory) -> Self {
        let finding = |id: &String| directory.exact(id).and_then(ConceptRef::finding);
        let risk = |id: &String| directory.exact(id).and_then(ConceptRef::risk);
        let concept = |id: &String| directory.exact(id);
        let screens = std::mem::take(&mut content.screens).into_iter();
        let gates = std::mem::take(&mut content.gates).into_iter();
        let exposures = std::mem::take(&mut content.exposures).into_iter();
        let scales = std::mem::take(&mut content.scales).into_iter();
        Self {
            screens: screens
                .map(|text| Screen {
                    when: When::compile(&text.when, directory),
                    items: text.items.iter().filter_map(finding).collect(),
                    text,
                })
                .collect(),
            gates: gates
                .map(|text| Gate {
                    complaints: text.complaints.iter().filter_map(finding).collect(),
                    sex: text.sex.unwrap_or(SexLimit::Any),
                    ages: text.ages(),
                    ask: text.ask.iter().filter_map(risk).collect(),
                    text,
                })
                .collect(),
            exposures: exposures
                .map(|text| Exposure {
                    when: When::compile(&text.when, directory),
                    ask: text.ask.iter().filter_map(concept).collect(),
                    text,
                })
                .collect(),
            scales: scales
                .map(|text| Scale {
                    of: text.of.iter().filter_map(finding).collect(),
                    options: text
                        .option
                        .iter()
                        .map(|option| option.finding.as_ref().and_then(finding))
                        .collect(),
                    text,
                })
                .collect(),
        }
    }
}

/// What must be so for a question to be asked, with resolved references.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    /// Asked only if one of these is present; empty means always.
    pub requires: Vec<ConceptRef>,
    /// Not asked if one of these is present.
    pub not_with: Vec<ConceptRef>,
    /// The family of questions of which one answer is enough.
    pub family: Option<u16>,
}

/// Numbers the families of questions.
#[derive(Default)]
pub(super) struct Families(Vec<String>);

impl Families {
    /// Resolves what an entry says about asking.
    pub(super) fn asking(
        &mut self,
        requires: &[String],
        not_with: &[String],
        family: Option<&str>,
        directory: &Directory,
    ) -> Asking {
        let known = |ids: &[String]| ids.iter().filter_map(|id| directory.exact(id)).collect();
        Asking {
            requires: known(requires),
            not_with: known(not_with),
            family: family.map(|family| self.number(family)),
        }
    }

    fn number(&mut self, family: &str) -> u16 {
        let known = self.0.iter().position(|known| known == family);
        let place = known.unwrap_or_else(|| {
            self.0.push(family.to_owned());
            self.0.len() - 1
        });
        place as u16
    }
}
