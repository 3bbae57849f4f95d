//! Tests what all lists of reference data share: the two formats, pagination and bounds. Their
//! content is checked with the knowledge base.

use lafiya_blackbox::shared;
use serde_json::{Value, json};

const LISTS: &[(&str, &str, &[&str])] = &[
    (
        "/v1/symptoms",
        "symptoms",
        &["id", "name", "common_name", "category"],
    ),
    (
        "/v1/risk-factors",
        "risk_factors",
        &["id", "name", "category"],
    ),
    ("/v1/lab-tests", "lab_tests", &["id", "name", "category"]),
    ("/v1/conditions", "conditions", &["id", "name"]),
    (
        "/v1/medicines",
        "medicines",
        &["id", "name", "category", "atc"],
    ),
];

#[test]
fn a_list_is_a_bare_array_with_the_total_in_a_header() {
    let client = shared().live();
    for (path, _, fields) in LISTS {
        let answer = client.get(path).expect(200);
        let body = answer.json();
        let items = body.as_array().expect("a bare array");
        let total = answer.number("x-total-count");
        assert_eq!(
            items.len() as u64,
            total.min(20),
            "{path}: the default page is 20"
        );
        for item in items {
            for field in *fields {
                assert!(item[field].is_string(), "{path}: {field} in {item}");
            }
        }
    }
}

#[test]
fn envelope_wraps_a_list_in_an_object_with_its_total() {
    let client = shared().live();
    for (path, name, _) in LISTS {
        let bare = client.get(path).expect(200);
        let answer = client.get(&format!("{path}?envelope=true")).expect(200);
        let body = answer.json();
        assert_eq!(body[name], bare.json(), "{path}");
        assert_eq!(body["total"], bare.number("x-total-count"));
        assert_eq!(answer.number("x-total-count"), bare.number("x-total-count"));
    }
}

#[test]
fn pages_have_no_gaps_or_repetitions() {
    let client = shared().live();
    let ids = |path: &str| -> Vec<Value> {
        let body = client.get(path).expect(200).json();
        let items = body.as_array().expect("an array");
        items.iter().map(|item| item["id"].clone()).collect()
    };
    for (path, _, _) in LISTS {
        let whole = ids(&format!("{path}?limit=50"));
        let mut paged = Vec::new();
        for offset in (0..50).step_by(7) {
            let limit = 7.min(50 - offset);
            paged.extend(ids(&format!("{path}?limit={limit}&offset={offset}")));
        }
        assert_eq!(paged, whole, "{path}");
        assert!(ids(&format!("{path}?offset=1000000")).is_empty(), "{path}");
    }
}

#[test]
fn an_unknown_category_or_query_gives_an_empty_list() {
    let client = shared().live();
    for (path, _, _) in LISTS {
        for filter in ["category=no-such-category", "query=qqqqzzzzxxxxjjjj"] {
            let answer = client.get(&format!("{path}?{filter}")).expect(200);
            assert_eq!(answer.json(), Value::Array(Vec::new()), "{path} {filter}");
            assert_eq!(answer.number("x-total-count"), 0);
        }
    }
}

#[test]
fn an_out_of_range_parameter_is_400_and_named() {
    let client = shared().live();
    let too_long = format!("query={}", "x".repeat(201));
    let category = format!("category={}", "x".repeat(51));
    for (parameter, pointer) in [
        ("limit=0", "/limit"),
        ("limit=51", "/limit"),
        ("limit=-1", "/limit"),
        ("limit=ten", "/limit"),
        ("limit=", "/limit"),
        ("offset=-1", "/offset"),
        ("offset=1.5", "/offset"),
        ("envelope=maybe", "/envelope"),
        (&too_long, "/query"),
        (&category, "/category"),
    ] {
        for (path, _, _) in LISTS {
            let answer = client.get(&format!("{path}?{parameter}"));
            let error = answer.expect_error(400, "INVALID_REQUEST");
            let field = &error["details"]["fields"][0];
            assert_eq!(field["pointer"], pointer, "{answer}");
        }
    }
}

#[test]
fn limits_are_counted_in_characters() {
    let client = shared().live();
    let longest = "%C3%A9".repeat(200);
    client
        .get(&format!("/v1/symptoms?query={longest}"))
        .expect(200);
    client.get("/v1/symptoms?limit=50").expect(200);
    client.get("/v1/symptoms?limit=1").expect(200);
}

#[test]
fn an_unknown_condition_is_404() {
    let client = shared().live();
    for path in [
        "/v1/conditions/c_no_such_thing",
        "/v1/conditions/c_no_such_thing/education",
        "/v1/medicines/m_no_such_thing",
    ] {
        client.get(path).expect_error(404, "RESOURCE_NOT_FOUND");
    }
}

#[test]
fn danger_signs_fit_age_and_sex_and_give_an_emergency() {
    let client = shared().live();
    let asked = |query: &str| -> Vec<String> {
        let body = client.get(&format!("/v1/danger-signs?{query}")).expect(200);
        let body = body.json();
        let signs = body.as_array().expect("a bare array").iter();
        signs
            .map(|sign| {
                for field in ["name", "common_name", "question", "caregiver_question"] {
                    assert!(sign[field].as_str().is_some_and(|text| !text.is_empty()));
                }
                sign["id"].as_str().expect("an id").to_owned()
            })
            .collect()
    };
    let child = asked("age=3&sex=female");
    assert!(child.contains(&"s_unable_to_drink".to_owned()));
    assert!(!child.contains(&"s_heavy_vaginal_bleeding".to_owned()));
    assert!(asked("age=0&age_days=5&sex=male").contains(&"s_apnoea_in_infant".to_owned()));
    assert!(asked("age=30&sex=female").contains(&"s_heavy_vaginal_bleeding".to_owned()));
    assert!(asked("age=0&sex=male").contains(&"s_movement_only_when_stimulated".to_owned()));
    for (patient, signs) in [
        (json!({"age": 3, "sex": "female"}), child),
        (
            json!({"age": 0, "age_days": 5, "sex": "male"}),
            asked("age=0&age_days=5&sex=male"),
        ),
        (
            json!({"age": 30, "sex": "female"}),
            asked("age=30&sex=female"),
        ),
    ] {
        for sign in signs {
            let evidence = json!([{"id": sign, "choice_id": "present", "source": "initial"}]);
            let case = json!({"patient": patient, "evidence": evidence});
            let answer = client.post("/v1/assess", &case).expect(200).json();
            assert_eq!(answer["triage"]["level"], "emergency", "{sign}: {patient}");
        }
    }
    for (query, pointer) in [
        ("", "/age"),
        ("age=3", "/sex"),
        ("age=121&sex=male", "/age"),
        ("age=2&age_months=3&sex=male", "/age_months"),
        ("age=2&sex=man", "/sex"),
    ] {
        let refused = client.get(&format!("/v1/danger-signs?{query}")).expect(400);
        let fields = refused.json()["error"]["details"]["fields"].to_string();
        assert!(
            fields.contains(&format!("\"{pointer}\"")),
            "{query}: {fields}"
        );
    }
}
