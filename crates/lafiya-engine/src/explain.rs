//! Explanations in words: the evidence for and against each candidate, the reason for the level,
//! what would change it, and the sources. Weights are shown exactly as they were counted.

use lafiya_knowledge::{ConceptRef, ConditionIx, KnowledgeBase};
use lafiya_model::assessment::{AssessedCondition, Weighed};
use lafiya_model::ids::ConceptId;
use lafiya_model::{Choice, Text};
use smallvec::SmallVec;

use crate::citations::Citations;
use crate::differential::Differential;
use crate::facts::{EvidenceItem, PatientFacts};
use crate::weights::Weights;

/// Weights below this are noise in a list of reasons.
const WORTH_SAYING: f64 = 0.2;
/// If fewer pieces of evidence than this support the leader, the data are reported as insufficient.
const SUPPORT_MIN: usize = 2;
const REASONS_MAX: usize = 8;
/// The number of reasons in a candidate's one-line summary.
const REASONS_IN_LINE: usize = 3;
/// Enough capacity for nearly all lines.
const BYTES_OF_LINE: usize = 256;
/// The lowest probability of two conditions together that is mentioned.
const TOGETHER_MIN: f64 = 0.1;

/// The id and name of contributions other than the evidence.
const PRIOR: (&str, &str) = ("prior", "How common it is in patients like this one");
const COURSE: (&str, &str) = ("course", "How long the illness has lasted");
const SECOND_OPINION: (&str, &str) = ("second_opinion", "What a second opinion makes of it");

/// The evidence in words, shared by all candidates.
pub(crate) struct WeighedEvidence<'a, 'd> {
    pieces: Vec<EvidenceWeight<'a, 'd>>,
    differential: &'d Differential<'a>,
}

struct EvidenceWeight<'a, 'd> {
    id: &'a str,
    name: &'a str,
    choice: Choice,
    /// The wording as a reason for or against.
    reason: Text<'a>,
    /// By hypothesis.
    weights: &'d Weights<'a>,
}

impl<'a, 'd> WeighedEvidence<'a, 'd> {
    pub(crate) fn of(facts: &PatientFacts<'a>, differential: &'d Differential<'a>) -> Self {
        let piece = |(item, weights): &'d (EvidenceItem, Weights<'a>)| {
            let name = facts.base.name_of(item.concept);
            let (choice, reason) = if item.present {
                (Choice::Present, Text::from(name))
            } else {
                const NO: &str = "No ";
                let mut without = String::with_capacity(NO.len() + name.len());
                // One allocation of the right size: this line is built for every absent finding of
                // every answer.
                without.push_str(NO);
                push_lowered(&mut without, name);
                (Choice::Absent, Text::shared(without))
            };
            EvidenceWeight {
                id: facts.base.id_of(item.concept),
                name,
                choice,
                reason,
                weights,
            }
        };
        Self {
            pieces: differential.weights.iter().map(piece).collect(),
            differential,
        }
    }

    /// Returns what [`Self::weights`] refers to: the prior, every piece of evidence, the course and
    /// a second opinion.
    pub(crate) fn weighed(&self) -> Vec<Weighed<'a>> {
        let besides = |(id, name): (&'static str, &'static str)| Weighed {
            id: id.into(),
            name: name.into(),
            choice: None,
        };
        let pieces = self.pieces.iter().map(|piece| Weighed {
            id: piece.id.into(),
            name: piece.name.into(),
            choice: Some(piece.choice),
        });
        let Differential {
            course, opinion, ..
        } = self.differential;
        std::iter::once(besides(PRIOR))
            .chain(pieces)
            .chain(course.as_ref().map(|_| besides(COURSE)))
            .chain(opinion.as_ref().map(|_| besides(SECOND_OPINION)))
            .collect()
    }

    /// Returns the weight of each contribution for a candidate. They add up to its score.
    fn weights(&self, ix: ConditionIx) -> Vec<f64> {
        let of_this = |weights: &[f64]| rounded(weights[ix.index()]);
        let of_pieces = self
            .pieces
            .iter()
            .map(|piece| rounded(piece.weights.at(ix)));
        let differential = self.differential;
        std::iter::once(of_this(&differential.prior))
            .chain(of_pieces)
            .chain(differential.course.as_deref().map(of_this))
            .chain(differential.opinion.as_deref().map(of_this))
            .collect()
    }

    /// Pairs each reason with its displayed weight for a candidate, given all of that candidate's
    /// weights.
    fn reasons(&self, weights: &[f64]) -> impl Iterator<Item = (f64, &Text<'a>)> {
        // The first weight is the prior.
        let of_pieces = weights.iter().skip(1).copied();
        of_pieces.zip(self.pieces.iter().map(|piece| &piece.reason))
    }
}

