//! A concept spotted in the text, with what is being found out about it.

use lafiya_knowledge::{ConceptRef, Finding, KnowledgeBase};
use lafiya_model::{Choice, Severity};

use super::lexicon::Sense;
use super::matches::{Match, Tokens};

/// A mention in the making.
#[derive(Clone, Debug)]
pub(super) struct Spotted {
    pub concept: ConceptRef,
    /// The tokens that carry it, in order; never empty.
    pub core: Tokens,
    /// The first and the last of them: asked for all the time.
    pub ends: (usize, usize),
    pub choice: Choice,
    /// Why it is not said of the patient's present; it then stays out of the answer.
    pub dropped: Option<Dropped>,
    pub severity: Option<Severity>,
    pub duration: Option<Lasting>,
    pub value: Option<String>,
    pub confidence: f64,
    /// Made by the reader from another mention or a number: scope words do not turn it.
    pub derived: bool,
    /// Named as what a medicine is taken for.
    pub reason: bool,
    /// Told by saying that the patient is well in this respect: "eats well".
    pub well: bool,
    /// Told of now, where it may have been otherwise before: "no fever now".
    pub now: bool,
}

/// Why a mention is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dropped {
    /// If, in case.
    Hypothetical,
    /// Somebody else's.
    OtherPerson,
    /// Of the past.
    Past,
    /// A number among its words says something else: "13 weeks gestation" is not "below 13 weeks gestation".
    Misread,
}

/// How long: a number of days, or a time without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lasting(pub Option<u32>);

impl Spotted {
    /// From a match: one, or two where the phrase says both; a match that means nothing gives none.
    pub(super) fn enter(found: Match, spotted: &mut Vec<Self>) {
        let choice = match (found.sense, found.denied_inside) {
            (Sense::Lacks(_), _) | (Sense::Has(_), true) => Choice::Absent,
            _ => Choice::Present,
        };
        let Some(concept) = found.concept() else {
            return;
        };
        let well = matches!(found.sense, Sense::Lacks(_));
        let one = |concept: ConceptRef, core: Tokens| Self {
            derived: well,
            well,
            ..Self::new(concept, core, choice, found.confidence)
        };
        // Few phrases say two things, and only for those the tokens are copied.
        if let Some(also) = found.also {
            spotted.push(one(concept, found.core.clone()));
            spotted.push(one(also, found.core));
        } else {
            spotted.push(one(concept, found.core));
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

    /// What other words of the text say of the patient, so that words such as "no" do not turn it.
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

    /// Takes a time, unless it has one already; a number is better than none.
    pub(super) fn last_for(&mut self, lasting: Lasting) {
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
