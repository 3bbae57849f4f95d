//! The parts of a resource: a write-only tree, and the small elements that every resource uses. A
//! tree of `serde_json` would sort its fields and copy their names.

use std::borrow::Cow;
use std::sync::Arc;

use lafiya_model::Text;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A value in a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Element<'a> {
    /// Any JSON value, such as a number.
    Json(Value),
    /// A text, which may be borrowed from the record.
    Text(Cow<'a, str>),
    /// A text that is used in many places.
    Shared(Arc<str>),
    /// An element that is the same in every resource.
    Constant(&'a Element<'static>),
    /// A list.
    List(Vec<Element<'a>>),
    /// Fields in a fixed order.
    Object(Vec<(&'static str, Element<'a>)>),
}

impl Element<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => is_blank(text),
            Self::Shared(text) => is_blank(text),
            Self::Constant(element) => element.is_empty(),
            Self::Json(Value::String(text)) => is_blank(text),
            Self::List(items) => items.is_empty(),
            Self::Object(fields) => fields.is_empty(),
            Self::Json(Value::Null) => true,
            Self::Json(Value::Array(items)) => items.is_empty(),
            Self::Json(Value::Object(fields)) => fields.is_empty(),
            Self::Json(Value::Bool(_) | Value::Number(_)) => false,
        }
    }
}

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Shared(text) => serializer.serialize_str(text),
            Self::Constant(element) => element.serialize(serializer),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => serializer.collect_map(fields.iter().map(|(k, v)| (k, v))),
        }
    }
}

impl<'a> From<&'a str> for Element<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a Text<'_>> for Element<'a> {
    fn from(text: &'a Text<'_>) -> Self {
        text.as_str().into()
    }
}

impl From<String> for Element<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<&Arc<str>> for Element<'_> {
    fn from(text: &Arc<str>) -> Self {
        Self::Shared(Arc::clone(text))
    }
}

/// An empty element, which is omitted.
impl Default for Element<'_> {
    fn default() -> Self {
        Self::Json(Value::Null)
    }
}

impl<'a> From<Vec<Element<'a>>> for Element<'a> {
    fn from(items: Vec<Element<'a>>) -> Self {
        Self::List(items)
    }
}

impl<'a> FromIterator<Element<'a>> for Element<'a> {
    fn from_iter<I: IntoIterator<Item = Element<'a>>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

macro_rules! from_json {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Element<'_> {
            fn from(value: $kind) -> Self {
                Self::Json(value.into())
            }
        }
    )*};
}
from_json!(Value, bool, f64, u8, usize, Vec<Value>);

/// Builds an object of these fields in this order, without the empty ones.
pub(crate) fn object<'a, const N: usize>(fields: [(&'static str, Element<'a>); N]) -> Element<'a> {
    let mut said = Vec::with_capacity(N);
    said.extend(fields.into_iter().filter(|(_, value)| !value.is_empty()));
    Element::Object(said)
}

/// Whether a text is empty or only white space. Usually the first character decides.
pub(crate) fn is_blank(text: &str) -> bool {
    !text.as_bytes().first().is_some_and(u8::is_ascii_graphic) && text.trim().is_empty()
}

/// A constant element, built once.
macro_rules! constant {
    ($element:expr) => {{
        static MADE: std::sync::LazyLock<Element<'static>> = std::sync::LazyLock::new(|| $element);
        Element::Constant(&MADE)
    }};
}
pub(crate) use constant;

/// Builds a list of one item.
pub(crate) fn one(value: Element<'_>) -> Element<'_> {
    Element::List(vec![value])
}

/// Builds a coding; an empty display is omitted.
pub(crate) fn coding<'a>(
    system: impl Into<Element<'a>>,
    code: impl Into<Element<'a>>,
    display: impl Into<Element<'a>>,
) -> Element<'a> {
    object([
        ("system", system.into()),
        ("code", code.into()),
        ("display", display.into()),
    ])
}

/// Builds a CodeableConcept with codings and a text.
pub(crate) fn concept<'a>(codings: Vec<Element<'a>>, text: impl Into<Element<'a>>) -> Element<'a> {
    object([("coding", Element::List(codings)), ("text", text.into())])
}

/// Builds a CodeableConcept with one coding and no text.
pub(crate) fn coded(coding: Element<'_>) -> Element<'_> {
    object([("coding", one(coding))])
}

/// Builds a CodeableConcept with a text only.
pub(crate) fn words<'a>(text: impl Into<Element<'a>>) -> Element<'a> {
    object([("text", text.into())])
}

/// Builds a reference to another entry of the same Bundle.
pub(crate) fn reference<'a>(
    full_url: impl Into<Element<'a>>,
    display: impl Into<Element<'a>>,
) -> Element<'a> {
    object([("reference", full_url.into()), ("display", display.into())])
}

/// Builds a list of annotations without the empty ones.
pub(crate) fn notes<'a>(texts: impl IntoIterator<Item = impl Into<Element<'a>>>) -> Element<'a> {
    let texts = texts.into_iter().map(Into::into);
    let said = texts.filter(|text: &Element<'a>| !text.is_empty());
    said.map(words).collect()
}
