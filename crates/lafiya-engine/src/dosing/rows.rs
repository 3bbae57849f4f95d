//! Which row of a dose is for this patient.

use lafiya_knowledge::schema::{DoseRow, DoseWho};
use lafiya_knowledge::words::{PatientState, State};
use lafiya_knowledge::{ConceptRef, Facts};

use super::weight::Weight;
use crate::facts::{PatientFacts, Status};

/// Whether something holds for the patient, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    No,
    Unknown,
    Yes,
}

impl Holds {
    pub(super) fn of(is_true: bool) -> Self {
        if is_true { Self::Yes } else { Self::No }
    }
}

/// The rows for this patient.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Chosen<'a> {
    /// One row.
    Row(&'a DoseRow),
    /// Several rows, by a weight that is not known.
    ByWeight(Vec<&'a DoseRow>),
    /// The formulary has no dose for this patient.
    None,
}

/// Returns the first row that fits. A row that may fit, depending on a weight that is not known, is
/// kept beside those after it.
pub(super) fn choose<'a>(
    facts: &PatientFacts<'_>,
    weight: &Weight,
    rows: &'a [DoseRow],
) -> Chosen<'a> {
    let mut possible = Vec::new();
    for row in rows {
        // A state that is not known does not choose a row; the caution for it is asked about.
        if in_group(facts, &row.who) != Holds::Yes {
            continue;
        }
        match weighs(weight, &row.who) {
            Holds::No => {}
            Holds::Unknown => possible.push(row),
            Holds::Yes => {
                possible.push(row);
                break;
            }
        }
    }
    match possible[..] {
        [] => Chosen::None,
        [row] => Chosen::Row(row),
        _ => Chosen::ByWeight(possible),
    }
}

/// Whether the patient is one of a group. A weight that is not known is taken as the usual one.
pub(super) fn is_one_of(facts: &PatientFacts<'_>, weight: &Weight, who: &DoseWho) -> bool {
    in_group(facts, who) == Holds::Yes && who.allows_kg(weight.usual_kg())
}

/// Whether age, sex and state of the patient are those of a group.
pub(super) fn in_group(facts: &PatientFacts<'_>, who: &DoseWho) -> Holds {
    let sexes = who.sex.is_none_or(|sex| sex.allows(facts.sex));
    if !who.ages().contains(facts.age) || !sexes {
        return Holds::No;
    }
    who.state.map_or(Holds::Yes, |state| in_state(facts, state))
}

/// Whether the patient's weight is that of a group.
pub(super) fn weighs(weight: &Weight, who: &DoseWho) -> Holds {
    if !who.asks_weight() {
        return Holds::Yes;
    }
    if let Some((kg, _)) = weight.known {
        return Holds::of(who.allows_kg(kg));
    }
    let [low, high] = weight.range_kg;
    let is_above = who.from_kg.is_some_and(|from| from > high);
    let is_below = who.to_kg.is_some_and(|to| to <= low);
    if is_above || is_below {
        Holds::No
    } else if who.allows_kg(low) && who.allows_kg(high) {
        Holds::Yes
    } else {
        Holds::Unknown
    }
}

/// Whether the patient is in a state.
pub(super) fn in_state(facts: &PatientFacts<'_>, state: PatientState) -> Holds {
    match state {
        PatientState::Pregnant => by_status(facts, State::Pregnant),
        PatientState::Postpartum => by_status(facts, State::Postpartum),
        // Everybody is taken as not pregnant until told otherwise.
        PatientState::NotPregnant => Holds::of(by_status(facts, State::Pregnant) != Holds::Yes),
        PatientState::Breastfeeding => {
            let risks = facts.base.risks_of_state(state).iter();
            let held = risks.map(|ix| of_concept(facts, ConceptRef::Risk(*ix)));
            held.max().unwrap_or(Holds::No)
        }
    }
}

fn by_status(facts: &PatientFacts<'_>, state: State) -> Holds {
    match facts.state_status(state) {
        Status::Present => Holds::Yes,
        Status::Absent => Holds::No,
        Status::Unknown | Status::Unasked => {
            let mut risks = facts.base.state_risks().iter();
            let is_possible = risks.any(|ix| {
                let concept = ConceptRef::Risk(*ix);
                facts.base.risk(*ix).state == Some(state)
                    && facts.base.fits(concept, facts.age, facts.sex)
            });
            if is_possible {
                Holds::Unknown
            } else {
                Holds::No
            }
        }
    }
}

/// Whether a finding, risk factor or test is present.
pub(super) fn of_concept(facts: &PatientFacts<'_>, concept: ConceptRef) -> Holds {
    if facts.is_present(concept) {
        Holds::Yes
    } else if facts.is_absent(concept) || !facts.base.fits(concept, facts.age, facts.sex) {
        Holds::No
    } else {
        Holds::Unknown
    }
}
