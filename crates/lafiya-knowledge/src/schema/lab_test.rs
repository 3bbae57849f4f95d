//! `lab-tests.toml`: tests, images and bedside measures, and what a positive one means.

use lafiya_model::Age;
use serde::{Deserialize, Serialize};

use super::measure::{Derivation, NormalRange, OtherUnit};
use crate::words::{AgeSpan, CareLevel, Price, SexLimit, age_words};

/// One lab test, as its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabTest {
    /// `lt_...`, forever.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The name a patient would use; the name serves where this is empty.
    #[serde(default)]
    pub common_name: String,
    /// The group it belongs to.
    pub category: String,
    /// LOINC code, where sure.
    #[serde(default)]
    pub loinc: Option<String>,
    /// SNOMED CT concept, where sure.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// The lowest level that has it.
    pub availability: CareLevel,
    /// What it costs the patient.
    #[serde(default)]
    pub price: Option<Price>,
    /// What `present` stands for: positive, high, low, abnormal.
    #[serde(default)]
    pub what_positive_means: String,
    /// Other names.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// What a report says behind its name when it is abnormal: "consolidation".
    #[serde(default)]
    pub shows: Vec<String>,
    /// Only worth doing in.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Worth doing from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Worth doing below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Findings, risk factors or tests whose presence leaves it nothing to tell.
    #[serde(default)]
    pub not_with: Vec<String>,
    /// The unit of its value, where it has one.
    #[serde(default)]
    pub unit: Option<String>,
    /// Other units that are understood.
    #[serde(default)]
    pub other_units: Vec<OtherUnit>,
    /// Outside is a typing error.
    #[serde(default)]
    pub plausible: Option<[f64; 2]>,
    /// What is normal, by age, from youngest.
    #[serde(default)]
    pub normal: Vec<NormalRange>,
    /// What a value makes present.
    #[serde(default)]
    pub derive: Vec<Derivation>,
    /// What a value makes absent, unless it makes it present.
    #[serde(default)]
    pub absent_unless_derived: Vec<String>,
}

impl LabTest {
    /// The ages at which it is worth doing.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}
