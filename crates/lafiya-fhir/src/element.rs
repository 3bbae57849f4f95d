//! The parts of a resource: a tree that is only ever written, and the small elements that every resource
//! uses. A tree of `serde_json` would sort its fields and copy their names.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A value within a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Any JSON, such as a number.
    Json(Value),
    /// A text.
    Text(String),
    /// Several.
    List(Vec<Element>),
    /// Fields, in their order.
    Object(Vec<(&'static str, Element)>),
}

impl Element {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) | Self::Json(Value::String(text)) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Object(fields) => fields.is_empty(),
            Self::Json(Value::Null) => true,
            Self::Json(Value::Array(items)) => items.is_empty(),
            Self::Json(Value::Object(fields)) => fields.is_empty(),
            Self::Json(Value::Bool(_) | Value::Number(_)) => false,
        }
    }
}

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => serializer.collect_map(fields.iter().map(|(k, v)| (k, v))),
        }
    }
}

impl From<&str> for Element {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Element {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Nothing: what is left out.
impl Default for Element {
    fn default() -> Self {
        Self::Json(Value::Null)
    }
}

impl From<Vec<Element>> for Element {
    fn from(items: Vec<Element>) -> Self {
        Self::List(items)
    }
}

impl FromIterator<Element> for Element {
    fn from_iter<I: IntoIterator<Item = Element>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

macro_rules! from_json {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Element {
            fn from(value: $kind) -> Self {
                Self::Json(value.into())
            }
        }
    )*};
}
from_json!(Value, bool, f64, u8, usize, Vec<Value>);

/// An element of these fields, in this order; empty ones are left out.
pub(crate) fn object<const N: usize>(fields: [(&'static str, Element); N]) -> Element {
    let fields = fields.into_iter();
    Element::Object(fields.filter(|(_, value)| !value.is_empty()).collect())
}

/// A list of one.
pub(crate) fn one(value: Element) -> Element {
    Element::List(vec![value])
}

/// A coding; the display is left out where there is none.
pub(crate) fn coding(system: &str, code: &str, display: &str) -> Element {
    object([
        ("system", system.into()),
        ("code", code.into()),
        ("display", display.into()),
    ])
}

/// A concept with codings and a text.
pub(crate) fn concept(codings: Vec<Element>, text: &str) -> Element {
    object([("coding", Element::List(codings)), ("text", text.into())])
}

/// A concept of one coding and no text.
pub(crate) fn coded(coding: Element) -> Element {
    object([("coding", one(coding))])
}

/// A concept of words alone.
pub(crate) fn words(text: &str) -> Element {
    object([("text", text.into())])
}

/// A reference to another entry of the same Bundle.
pub(crate) fn reference(full_url: &str, display: &str) -> Element {
    object([("reference", full_url.into()), ("display", display.into())])
}

/// Notes; empty ones are left out.
pub(crate) fn notes<'a>(texts: impl IntoIterator<Item = &'a str>) -> Element {
    texts
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .map(words)
        .collect()
}
