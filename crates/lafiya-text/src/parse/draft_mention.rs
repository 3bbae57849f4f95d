//! A recognised concept, while details about it are still being collected.

use lafiya_knowledge::{ConceptRef, Finding, KnowledgeBase};
use lafiya_model::{Choice, Severity};

use super::lexicon::Sense;
use super::matches::{Match, Tokens};

/// A mention under construction.
#[derive(Clone, Debug)]
pub(super) struct DraftMention {
    pub concept: ConceptRef,
    /// The tokens it covers, in order; never empty.
    pub core: Tokens,
    /// The first and the last of them, cached because they are needed often.
    pub ends: (usize, usize),
    pub choice: Choice,
    /// Why it is not about the patient's present state. It is then left out of the result.
    pub dropped: Option<Dropped>,
    pub severity: Option<Severity>,
    pub duration: Option<StatedDuration>,
    pub value: Option<String>,
    pub confidence: f64,
    /// Derived by the parser from another mention or a number, so scope rules do not apply to it.
    pub derived: bool,
    /// Mentioned as the reason for taking a medicine.
    pub reason: bool,
    /// Expressed as an ability of the patient: "eats well".
    pub well: bool,
    /// Stated about now, in contrast to an earlier state: "no fever now".
    pub now: bool,
}

/// Why a mention is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dropped {
    /// Conditional: "if", "in case".
    Hypothetical,
    /// About another person.
    OtherPerson,
    /// In the past.
    Past,
    /// A number among its words says something else: "13 weeks gestation" is not "below 13 weeks
    /// gestation".
    Misread,
}

/// A duration: a number of days, or one that cannot be expressed in days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StatedDuration(pub Option<u32>);

impl DraftMention {
    /// Adds the findings of a match: one, two if the phrase means both, or none if it has no
    /// meaning.
    pub(super) fn enter(found: Match, drafts: &mut Vec<Self>) {
        let choice = match (found.sense, found.denied_inside) {
            (Sense::Lacks(_), _) | (Sense::Has(_), true) => Choice::Absent,
            _ => Choice::Present,
        };
        let Some(concept) = found.concept() else {
            return;
        };
        let well = matches!(found.sense, Sense::Lacks(_));
        let one = |concept: ConceptRef, core: Tokens| Self {
            // The general rules of negation leave an ability alone; `scope` has one of its own for
            // "does not eat well".
            derived: well,
            well,
            ..Self::new(concept, core, choice, found.confidence)
        };
        // Few phrases have two meanings; the tokens are copied only for those.
        if let Some(also) = found.also {
            drafts.push(one(concept, found.core.clone()));
            drafts.push(one(also, found.core));
        } else {
            drafts.push(one(concept, found.core));
        }
    }

    pub(super) fn new(concept: ConceptRef, core: Tokens, choice: Choice, confidence: f64) -> Self {
        let first = core.first().copied().unwrap_or_default();
        Self {
            concept,
            ends: (first, core.last().copied().unwrap_or(first)),
            core,
            choice,
            dropped: None,
            severity: None,
            duration: None,
            value: None,
            confidence,
            derived: false,
            reason: false,
            well: false,
            now: false,
        }
    }

    /// Creates a finding derived from other words of the text, which words such as "no" do not
    /// affect.
    pub(super) fn derived(concept: ConceptRef, core: Tokens) -> Self {
        Self {
            derived: true,
            ..Self::new(concept, core, Choice::Present, 0.95)
        }
    }

    /// Whether the patient has it.
    pub(super) fn is_had(&self) -> bool {
        self.choice == Choice::Present && self.dropped.is_none()
    }

    /// Sets the duration unless it has one already; a number replaces one without a number.
    pub(super) fn last_for(&mut self, lasting: StatedDuration) {
        if self.duration.is_none_or(|known| known.0.is_none()) {
            self.duration = Some(lasting);
        }
    }

    #[inline]
    pub(super) fn first(&self) -> usize {
        self.ends.0
    }

    #[inline]
    pub(super) fn last(&self) -> usize {
        self.ends.1
    }

    pub(super) fn is_finding(&self) -> bool {
        matches!(self.concept, ConceptRef::Finding(_))
    }
}

/// Whether a concept is a finding that is dangerous by itself.
pub(super) fn is_danger(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    let finding = concept.finding().map(|ix| base.finding(ix));
    finding.is_some_and(Finding::is_danger)
}
