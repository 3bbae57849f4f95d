//! A case as submitted, and the de-identified case that the engine sees: no name, no place more
//! precise than a region, no free text.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::evidence::{Choice, Evidence, EvidenceSource, Severity};
use crate::patient::{Age, AgeUnit, Sex};

/// A case as a client submitted it, with shape and bounds checked. Both `/assess` requests and FHIR
/// Bundles become one. It contains the place as given, so it is never stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The age.
    pub age: Age,
    /// The precision in which the age was given.
    pub age_unit: AgeUnit,
    /// The sex.
    pub sex: Sex,
    /// The place as text.
    pub location: Option<String>,
    /// The coordinates of the place. Only the search for the nearest facility uses them.
    pub coordinate: Option<Coordinate>,
    /// This turn's evidence.
    pub evidence: Vec<SubmittedEvidence>,
    /// Risk factors.
    pub risk_factors: Vec<SubmittedEvidence>,
    /// Evidence from earlier turns that the client sent again.
    pub previous_evidence: Vec<SubmittedEvidence>,
    /// The date that determines the season; today if not given.
    pub evaluated_at: Option<Date>,
    /// Messages about input that could not be used, without patient data.
    pub left_out: Vec<String>,
    /// How conflicting details of the same concept are handled.
    pub disagreement: Disagreement,
}

/// How a duration, severity or value is handled when two claims about the same concept differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The request is refused: its author can correct it.
    Refused,
    /// The first one counts, and a message says that another was left out. For records, which
    /// contain the notes of several people.
    FirstCounts,
}

/// A point on the earth, in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordinate {
    /// North is positive.
    pub latitude: f64,
    /// East is positive.
    pub longitude: f64,
}

impl Coordinate {
    /// Creates a coordinate, or returns `None` if the numbers are out of range.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Coordinate;
    ///
    /// assert!(Coordinate::new(12.0, 8.52).is_some());
    /// assert!(Coordinate::new(91.0, 0.0).is_none());
    /// ```
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        let on_the_globe = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        on_the_globe.then_some(Self {
            latitude,
            longitude,
        })
    }

    /// Rounds to about a kilometre: precise enough to find a hospital, too coarse to find a house.
    #[must_use]
    pub fn coarse(self) -> Self {
        let rounded = |degrees: f64| (degrees * 100.0).round() / 100.0;
        Self {
            latitude: rounded(self.latitude),
            longitude: rounded(self.longitude),
        }
    }
}

/// One piece of evidence as the client sent it, with its shape checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmittedEvidence {
    /// The position in the request: a JSON pointer, or a FHIRPath in a Bundle.
    pub pointer: String,
    /// Whether the claim is a bare id instead of an object.
    pub is_bare: bool,
    /// The id as sent.
    pub id: String,
    /// Whether the patient has it.
    pub choice: Choice,
    /// How it was collected.
    pub source: EvidenceSource,
    /// Duration in days.
    pub duration_days: Option<u32>,
    /// Severity.
    pub severity: Option<Severity>,
    /// A measured value, as text.
    pub value: Option<String>,
}

impl SubmittedEvidence {
    /// Returns the pointer to one of its fields; for a bare id, the pointer to the id itself.
    pub fn place_of(&self, field: &str) -> String {
        if self.is_bare {
            self.pointer.clone()
        } else {
            format!("{}/{field}", self.pointer)
        }
    }
}

/// A case without identifying data. Neither the engine nor a provider ever sees anything else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeidentifiedCase {
    /// The age.
    pub age: Age,
    /// The sex.
    pub sex: Sex,
    /// The region's slug, if the place could be resolved.
    pub region: Option<String>,
    /// The month (1 to 12), because some diseases are seasonal.
    pub month: Option<u8>,
    /// Symptoms, risk factors, measurements and test results.
    pub evidence: Vec<Evidence>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinate_out_of_range_is_none() {
        assert!(Coordinate::new(6.45, 3.39).is_some());
        assert!(Coordinate::new(90.1, 0.0).is_none());
        assert!(Coordinate::new(0.0, -180.5).is_none());
        assert!(Coordinate::new(f64::NAN, 0.0).is_none());
    }
}