/// Builds one candidate with its reasons.
pub(crate) fn condition<'a>(
    facts: &PatientFacts<'a>,
    differential: &Differential<'_>,
    pieces: &WeighedEvidence<'a, '_>,
    ix: ConditionIx,
    citations: &mut Citations<'a>,
) -> AssessedCondition<'a> {
    let condition = facts.base.condition(ix);
    let text = &condition.text;
    let weights = pieces.weights(ix);
    let supporting = heaviest(
        pieces
            .reasons(&weights)
            .filter(|(weight, _)| *weight >= WORTH_SAYING),
    );
    let against = heaviest(
        pieces
            .reasons(&weights)
            .filter(|(weight, _)| *weight <= -WORTH_SAYING),
    );
    let mut rationale = one_line(&text.name, &supporting, &against);
    rationale.extend(together(facts, differential, ix));
    AssessedCondition {
        id: ConceptId(text.id.clone()),
        name: Text::from(&text.name),
        common_name: Text::from(&text.common_name),
        probability: rounded(differential.probability(ix)),
        severity: text.severity.as_str().into(),
        icd10: Text::from(&text.icd10),
        snomed_ct: text.snomed_ct.as_ref().map(Text::from).unwrap_or_default(),
        description: Text::from(&text.description),
        rationale,
        citations: condition
            .sources
            .iter()
            .map(|source| citations.cite(*source))
            .collect(),
        insufficient_data: supporting.len() < SUPPORT_MIN,
        supporting,
        against,
        weights,
    }
}

/// Returns the reasons with the largest weights, largest first.
fn heaviest<'a: 'b, 'b>(reasons: impl Iterator<Item = (f64, &'b Text<'a>)>) -> Vec<Text<'a>> {
    let mut heaviest: SmallVec<[(f64, &Text<'a>); 2 * REASONS_MAX]> = reasons.collect();
    heaviest.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let first = heaviest.into_iter().take(REASONS_MAX);
    first.map(|(_, reason)| reason.clone()).collect()
}

/// Adds a sentence if another condition may well be present at the same time.
fn together(
    facts: &PatientFacts<'_>,
    differential: &Differential<'_>,
    ix: ConditionIx,
) -> Option<String> {
    let (other, chance) = differential.together_with(facts, ix)?;
    (chance >= TOGETHER_MIN).then(|| {
        let name = &facts.base.condition(other).text.name;
        format!(
            " {name} may be there at the same time ({:.0} %).",
            chance * 100.0
        )
    })
}

/// Rounds to six decimals. That is more precise than any of these probabilities, and makes answers
/// identical on every machine.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// Appends a name in lower case, for use within a sentence. Acronyms are kept.
fn push_lowered(line: &mut String, name: &str) {
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            line.extend(first.to_lowercase());
            line.push_str(&name[first.len_utf8()..]);
        }
        _ => line.push_str(name),
    }
}

fn one_line(name: &str, supporting: &[Text<'_>], against: &[Text<'_>]) -> String {
    let mut line = String::with_capacity(BYTES_OF_LINE);
    line.push_str(name);
    match (supporting, against) {
        ([], []) => line.push_str(" is listed because it is common in patients like this one"),
        ([], against) => {
            line.push_str(" is possible, but little speaks for it and this speaks against it: ");
            push_first(&mut line, against);
        }
        (supporting, against) => {
            line.push_str(" is supported by: ");
            push_first(&mut line, supporting);
            if !against.is_empty() {
                line.push_str("; against it: ");
                push_first(&mut line, against);
            }
        }
    }
    line.push('.');
    line
}

/// Appends the first [`REASONS_IN_LINE`] reasons.
fn push_first(line: &mut String, reasons: &[Text<'_>]) {
    for (place, reason) in reasons.iter().take(REASONS_IN_LINE).enumerate() {
        if place > 0 {
            line.push_str(", ");
        }
        line.push_str(reason);
    }
}

/// Returns a step of the reasoning: a label and the names of the stated findings that are present,
/// or absent.
pub(crate) fn listed(facts: &PatientFacts<'_>, label: &str, present: bool) -> String {
    let mut line = String::with_capacity(BYTES_OF_LINE);
    line.push_str(label);
    let label_ends = line.len();
    for item in facts
        .evidence_items
        .iter()
        .filter(|item| item.present == present)
    {
        if line.len() > label_ends {
            line.push_str(", ");
        }
        push_lowered(&mut line, facts.base.name_of(item.concept));
    }
    if line.len() == label_ends {
        line.push_str("nothing");
    }
    line.push('.');
    line
}

/// Returns the ids of concepts.
pub(crate) fn ids(base: &KnowledgeBase, concepts: &[ConceptRef]) -> Vec<ConceptId> {
    concepts
        .iter()
        .map(|concept| ConceptId(base.id_of(*concept).to_owned()))
        .collect()
}
