//! The URLs of code systems and extensions: the standard ones, and our own under the public URL.

/// SNOMED CT.
pub const SNOMED_CT: &str = "http://snomed.info/sct";
/// LOINC.
pub const LOINC: &str = "http://loinc.org";
/// ICD-10 of the WHO.
pub const ICD10: &str = "http://hl7.org/fhir/sid/icd-10";
/// ICD-10-CM of the United States; its first three characters mean the same as in ICD-10.
pub const ICD10_CM: &str = "http://hl7.org/fhir/sid/icd-10-cm";
/// UCUM, units of measure.
pub const UCUM: &str = "http://unitsofmeasure.org";
/// Observation interpretations such as POS, NEG and IND.
pub const INTERPRETATION: &str =
    "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation";
/// The extension with the latitude and longitude of an address.
pub const GEOLOCATION: &str = "http://hl7.org/fhir/StructureDefinition/geolocation";

/// The suffix of our concept code system's URL. The host is ignored: a service behind a proxy has
/// several names, and a code means the same under each of them.
const CONCEPT_PATH: &str = "/fhir/CodeSystem/concept";

/// Our own URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Systems {
    base: String,
    /// The code system of concepts, stored because it is used most.
    concept: String,
}

impl Systems {
    /// Creates the URLs under a public URL without `/v1`.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_fhir::Systems;
    ///
    /// let systems = Systems::new("https://lafiya.example/");
    /// assert_eq!(systems.concept(), "https://lafiya.example/fhir/CodeSystem/concept");
    /// ```
    pub fn new(public_url: &str) -> Self {
        let base = public_url.trim_end_matches('/').to_owned();
        Self {
            concept: format!("{base}{CONCEPT_PATH}"),
            base,
        }
    }

    /// Returns the public URL.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the code system of the concepts of the knowledge base.
    pub fn concept(&self) -> &str {
        &self.concept
    }

    /// Returns the URL of one of our code systems.
    pub fn code_system(&self, name: &str) -> String {
        format!("{}/fhir/CodeSystem/{name}", self.base)
    }

    /// Returns the URL of one of our value sets.
    pub fn value_set(&self, name: &str) -> String {
        format!("{}/fhir/ValueSet/{name}", self.base)
    }

    /// Returns the URL of one of our extensions or profiles.
    pub fn structure(&self, name: &str) -> String {
        format!("{}/fhir/StructureDefinition/{name}", self.base)
    }

    /// Returns the system of one of our identifiers.
    pub fn identifier(&self, name: &str) -> String {
        format!("{}/fhir/identifier/{name}", self.base)
    }

    /// Whether a system is our concept code system.
    pub fn is_concept(&self, system: &str) -> bool {
        system == self.concept() || (system.starts_with("http") && system.ends_with(CONCEPT_PATH))
    }
}
