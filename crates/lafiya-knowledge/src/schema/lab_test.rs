//! `lab-tests.toml`: laboratory tests, imaging and bedside tests, and the meaning of a positive
//! result.

use lafiya_model::Age;
use serde::{Deserialize, Serialize};

use super::measure::{Derivation, NormalRange, OtherUnit};
use crate::words::{AgeSpan, CareLevel, Price, SexLimit, age_words};

/// One lab test, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabTest {
    /// `lt_...`; never changes.
    pub id: String,
    /// The name.
    pub name: String,
    /// The name a patient would use; `name` is used if this is empty.
    #[serde(default)]
    pub common_name: String,
    /// The group it belongs to.
    pub category: String,
    /// LOINC code, if certain.
    #[serde(default)]
    pub loinc: Option<String>,
    /// SNOMED CT concept, if certain.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// The lowest level of care where it is available.
    pub availability: CareLevel,
    /// The price for the patient.
    #[serde(default)]
    pub price: Option<Price>,
    /// The meaning of `present`: positive, high, low or abnormal.
    #[serde(default)]
    pub what_positive_means: String,
    /// Other names.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Words that follow its name in a report if it is abnormal, such as "consolidation".
    #[serde(default)]
    pub shows: Vec<String>,
    /// The sexes it is useful in.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Useful from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Useful below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Findings, risk factors or tests whose presence makes it uninformative.
    #[serde(default)]
    pub not_with: Vec<String>,
    /// The unit of its value, if it has one.
    #[serde(default)]
    pub unit: Option<String>,
    /// Other accepted units.
    #[serde(default)]
    pub other_units: Vec<OtherUnit>,
    /// Values outside this range are typing errors.
    #[serde(default)]
    pub plausible: Option<[f64; 2]>,
    /// The normal ranges by age, youngest first.
    #[serde(default)]
    pub normal: Vec<NormalRange>,
    /// The findings that a value makes present.
    #[serde(default)]
    pub derive: Vec<Derivation>,
    /// The findings that a value makes absent unless it makes them present.
    #[serde(default)]
    pub absent_unless_derived: Vec<String>,
}

impl LabTest {
    /// Returns the ages at which it is useful.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}
