//! A case as reasoning may see it: no name, no place beyond a region, no text.

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::patient::{Age, Sex};

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
