//! The weight of the patient: as measured, or assumed from the age where that is safe.

use lafiya_knowledge::{ConceptRef, Facts};

use crate::facts::PatientFacts;

/// A measured weight above so many times the median for the age is taken for a mistake.
const DOUBTFUL_ABOVE: f64 = 2.5;
/// A measured weight below this share of the median for the age is taken for a mistake.
const DOUBTFUL_BELOW: f64 = 0.35;
/// The weights that a child of unknown weight may have, as shares of the median.
const USUAL: [f64; 2] = [0.6, 1.6];
/// The usual weight at an age, as a multiple of the least usual one.
const USUAL_ABOVE_LEAST: f64 = 1.6;

/// Where a weight came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightOrigin {
    /// It was measured.
    Measured,
    /// It is the median for age and sex.
    Assumed,
}

/// How heavy the patient is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weight {
    /// The weight to compute with.
    pub(crate) known: Option<(f64, WeightOrigin)>,
    /// The weights that the patient may have if none is known.
    pub(crate) range_kg: [f64; 2],
}

impl Weight {
    pub(crate) fn of(facts: &PatientFacts<'_>) -> Self {
        let weights = facts.base.weights();
        let median = weights.median_kg(facts.age, facts.sex);
        let range_kg = match (median, weights.usual_range_kg(facts.age)) {
            (Some(median), _) => USUAL.map(|share| share * median),
            (None, Some(range)) => range,
            (None, None) => [0.0, f64::INFINITY],
        };
        let measured = weights
            .measure
            .and_then(|ix| facts.value(ConceptRef::Measure(ix)))
            .filter(|kg| *kg > 0.0);
        let is_doubtful = |kg: f64| {
            median.is_some_and(|usual| kg > DOUBTFUL_ABOVE * usual || kg < DOUBTFUL_BELOW * usual)
        };
        let known = match (measured, median) {
            (Some(kg), _) if is_doubtful(kg) => None,
            (Some(kg), _) => Some((kg, WeightOrigin::Measured)),
            (None, Some(median)) => {
                let mut unusual = weights.not_if.iter();
                // To the half kilogram or, in babies, the tenth: it is an assumption.
                let step = if median < 10.0 { 0.1 } else { 0.5 };
                let kg = (median / step).round() * step;
                (!unusual.any(|concept| facts.is_present(*concept)))
                    .then_some((kg, WeightOrigin::Assumed))
            }
            (None, None) => None,
        };
        Self { known, range_kg }
    }

    /// Returns the weight to choose a text by: as known, or the usual one. No dose is computed from
    /// it.
    pub(super) fn usual_kg(&self) -> f64 {
        let usual = || self.range_kg[0] * USUAL_ABOVE_LEAST;
        self.known.map_or_else(usual, |(kg, _)| kg)
    }

    /// Returns the weight for a medicine: one of which a small overdose harms is never computed
    /// from an assumed weight.
    pub(crate) fn for_medicine(&self, is_narrow: bool) -> Self {
        let is_usable =
            |(_, origin): &(f64, WeightOrigin)| !is_narrow || *origin == WeightOrigin::Measured;
        Self {
            known: self.known.filter(is_usable),
            range_kg: self.range_kg,
        }
    }
}
