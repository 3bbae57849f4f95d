//! Writing FHIR JSON: a resource whose fields keep their order, and the small elements that every
//! resource uses. Nothing empty is ever written, since FHIR forbids it.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// A resource, `resourceType` first.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    kind: &'static str,
    fields: Vec<(&'static str, Value)>,
    /// Of a Bundle.
    entries: Vec<Entry>,
}

/// A resource in a Bundle, and the name that others call it by.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub(crate) full_url: String,
    pub(crate) resource: Resource,
}

impl Resource {
    /// An empty resource of a type.
    pub fn new(kind: &'static str) -> Self {
        Self {
            kind,
            fields: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// The type.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Adds a field, unless it is empty.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if !is_empty(&value) {
            self.fields.push((name, value));
        }
        self
    }

    /// Makes it a Bundle of these.
    pub(crate) fn with_entries(mut self, entries: Vec<Entry>) -> Self {
        self.entries = entries;
        self
    }

    /// Adds a narrative: paragraphs, escaped.
    pub fn narrated(self, paragraphs: &[String]) -> Self {
        let inner: String = paragraphs
            .iter()
            .filter(|text| !text.trim().is_empty())
            .map(|text| format!("<p>{}</p>", escaped(text)))
            .collect();
        let div = format!("<div xmlns=\"http://www.w3.org/1999/xhtml\">{inner}</div>");
        self.with("text", json!({"status": "generated", "div": div}))
    }

    /// The same as a JSON value.
    pub fn into_value(self) -> Value {
        let mut map = Map::new();
        map.insert("resourceType".to_owned(), self.kind.into());
        map.extend(
            self.fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        if !self.entries.is_empty() {
            let entry = |it: Entry| {
                object([
                    ("fullUrl", it.full_url.into()),
                    ("resource", it.resource.into_value()),
                ])
            };
            let entries = self.entries.into_iter().map(entry);
            map.insert("entry".to_owned(), entries.collect());
        }
        Value::Object(map)
    }
}

impl Serialize for Resource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len() + 1))?;
        map.serialize_entry("resourceType", self.kind)?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        if !self.entries.is_empty() {
            map.serialize_entry("entry", &self.entries)?;
        }
        map.end()
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// An element of values that are ready. `json!` would copy them, with all they hold.
pub(crate) fn object<const N: usize>(fields: [(&'static str, Value); N]) -> Value {
    let fields = fields.into_iter();
    Value::Object(
        fields
            .filter(|(_, value)| !is_empty(value))
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

/// A list of one value that is ready.
pub(crate) fn one(value: Value) -> Value {
    Value::Array(vec![value])
}

/// A coding; the display is left out where there is none.
pub(crate) fn coding(system: &str, code: &str, display: &str) -> Value {
    object([
        ("system", system.into()),
        ("code", code.into()),
        ("display", display.into()),
    ])
}

/// A concept with codings and a text.
pub(crate) fn concept(codings: Vec<Value>, text: &str) -> Value {
    object([("coding", Value::Array(codings)), ("text", text.into())])
}

/// A concept of one coding and no text.
pub(crate) fn coded(coding: Value) -> Value {
    object([("coding", one(coding))])
}

/// A concept of words alone.
pub(crate) fn words(text: &str) -> Value {
    json!({"text": text})
}

/// A reference to another entry of the same Bundle.
pub(crate) fn reference(full_url: &str, display: &str) -> Value {
    object([("reference", full_url.into()), ("display", display.into())])
}

/// Notes; empty ones are left out.
pub(crate) fn notes<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    texts
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| json!({"text": text}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_comes_first_and_nothing_empty_is_written() {
        let resource = Resource::new("Patient")
            .with("gender", "female")
            .with("name", json!([]))
            .with("birthDate", "")
            .with("active", true);
        let text = serde_json::to_string(&resource).unwrap();
        assert_eq!(
            text,
            r#"{"resourceType":"Patient","gender":"female","active":true}"#
        );
    }

    #[test]
    fn narratives_are_escaped() {
        let resource = Resource::new("Basic").narrated(&["5 < 6 & 7".to_owned()]);
        let text = serde_json::to_string(&resource).unwrap();
        assert!(text.contains("<p>5 &lt; 6 &amp; 7</p>"), "{text}");
    }
}
