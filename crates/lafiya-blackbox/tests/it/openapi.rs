//! Tests the OpenAPI document: the served, the printed and the committed one are identical, and
//! include everything in the baseline.

use std::collections::BTreeSet;
use std::path::Path;

use lafiya_blackbox::{Start, shared};
use serde_json::{Map, Value};

fn committed(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api");
    let text = std::fs::read_to_string(folder.join(name));
    let text = text.unwrap_or_else(|_| panic!("docs/api/{name} is missing: `cargo xtask openapi`"));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_document_is_public_and_has_version_3_1() {
    let document = shared().client().get("/v1/openapi.json").expect(200).json();
    let version = document["openapi"].as_str().expect("a version");
    assert!(version.starts_with("3.1"), "{version}");
}

#[test]
fn the_served_printed_and_committed_documents_are_equal() {
    let served = shared().client().get("/v1/openapi.json").expect(200).json();
    let printed = Start::default().prepare().cli(&["openapi"]).json();
    assert!(
        served == printed,
        "the served document differs from `lafiya openapi`"
    );
    let committed = committed("openapi.json");
    assert!(
        served == committed,
        "docs/api/openapi.json is stale: `cargo xtask openapi`"
    );
}

#[test]
fn every_documented_path_without_a_parameter_exists() {
    let server = shared();
    let document = committed("openapi.json");
    let whole = |path: &&String| !path.contains('{');
    for (path, item) in object(&document["paths"])
        .iter()
        .filter(|(path, _)| whole(path))
    {
        for method in object(item).keys().filter(|key| *key == "get") {
            let answer = server.client().request(&method.to_uppercase(), path).send();
            assert_ne!(answer.status, 404, "{answer}");
            let documented = object(&item[method]["responses"]);
            let status = answer.status.to_string();
            assert!(documented.contains_key(&status), "undocumented: {answer}");
        }
    }
}

#[test]
fn every_reference_in_the_document_resolves() {
    let document = committed("openapi.json");
    let mut references = BTreeSet::new();
    collect_references(&document, &mut references);
    for reference in references {
        let pointer = reference.trim_start_matches('#');
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
}

#[test]
fn only_public_operations_need_no_key() {
    let document = committed("openapi.json");
    let mut open: Vec<&str> = Vec::new();
    for (path, item) in object(&document["paths"]) {
        for operation in object(item)
            .values()
            .filter(|value| value["responses"].is_object())
        {
            let security = operation["security"].as_array();
            if security.is_none_or(Vec::is_empty) {
                open.push(path);
            }
        }
    }
    let public = |path: &&str| {
        ["/v1/health", "/v1/openapi.json"].contains(path) || path.starts_with("/v1/fhir/")
    };
    assert!(open.iter().all(public), "without a key: {open:?}");
    assert!(!open.contains(&"/v1/fhir/assess"));
}

#[test]
fn nothing_of_the_baseline_was_removed_renamed_or_retyped() {
    let broken = broken_promises(&committed("baseline.json"), &committed("openapi.json"));
    assert!(
        broken.is_empty(),
        "breaking changes:\n{}",
        broken.join("\n")
    );
}

#[test]
fn the_baseline_comparison_detects_breaking_changes() {
    let old: Value = serde_json::json!({
        "paths": {"/a": {"get": {
            "parameters": [{"name": "limit", "in": "query"}],
            "responses": {"200": {}},
        }}},
        "components": {"schemas": {"Item": {
            "required": ["id"],
            "properties": {"id": {"type": "string"}, "count": {"type": "integer"}},
        }}},
    });
    let check = |place: &str, name: &str, new: Value, expected: usize| {
        let mut changed = old.clone();
        changed.pointer_mut(place).expect("a place")[name] = new;
        let broken = broken_promises(&old, &changed);
        assert_eq!(broken.len(), expected, "{place} {name}: {broken:?}");
    };
    let operation = "/paths/~1a/get";
    let limit = "/paths/~1a/get/parameters/0";
    let item = "/components/schemas/Item/properties";
    check("", "paths", serde_json::json!({}), 1);
    check(operation, "responses", serde_json::json!({"204": {}}), 1);
    check(limit, "name", "size".into(), 1);
    check(limit, "required", true.into(), 1);
    check(item, "count", Value::Null, 1);
    check(item, "count", serde_json::json!({"type": "string"}), 1);
    check(item, "more", serde_json::json!({"type": "string"}), 0);
}

/// Returns what the old document specifies and the new one does not.
fn broken_promises(old: &Value, new: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    for (path, item) in object(&old["paths"]) {
        for (method, operation) in object(item) {
            let name = format!("{method} {path}");
            match &new["paths"][path][method] {
                Value::Null => broken.push(format!("{name} is gone")),
                now => compare_operations(&name, operation, now, &mut broken),
            }
        }
    }
    for (name, schema) in object(&old["components"]["schemas"]) {
        compare_schemas(
            name,
            schema,
            &new["components"]["schemas"][name],
            &mut broken,
        );
    }
    broken
}

fn compare_operations(name: &str, old: &Value, new: &Value, broken: &mut Vec<String>) {
    for status in object(&old["responses"]).keys() {
        if new["responses"][status].is_null() {
            broken.push(format!("{name} no longer answers {status}"));
        }
    }
    let parameters = |operation: &Value| operation["parameters"].as_array().cloned();
    let (old, new) = (
        parameters(old).unwrap_or_default(),
        parameters(new).unwrap_or_default(),
    );
    let same = |a: &Value, b: &Value| a["name"] == b["name"] && a["in"] == b["in"];
    for parameter in &old {
        if !new.iter().any(|now| same(parameter, now)) {
            broken.push(format!("{name} no longer takes {}", parameter["name"]));
        }
    }
    for now in new.iter().filter(|now| now["required"] == true) {
        let before = old.iter().find(|parameter| same(parameter, now));
        if before.is_none_or(|parameter| parameter["required"] != true) {
            broken.push(format!("{name} now requires {}", now["name"]));
        }
    }
}

fn compare_schemas(name: &str, old: &Value, new: &Value, broken: &mut Vec<String>) {
    if new.is_null() {
        broken.push(format!("the schema {name} is gone"));
        return;
    }
    for (field, shape) in object(&old["properties"]) {
        let now = &new["properties"][field];
        if now.is_null() {
            broken.push(format!("{name}.{field} is gone"));
        } else {
            for fact in ["type", "$ref", "format"] {
                if shape[fact] != now[fact] {
                    broken.push(format!("{name}.{field} has another {fact}"));
                }
            }
        }
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    static NOTHING: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
    value
        .as_object()
        .unwrap_or_else(|| NOTHING.get_or_init(Map::new))
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_str() {
                    Some(target) if name == "$ref" => {
                        found.insert(target.to_owned());
                    }
                    _ => collect_references(field, found),
                }
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, found)),
        _ => {}
    }
}
