//! Arbitrary Bundles: reading never panics, and every refusal has a location and a reason. `cargo
//! xtask fuzz` uses another seed and a larger budget.

use std::sync::LazyLock;

use jiff::civil::date;
use lafiya_fhir::{Refusal, Systems, read_bundle};
use lafiya_knowledge::KnowledgeBase;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

const CASES: u32 = 256;
const SEED: u64 = 20_261_115;

fn budget() -> ProptestConfig {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let cases = number("LAFIYA_FUZZ_CASES").and_then(|number| u32::try_from(number).ok());
    ProptestConfig {
        cases: cases.unwrap_or(CASES),
        rng_seed: RngSeed::Fixed(number("LAFIYA_FUZZ_SEED").unwrap_or(SEED)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Returns an almost valid Bundle, from which faulty ones are derived.
fn good() -> Value {
    json!({
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [
            {"fullUrl": "urn:uuid:1", "resource": {
                "resourceType": "Patient", "gender": "female", "birthDate": "1990-04-01",
                "address": [{"city": "Kano", "country": "NG"}]}},
            {"resource": {
                "resourceType": "Observation", "status": "final",
                "subject": {"reference": "urn:uuid:1"},
                "effectiveDateTime": "2026-09-01T10:00:00+01:00",
                "code": {"coding": [{"system": "http://loinc.org", "code": "8310-5"}]},
                "valueQuantity": {"value": 39.5, "unit": "Cel", "system": "http://unitsofmeasure.org", "code": "Cel"}}},
            {"resource": {
                "resourceType": "Condition",
                "clinicalStatus": {"coding": [{"code": "active"}]},
                "onsetPeriod": {"start": "2026-08-30"},
                "code": {"coding": [{"system": "https://x.example/fhir/CodeSystem/concept", "code": "s_fever"}]}}},
        ],
    })
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        Just(json!("Bundle")),
        Just(json!("Observation")),
        Just(json!("9999-99-99")),
        Just(json!("urn:uuid:1")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[[{"coding": [{"code": 1}]}]]])),
    ]
}

/// Collects every location in a document as JSON pointers.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{here}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{here}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn check(bundle: &Value) {
    static BASE: LazyLock<KnowledgeBase> = LazyLock::new(lafiya_knowledge::toy::base);
    let systems = Systems::new("https://x.example");
    let problems = match read_bundle(bundle, &BASE, &systems, date(2026, 9, 15)) {
        Ok(_) => return,
        Err(Refusal::NotABundle(problem)) => vec![problem],
        Err(Refusal::Untranslatable(problems)) => problems,
    };
    assert!(!problems.is_empty(), "refused without a reason");
    for problem in problems {
        assert!(
            !problem.expression.is_empty() && !problem.says.is_empty(),
            "{problem:?}"
        );
    }
}

proptest! {
    #![proptest_config(budget())]

    #[test]
    fn any_mistake_in_a_bundle_gets_a_readable_refusal(
        mistakes in prop::collection::vec((any::<prop::sample::Index>(), leaf()), 1..6)
    ) {
        let mut bundle = good();
        for (place, value) in mistakes {
            let mut all = Vec::new();
            places(&bundle, "", &mut all);
            let pointer = place.get(&all).clone();
            if let Some(there) = bundle.pointer_mut(&pointer) {
                *there = value;
            }
        }
        check(&bundle);
    }

    #[test]
    fn any_value_is_read_without_a_panic(value in leaf()) {
        check(&value);
        check(&json!({"resourceType": "Bundle", "type": "collection", "entry": value}));
    }
}
