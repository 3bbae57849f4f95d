//! A resource with ordered fields. Empty values are never written, because FHIR forbids them.

use std::sync::Arc;

use memchr::memchr3;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;
use uuid::fmt::Urn;

use crate::element::{Element, is_blank, object};

/// A resource; `resourceType` is written first.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource<'a> {
    kind: &'static str,
    /// Its id, used by references within a Bundle.
    id: Uuid,
    fields: Vec<(&'static str, Element<'a>)>,
    /// The entries, if it is a Bundle.
    entries: Vec<Entry<'a>>,
}

/// A Bundle entry: a resource and the URL that references to it use.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry<'a> {
    pub(crate) full_url: Arc<str>,
    pub(crate) resource: Resource<'a>,
}

impl<'a> Resource<'a> {
    /// Creates an empty resource of a type.
    pub fn new(kind: &'static str) -> Self {
        /// Initial capacity, enough for nearly every resource.
        const FIELDS: usize = 16;
        Self {
            kind,
            id: Uuid::nil(),
            fields: Vec::with_capacity(FIELDS),
            entries: Vec::new(),
        }
    }

    /// Sets the id that references within the Bundle use.
    pub(crate) fn known_as(self, id: Uuid) -> Self {
        let named = Self { id, ..self };
        named.with("id", id.to_string())
    }

    /// Returns the URL that references within the Bundle use.
    pub(crate) fn full_url(&self) -> Arc<str> {
        full_url(self.id)
    }

    /// Returns the resource type.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Adds a field unless it is empty.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_fhir::Resource;
    ///
    /// let patient = Resource::new("Patient").with("gender", "female").with("language", "");
    /// let json = patient.into_value();
    /// assert_eq!(json["gender"], "female");
    /// // Empty fields are left out, as FHIR requires.
    /// assert!(json.get("language").is_none());
    /// ```
    pub fn with(mut self, name: &'static str, value: impl Into<Element<'a>>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.fields.push((name, value));
        }
        self
    }

    /// Sets the entries of a Bundle.
    pub(crate) fn with_entries(mut self, entries: Vec<Entry<'a>>) -> Self {
        self.entries = entries;
        self
    }

    /// Adds a narrative of escaped paragraphs.
    pub fn narrated(self, paragraphs: &[impl AsRef<str>]) -> Self {
        let paragraphs = || paragraphs.iter().map(AsRef::as_ref);
        let texts = paragraphs().map(|text: &str| text.len() + "<p></p>".len());
        let mut div = String::with_capacity(texts.sum::<usize>() + 64);
        div.push_str("<div xmlns=\"http://www.w3.org/1999/xhtml\">");
        for text in paragraphs().filter(|text| !is_blank(text)) {
            div.push_str("<p>");
            push_escaped(&mut div, text);
            div.push_str("</p>");
        }
        div.push_str("</div>");
        self.with(
            "text",
            object([("status", "generated".into()), ("div", div.into())]),
        )
    }

    /// Converts the resource to a JSON value.
    pub fn into_value(self) -> Value {
        serde_json::to_value(self).expect("a resource is plain data")
    }
}

impl Serialize for Resource<'_> {
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

/// Returns the `urn:uuid:` URL of an id, for references within a Bundle.
pub(crate) fn full_url(id: Uuid) -> Arc<str> {
    let mut url = [0; Urn::LENGTH];
    Arc::from(&*id.urn().encode_lower(&mut url))
}

/// Appends a text with XML's special characters escaped.
fn push_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(place) = memchr3(b'&', b'<', b'>', rest.as_bytes()) {
        out.push_str(&rest[..place]);
        out.push_str(match rest.as_bytes()[place] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        rest = &rest[place + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_type_comes_first_and_empty_fields_are_omitted() {
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
        let told = ["5 < 6 & 7", " ", "&&>", "é<", ">"].map(str::to_owned);
        let resource = Resource::new("Basic").narrated(&told);
        let text = serde_json::to_string(&resource).unwrap();
        let expected = "<p>5 &lt; 6 &amp; 7</p><p>&amp;&amp;&gt;</p><p>é&lt;</p><p>&gt;</p></div>";
        assert!(text.contains(expected), "{text}");
    }
}
