//! What speaks against a medicine in this patient. A caution is hidden only when its reason is
//! known to be absent, or impossible at this age or for this sex.

use lafiya_knowledge::words::CautionKind;
use lafiya_knowledge::{Caution, ConceptRef, ConditionIx, DoseIx, Medicine, Reason, schema};

use super::rows::{Holds, in_group, of_concept, weighs};
use super::weight::Weight;
use crate::facts::PatientFacts;

/// A candidate above this probability gives the reason for a caution by itself.
const REASON_ABOVE: f64 = 0.10;

/// The cautions for a dose, by their place in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    /// The contraindication that holds.
    pub(super) forbidding: Option<usize>,
    /// Cautions that hold.
    pub(super) applying: Vec<usize>,
    /// Cautions whose reason is not known.
    pub(super) unknown: Vec<usize>,
}

/// Judges the cautions of a medicine for one of its doses.
pub(super) fn judge(
    facts: &PatientFacts<'_>,
    weight: &Weight,
    listed: &[(ConditionIx, f64)],
    medicine: &Medicine,
    dose: DoseIx,
) -> Judged {
    let mut judged = Judged::default();
    let texts = medicine.text.caution.iter();
    let both = texts.zip(&medicine.cautions).enumerate();
    for (place, (text, caution)) in both {
        if !caution.concerns(dose) {
            continue;
        }
        match holds(facts, weight, listed, text, caution) {
            Holds::No => {}
            Holds::Unknown => judged.unknown.push(place),
            Holds::Yes => {
                judged.applying.push(place);
                if caution.kind == CautionKind::Contraindicated {
                    judged.forbidding = judged.forbidding.or(Some(place));
                }
            }
        }
    }
    judged
}

/// Whether a caution holds: the patient is one of those concerned, and there is a reason.
fn holds(
    facts: &PatientFacts<'_>,
    weight: &Weight,
    listed: &[(ConditionIx, f64)],
    text: &schema::Caution,
    caution: &Caution,
) -> Holds {
    let concerned = in_group(facts, &text.who).min(weighs(weight, &text.who));
    if concerned == Holds::No || caution.is_by_who {
        return concerned;
    }
    let reasons = caution.reasons.iter();
    let reason = reasons
        .map(|reason| of_reason(facts, listed, *reason))
        .max();
    let by_belt = caution.belt.map(|belt| match facts.belts {
        Some(belts) => Holds::of(belts.contains(&belt)),
        None => Holds::Unknown,
    });
    let reason = reason.max(by_belt).unwrap_or(Holds::No);
    concerned.min(reason)
}

fn of_reason(facts: &PatientFacts<'_>, listed: &[(ConditionIx, f64)], reason: Reason) -> Holds {
    match reason {
        // What else the patient takes is not known.
        Reason::Medicine(_) => Holds::Unknown,
        Reason::Concept(ConceptRef::Condition(ix)) => {
            let found = listed.iter().find(|(condition, _)| *condition == ix);
            match found {
                Some((_, probability)) if *probability > REASON_ABOVE => Holds::Yes,
                Some(_) => Holds::Unknown,
                None => Holds::No,
            }
        }
        Reason::Concept(concept) => of_concept(facts, concept),
    }
}
