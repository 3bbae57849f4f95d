//! A cursor over FHIR JSON: where it stands (as a FHIRPath) and what stands there. Reading never
//! fails; what is wrong is noted, what is unknown is ignored, so that every mistake is found at once.

use std::fmt::Write;

use serde_json::Value;
use smallvec::{SmallVec, smallvec};

use crate::problem::{ProblemKind, Problems};

/// An element of a resource, or its absence.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// From the Bundle on. Put into words only for what is wrong.
    steps: SmallVec<[Step<'a>; STEPS]>,
    value: Option<&'a Value>,
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

/// How much of a field's name a path shows.
const NAME_CHARACTERS_MAX: usize = 64;

/// Room for most paths, such as `Bundle.entry[0].resource.code.coding[0].system`; few lie deeper.
const STEPS: usize = 8;

impl<'a> Node<'a> {
    /// The root.
    pub(crate) fn root(name: &'a str, value: &'a Value) -> Self {
        Self {
            steps: smallvec![Step::Field(name)],
            value: Some(value),
        }
    }

    /// Where it stands, as a FHIRPath.
    pub(crate) fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            let written = match step {
                Step::Field(name) if path.is_empty() => path.write_str(name),
                // A client may name a field as it likes; the names of FHIR are shorter.
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

    /// A child by name. FHIR JSON has no null: it counts as absent.
    pub(crate) fn field(&self, name: &'a str) -> Self {
        let value = self.value.and_then(|value| value.get(name));
        self.child(Step::Field(name), value.filter(|value| !value.is_null()))
    }

    /// Whether anything stands here.
    pub(crate) fn exists(&self) -> bool {
        self.value.is_some()
    }

    /// The names of the fields that stand here.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let object = self.value.and_then(Value::as_object);
        object
            .into_iter()
            .flat_map(|it| it.keys().map(String::as_str))
    }

    /// What stands here.
    pub(crate) fn value(&self) -> Option<&'a Value> {
        self.value
    }

    /// The items of a list; nothing for anything else.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Self> + '_ {
        let items = self.value.and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(position, value)| self.child(Step::Item(position), Some(value)))
    }

    /// The items of a list; nothing for an absent one.
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

    /// Notes anything but an object; true for an object.
    pub(crate) fn is_object(&self, problems: &mut Problems) -> bool {
        let object = matches!(self.value, Some(Value::Object(_)));
        if self.exists() && !object {
            problems.note(ProblemKind::Structure, self, "must be an object");
        }
        object
    }

    /// A text; an empty one is a mistake in FHIR.
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

    /// A number.
    pub(crate) fn number(&self, problems: &mut Problems) -> Option<f64> {
        let number = self.value?.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            problems.note(ProblemKind::Structure, self, "must be a number");
        }
        number
    }

    /// True or false.
    pub(crate) fn truth(&self, problems: &mut Problems) -> Option<bool> {
        let truth = self.value?.as_bool();
        if truth.is_none() {
            problems.note(ProblemKind::Structure, self, "must be true or false");
        }
        truth
    }

    /// The codings of a CodeableConcept.
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

/// One code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coding<'a> {
    pub(crate) system: Option<&'a str>,
    pub(crate) code: &'a str,
    pub(crate) display: Option<&'a str>,
}
