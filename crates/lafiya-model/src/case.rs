//! A case as it is told, and as reasoning may see it: no name, no place beyond a region, no text.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::evidence::{Choice, Evidence, EvidenceSource, Severity};
use crate::patient::{Age, AgeUnit, Sex};

/// What a client tells about one patient, of the right shape and within bounds: what `/assess` and
/// a FHIR Bundle both become. It holds the place as given, so it is never stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The age.
    pub age: Age,
    /// How finely it was told.
    pub age_unit: AgeUnit,
    /// The sex.
    pub sex: Sex,
    /// Where the patient is, in words.
    pub location: Option<String>,
    /// Where the patient is, by coordinates. Only the way to the nearest facility needs it.
    pub coordinate: Option<Coordinate>,
    /// This turn's evidence.
    pub evidence: Vec<Claim>,
    /// Risk factors.
    pub risk_factors: Vec<Claim>,
    /// Evidence of earlier turns that the client repeats.
    pub previous_evidence: Vec<Claim>,
    /// The date the season is taken from; today when not given.
    pub evaluated_at: Option<Date>,
    /// What was sent and could not be used, in sentences without patient data.
    pub left_out: Vec<String>,
    /// What becomes of details of one concept that differ.
    pub disagreement: Disagreement,
}

/// What becomes of a duration, severity or value that two claims about one concept tell differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The request is refused: whoever wrote it can say which one holds.
    Refused,
    /// The first one counts, and it is said that another was left out: a record holds what several people noted.
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
    /// A point, unless the numbers are outside the globe.
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        let on_the_globe = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        on_the_globe.then_some(Self {
            latitude,
            longitude,
        })
    }

    /// The same place to about a kilometre: near enough to find a hospital, too coarse to find a house.
    #[must_use]
    pub fn coarse(self) -> Self {
        let rounded = |degrees: f64| (degrees * 100.0).round() / 100.0;
        Self {
            latitude: rounded(self.latitude),
            longitude: rounded(self.longitude),
        }
    }
}

/// One piece of evidence as the client sent it, of the right shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Where in the request: a JSON pointer, or a FHIRPath in a Bundle.
    pub pointer: String,
    /// Whether it is its id alone, without an object around it.
    pub is_bare: bool,
    /// The id as sent.
    pub id: String,
    /// Whether it is there.
    pub choice: Choice,
    /// How it came in.
    pub source: EvidenceSource,
    /// For how many days.
    pub duration_days: Option<u32>,
    /// How bad.
    pub severity: Option<Severity>,
    /// A measured value as text.
    pub value: Option<String>,
}

impl Claim {
    /// Where one of its fields is; of a bare id there is only the id itself.
    pub fn place_of(&self, field: &str) -> String {
        if self.is_bare {
            self.pointer.clone()
        } else {
            format!("{}/{field}", self.pointer)
        }
    }
}

/// What is told about one patient, with the person taken out. The only thing the engine and any
/// provider ever see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeidentifiedCase {
    /// The age.
    pub age: Age,
    /// The sex.
    pub sex: Sex,
    /// The region's slug, where the place could be resolved.
    pub region: Option<String>,
    /// The month (1 to 12): seasons matter.
    pub month: Option<u8>,
    /// Symptoms, risk factors, measurements and test results.
    pub evidence: Vec<Evidence>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_outside_the_globe_is_none() {
        assert!(Coordinate::new(6.45, 3.39).is_some());
        assert!(Coordinate::new(90.1, 0.0).is_none());
        assert!(Coordinate::new(0.0, -180.5).is_none());
        assert!(Coordinate::new(f64::NAN, 0.0).is_none());
    }
}
