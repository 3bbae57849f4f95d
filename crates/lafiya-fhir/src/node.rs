//! A cursor over FHIR JSON: a location (as a FHIRPath) and its value. Reading never fails. Errors
//! are noted and unknown parts are ignored, so that all errors are reported at once.

use std::fmt::Write;

use serde_json::Value;
use smallvec::{SmallVec, smallvec};

use crate::problem::{ProblemKind, Problems};

/// An element of a resource, which may be missing.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// The path from the Bundle. Formatted only for error messages.
    steps: SmallVec<[Step<'a>; STEPS]>,
    value: Option<&'a Value>,
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

/// Maximum number of characters of a field name in a path.
const NAME_CHARACTERS_MAX: usize = 64;

/// Inline capacity for most paths, such as `Bundle.entry[0].resource.code.coding[0].system`; few
/// are deeper.
const STEPS: usize = 8;

impl<'a> Node<'a> {
    /// Creates the root node.
    pub(crate) fn root(name: &'a str, value: &'a Value) -> Self {
        Self {
            steps: smallvec![Step::Field(name)],
            value: Some(value),
        }
    }

    /// Returns the location as a FHIRPath.
    pub(crate) fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            let written = match step {
                Step::Field(name) if path.is_empty() => path.write_str(name),
                // A client may use a field name of any length; the names in FHIR are shorter.
                Step::Field(name) => write!(path, ".{name:.NAME_CHARACTERS_MAX$}"),
                Step::Item(position) => write!(path, "[{position}]"),
            };
            written.expect("a string takes whatever is written");
        }
        path
    }

    fn child(&self, step: Step<'a>, value: Option<&'a Value>) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps, value }
    }

    /// Returns a child by name. FHIR JSON has no null, so null counts as missing.
    pub(crate) fn field(&self, name: &'a str) -> Self {
        let value = self.value.and_then(|value| value.get(name));
        self.child(Step::Field(name), value.filter(|value| !value.is_null()))
    }

    /// Whether the element is present.
    pub(crate) fn exists(&self) -> bool {
        self.value.is_some()
    }

    /// Returns the names of its fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let object = self.value.and_then(Value::as_object);
        object
            .into_iter()
            .flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// Returns its value.
    pub(crate) fn value(&self) -> Option<&'a Value> {
        self.value
    }

    /// Returns the items of a list; none for any other value.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Self> + '_ {
        let items = self.value.and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(position, value)| self.child(Step::Item(position), Some(value)))
    }

    /// Returns the items of a list; none if it is missing. Notes a problem for any other value.
    pub(crate) fn items(&self, problems: &mut Problems) -> Vec<Self> {
        match self.value {
            None => Vec::new(),
            Some(Value::Array(_)) => self.elements().collect(),
            Some(_) => {
                problems.note(ProblemKind::Structure, self, "must be a list");
                Vec::new()
            }
        }
    }

    /// Whether the value is an object. Notes a problem for any other value.
    pub(crate) fn is_object(&self, problems: &mut Problems) -> bool {
        let object = matches!(self.value, Some(Value::Object(_)));
        if self.exists() && !object {
            problems.note(ProblemKind::Structure, self, "must be an object");
        }
        object
    }

    /// Returns the text. Notes a problem for an empty one, which FHIR does not allow.
    pub(crate) fn text(&self, problems: &mut Problems) -> Option<&'a str> {
        match self.value? {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim()),
            Value::String(_) => {
                problems.note(ProblemKind::Structure, self, "must not be empty");
                None
            }
            _ => {
                problems.note(ProblemKind::Structure, self, "must be a string");
                None
            }
        }
    }

    /// Returns the number. Notes a problem for any other value.
    pub(crate) fn number(&self, problems: &mut Problems) -> Option<f64> {
        let number = self.value?.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            problems.note(ProblemKind::Structure, self, "must be a number");
        }
        number
    }

    /// Returns the boolean. Notes a problem for any other value.
    pub(crate) fn truth(&self, problems: &mut Problems) -> Option<bool> {
        let truth = self.value?.as_bool();
        if truth.is_none() {
            problems.note(ProblemKind::Structure, self, "must be true or false");
        }
        truth
    }

    /// Returns the codings of a CodeableConcept.
    pub(crate) fn codings(&self, problems: &mut Problems) -> Vec<Coding<'a>> {
        if !self.is_object(problems) {
            return Vec::new();
        }
        let mut codings = Vec::new();
        for node in self.field("coding").items(problems) {
            if !node.is_object(problems) {
                continue;
            }
            let system = node.field("system").text(problems);
            let display = node.field("display").text(problems);
            if let Some(code) = node.field("code").text(problems) {
                codings.push(Coding {
                    system,
                    code,
                    display,
                });
            }
        }
        codings
    }
}

/// A coding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coding<'a> {
    pub(crate) system: Option<&'a str>,
    pub(crate) code: &'a str,
    pub(crate) display: Option<&'a str>,
}
