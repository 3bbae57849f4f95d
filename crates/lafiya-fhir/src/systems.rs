//! The URLs of code systems and extensions: those of the world, and our own under the public base.

/// SNOMED CT.
pub const SNOMED_CT: &str = "http://snomed.info/sct";
/// LOINC.
pub const LOINC: &str = "http://loinc.org";
/// ICD-10 of the WHO.
pub const ICD10: &str = "http://hl7.org/fhir/sid/icd-10";
/// ICD-10 of the United States; its first three characters mean the same.
pub const ICD10_CM: &str = "http://hl7.org/fhir/sid/icd-10-cm";
/// Units of measure.
pub const UCUM: &str = "http://unitsofmeasure.org";
/// POS, NEG, IND and the like.
pub const INTERPRETATION: &str =
    "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation";
/// The extension that carries latitude and longitude of an address.
pub const GEOLOCATION: &str = "http://hl7.org/fhir/StructureDefinition/geolocation";

/// Where a local code system ends, whatever the host: a service behind a proxy is known by several
/// names, and a code means the same under each of them.
const CONCEPT_PATH: &str = "/fhir/CodeSystem/concept";

/// Our own URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Systems {
    base: String,
    /// Of every concept: the one that is written most.
    concept: String,
}

impl Systems {
    /// The URLs under a public address, without `/v1`.
    pub fn new(public_url: &str) -> Self {
        let base = public_url.trim_end_matches('/').to_owned();
        Self {
            concept: format!("{base}{CONCEPT_PATH}"),
            base,
        }
    }

    /// The public address.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The code system of every concept of the knowledge base.
    pub fn concept(&self) -> &str {
        &self.concept
    }

    /// A code system of ours.
    pub fn code_system(&self, name: &str) -> String {
        format!("{}/fhir/CodeSystem/{name}", self.base)
    }

    /// A value set of ours.
    pub fn value_set(&self, name: &str) -> String {
        format!("{}/fhir/ValueSet/{name}", self.base)
    }

    /// An extension or profile of ours.
    pub fn structure(&self, name: &str) -> String {
        format!("{}/fhir/StructureDefinition/{name}", self.base)
    }

    /// The system of an identifier of ours.
    pub fn identifier(&self, name: &str) -> String {
        format!("{}/fhir/identifier/{name}", self.base)
    }

    /// Whether a system means our concepts.
    pub fn is_concept(&self, system: &str) -> bool {
        system == self.concept() || (system.starts_with("http") && system.ends_with(CONCEPT_PATH))
    }
}
