//! Refuses elements that may reverse the meaning of their parent. FHIR forbids reading a resource
//! with unknown modifier extensions or implicit rules, and this service supports none.

use serde_json::Value;

use crate::node::Node;
use crate::problem::{ProblemKind, Problems};

const MODIFIERS: &[&str] = &["modifierExtension", "implicitRules"];

/// Notes every modifier in `node` and below it, except in the fields of `node` listed in `apart`.
pub(super) fn refuse(node: &Node<'_>, apart: &[&str], problems: &mut Problems) {
    // Modifiers are rare, so a quick check of the field names comes first.
    if node.value().is_some_and(has_modifier) {
        note_all(node, apart, problems);
    }
}

fn has_modifier(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            !value.is_null() && (MODIFIERS.contains(&name.as_str()) || has_modifier(value))
        }),
        Value::Array(items) => items.iter().any(has_modifier),
        _ => false,
    }
}

fn note_all(node: &Node<'_>, apart: &[&str], problems: &mut Problems) {
    for name in node.names().filter(|name| !apart.contains(name)) {
        let field = node.field(name);
        if MODIFIERS.contains(&name) && field.exists() {
            problems.note(
                ProblemKind::NotSupported,
                &field,
                "may change the meaning of what it stands in, and is not understood here; \
                 send the resource without it only if it still means the same",
            );
        } else {
            note_all(&field, &[], problems);
        }
    }
    for item in node.elements() {
        note_all(&item, &[], problems);
    }
}
