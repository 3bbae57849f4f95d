//! Evidence that the patient as entered cannot have: a retained placenta in a man of 80. A wrong
//! entry of the age or sex is likelier than an impossible patient, so such evidence still counts as
//! danger. It does not count for the differential, which rests on the age and sex.

use std::collections::BTreeSet;

use lafiya_knowledge::words::{AgeSpan, SexLimit};
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, AgeBand, DeidentifiedCase, Sex};

use crate::danger::{self, Alarm};
use crate::facts::{Concern, PatientFacts};

impl PatientFacts<'_> {
    /// Reports the evidence that does not fit the age or sex, and whether it counts as danger.
    pub(crate) fn note_misfits(&mut self) {
        for concept in &self.misfits {
            let name = self.base.name_of(*concept);
            let follows = self.base.implied_by(*concept);
            let is_from = |reported: &ConceptRef| reported == concept || follows.contains(reported);
            let mut alarms = self.misfit_alarms.iter();
            let how = if alarms.any(|alarm| alarm.evidence.iter().any(is_from)) {
                "it counts as a danger sign only"
            } else {
                "it was left out"
            };
            self.concerns.push(Concern {
                says: format!("\"{name}\" does not fit the patient's age or sex; {how}."),
                left_out: true,
            });
        }
    }
}

/// Returns the alarms that `misfits`, evidence that is impossible in the patient as entered, would
/// raise in people who can have it.
pub(crate) fn alarms<'a>(
    base: &'a KnowledgeBase,
    case: &DeidentifiedCase,
    misfits: &[ConceptRef],
) -> Vec<Alarm<'a>> {
    let people = misfits.iter().flat_map(|concept| {
        let (sex, ages) = base.limits(*concept);
        let sex = sex_within(sex, case.sex);
        ages_within(ages, case.age)
            .into_iter()
            .map(move |age| (age, sex))
    });
    // Several misfits mostly ask for the same people.
    let people: BTreeSet<(Age, Sex)> = people.collect();
    let mut found: Vec<Alarm<'a>> = Vec::new();
    for (age, sex) in people {
        let mut other = DeidentifiedCase {
            age,
            sex,
            ..case.clone()
        };
        let with = danger::alarms(&PatientFacts::gather_fitting(base, &other));
        let is_misfit = |id: &str| {
            base.resolve(id)
                .is_some_and(|misfit| misfits.contains(&misfit))
        };
        other.evidence.retain(|item| !is_misfit(item.id.as_str()));
        let without = danger::alarms(&PatientFacts::gather_fitting(base, &other));
        let is_among = |alarms: &[Alarm<'_>], alarm: &Alarm<'_>| {
            alarms.iter().any(|other| other.flag.id == alarm.flag.id)
        };
        // What the other age or sex alone would raise is no finding of this patient.
        for alarm in with {
            if !is_among(&without, &alarm) && !is_among(&found, &alarm) {
                found.push(alarm);
            }
        }
    }
    found
}

fn sex_within(limit: SexLimit, entered: Sex) -> Sex {
    match limit {
        _ if limit.allows(entered) => entered,
        SexLimit::Female => Sex::Female,
        SexLimit::Male => Sex::Male,
        SexLimit::Any => entered,
    }
}

/// Returns ages within a span: the age as entered if it fits, or else the nearest one and one of
/// each age band, because a rule may have narrower ages than the finding.
fn ages_within(span: AgeSpan, entered: Age) -> Vec<Age> {
    if span.contains(entered) {
        return vec![entered];
    }
    let oldest = |below: Age| Age::from_days(below.days().saturating_sub(1));
    let ends = [span.from, span.below.map(oldest)];
    let bands = AgeBand::ALL.iter().map(|band| band.youngest());
    let ages = ends.into_iter().flatten().chain(bands);
    ages.filter(|age| span.contains(*age)).collect()
}
