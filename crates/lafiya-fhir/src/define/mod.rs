//! The definitions behind our URLs: code systems, value sets, extensions and profiles, so that a
//! validator can resolve every URL that our resources use.

mod code_systems;
mod structures;
mod value_sets;

use jiff::civil::Date;
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::TriageLevel;

use crate::resource::Resource;
use crate::systems::Systems;

pub(crate) use code_systems::issue_display;

/// The names of our profiles.
pub(crate) mod profile {
    pub(crate) const REQUEST: &str = "assessment-request";
    pub(crate) const ANSWER: &str = "assessment-answer";
    pub(crate) const REPORT: &str = "assessment-report";
    pub(crate) const CONDITION: &str = "candidate-condition";
}

/// Types of definitions, as used in URLs.
pub const KINDS: &[&str] = &[
    "CodeSystem",
    "ValueSet",
    "StructureDefinition",
    "OperationDefinition",
];

/// The data that definitions are built from.
pub struct Definitions<'a> {
    /// The knowledge base that the concepts come from.
    pub base: &'a KnowledgeBase,
    /// Our FHIR URLs.
    pub systems: &'a Systems,
    /// The version of the software.
    pub version: &'a str,
}

impl Definitions<'_> {
    /// Returns a definition by its type and name.
    pub fn find(&self, kind: &str, name: &str) -> Option<Resource<'static>> {
        match kind {
            "CodeSystem" => self.code_system(name),
            "ValueSet" => self.value_set(name),
            "StructureDefinition" => self.structure(name),
            "OperationDefinition" if name == "assess" => Some(self.operation()),
            _ => None,
        }
    }

    /// Returns the names of all definitions of a type.
    pub fn names(kind: &str) -> Vec<&'static str> {
        match kind {
            "CodeSystem" => code_systems::NAMES.to_vec(),
            "ValueSet" => value_sets::NAMES.to_vec(),
            "StructureDefinition" => structures::names(),
            "OperationDefinition" => vec!["assess"],
            _ => Vec::new(),
        }
    }

    /// Returns the definitions of a type as a searchset; with a URL, only the one it names.
    pub fn search(&self, kind: &str, url: Option<&str>) -> Option<Resource<'static>> {
        if !KINDS.contains(&kind) {
            return None;
        }
        let base = self.systems.base();
        let entries: Vec<serde_json::Value> = Self::names(kind)
            .into_iter()
            .filter(|name| match url {
                Some(url) => url == format!("{base}/fhir/{kind}/{name}"),
                // The concept code system is large, so it is returned only on request by URL.
                None => !(kind == "CodeSystem" && *name == "concept"),
            })
            .filter_map(|name| {
                let resource = self.find(kind, name)?.into_value();
                Some(serde_json::json!({
                    "fullUrl": format!("{base}/fhir/{kind}/{name}"),
                    "resource": resource,
                    "search": {"mode": "match"},
                }))
            })
            .collect();
        let total = entries.len();
        let bundle = Resource::new("Bundle")
            .with("type", "searchset")
            .with("total", total)
            .with("entry", entries);
        Some(bundle)
    }

    /// Builds the metadata that all definitions share.
    fn head(&self, kind: &'static str, name: &str, title: &str, says: &str) -> Resource<'static> {
        let url = format!("{}/fhir/{kind}/{name}", self.systems.base());
        let computable: String = name
            .split('-')
            .map(|word| {
                let mut letters = word.chars();
                let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                first.into_iter().chain(letters).collect::<String>()
            })
            .collect();
        Resource::new(kind)
            .with("id", name.to_owned())
            .narrated(&[says])
            .with("url", url)
            .with("version", self.version.to_owned())
            .with("name", computable)
            .with("title", title.to_owned())
            .with("status", "active")
            .with("experimental", false)
            .with("date", self.date().to_string())
            .with("publisher", "Lafiya")
            .with("description", says.to_owned())
    }

    fn operation(&self) -> Resource<'static> {
        let parameter = |name: &str, direction: &str, profile: &str| {
            serde_json::json!({
                "name": name, "use": direction, "min": 1, "max": "1", "type": "Bundle",
                "targetProfile": [self.systems.structure(profile)],
            })
        };
        self.head(
            "OperationDefinition",
            "assess",
            "Assess a patient",
            "Ranked candidates, triage, red flags, tests, care and referral for the patient of a Bundle.",
        )
        .with("kind", "operation")
        .with("affectsState", true)
        .with("code", "assess")
        .with("system", true)
        .with("type", false)
        .with("instance", false)
        .with(
            "parameter",
            serde_json::json!([
                parameter("bundle", "in", profile::REQUEST),
                parameter("return", "out", profile::ANSWER),
            ]),
        )
    }

    /// Returns the date of the clinical content.
    fn date(&self) -> Date {
        let date = self.base.version().date.to_string();
        date.parse().unwrap_or(jiff::civil::date(2026, 1, 1))
    }
}

/// Returns the display text of a triage level.
pub(crate) fn level_display(level: TriageLevel) -> &'static str {
    match level {
        TriageLevel::Emergency => "Emergency",
        TriageLevel::Urgent => "Urgent",
        TriageLevel::Routine => "Routine",
        TriageLevel::SelfCare => "Self-care",
    }
}
