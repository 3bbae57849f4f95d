//! Tests the contents of the reference data: filters, condition details, education. Pagination and
//! bounds are tested in `lists.rs`.

use lafiya_blackbox::{Client, shared};
use serde_json::Value;

use crate::requests::{assessed, case, clinic, item, present};
use crate::shape::Kind::{Text, TextOrNull, Texts};
use crate::shape::{check_each, check_fields, column};

const LISTS: [&str; 4] = [
    "/v1/symptoms",
    "/v1/risk-factors",
    "/v1/lab-tests",
    "/v1/conditions",
];

/// Returns every item of a list, page by page, and asserts the total.
#[track_caller]
fn whole(client: &Client, path: &str) -> Vec<Value> {
    let first = client.get(&format!("{path}?limit=50")).expect(200);
    let total = first.number("x-total-count");
    let pages = total.div_ceil(50);
    let items: Vec<Value> = (0..pages)
        .flat_map(|page| {
            let path = format!("{path}?limit=50&offset={}", page * 50);
            let body = client.get(&path).expect(200).json();
            body.as_array().expect("a list").clone()
        })
        .collect();
    assert_eq!(items.len() as u64, total, "{path}");
    items
}

#[test]
fn every_id_appears_once_in_its_list() {
    let client = shared().live();
    for path in LISTS {
        let items = Value::Array(whole(&client, path));
        let mut ids = column(&items, "id");
        assert!(ids.len() > 20, "{path} is nearly empty");
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{path}: an id stands twice");
    }
}

#[test]
fn a_category_filters_the_list() {
    let client = shared().live();
    for path in LISTS {
        let items = whole(&client, path);
        let category = items[0]["category"].as_str().expect("a category");
        let expected = items
            .iter()
            .filter(|item| item["category"] == category)
            .count();
        let answer = client
            .get(&format!("{path}?category={category}&limit=50"))
            .expect(200);
        assert_eq!(answer.number("x-total-count"), expected as u64, "{path}");
        let listed = answer.json();
        for found in column(&listed, "category") {
            assert_eq!(found, category, "{path}");
        }
    }
}

#[test]
fn a_query_narrows_the_list_and_the_total() {
    let client = shared().live();
    for (path, word, name) in [
        ("/v1/symptoms", "fever", "Fever"),
        ("/v1/symptoms", "FEVER", "Fever"),
        ("/v1/risk-factors", "pregnancy", "Pregnancy"),
        ("/v1/lab-tests", "malaria", "Malaria rapid diagnostic test"),
        ("/v1/conditions", "malaria", "Uncomplicated malaria"),
    ] {
        let all = client.get(path).expect(200).number("x-total-count");
        let answer = client
            .get(&format!("{path}?query={word}&limit=50"))
            .expect(200);
        let total = answer.number("x-total-count");
        assert!((1..all).contains(&total), "{answer}");
        assert!(column(&answer.json(), "name").contains(&name), "{answer}");
        let page = client
            .get(&format!("{path}?query={word}&limit=1"))
            .expect(200);
        assert_eq!(page.number("x-total-count"), total, "{path}");
        let both = format!("{path}?query={word}&category=no-such-category");
        assert_eq!(client.get(&both).expect(200).number("x-total-count"), 0);
    }
}

#[test]
fn every_condition_has_details() {
    let client = shared().live();
    for condition in whole(&client, "/v1/conditions") {
        let id = condition["id"].as_str().expect("an id");
        let body = client
            .get(&format!("/v1/conditions/{id}"))
            .expect(200)
            .json();
        let fields = [
            ("id", Text),
            ("name", Text),
            ("description", Text),
            ("symptoms", Texts),
            ("risk_factors", Texts),
            ("treatment_overview", Text),
        ];
        check_fields(&body, &fields);
        assert_eq!(body["id"], id);
        assert_eq!(body["name"], condition["name"]);
        check_fields(&body["prevalence"], &[("global", Text), ("africa", Text)]);
        check_each(&body["resources"], &[("title", Text), ("url", Text)]);
        let names = column(&body["resources"], "title");
        assert!(!names.contains(&""), "{id}");
        for symptom in body["symptoms"].as_array().expect("a list") {
            let name = symptom.as_str().unwrap_or_default();
            assert!(!name.starts_with("s_"), "{id}: {name} is an id");
        }
    }
}

#[test]
fn every_condition_has_education_in_both_shapes() {
    let client = shared().live();
    for condition in whole(&client, "/v1/conditions") {
        let id = condition["id"].as_str().expect("an id");
        let path = format!("/v1/conditions/{id}/education");
        let body = client.get(&path).expect(200).json();
        let fields = [
            ("condition_id", Text),
            ("condition_name", Text),
            ("title", Text),
            ("summary", Text),
            ("key_facts", Texts),
            ("prevention_tips", Texts),
        ];
        check_fields(&body, &fields);
        assert_eq!(body["condition_id"], id);
        assert_eq!(body["condition_name"], condition["name"]);
        assert!(!body["when_to_seek_care"].is_null(), "{id}");
        let education = [
            ("overview", Text),
            ("symptoms", Texts),
            ("prevention", Texts),
            ("treatment_overview", TextOrNull),
            ("severity", Text),
        ];
        check_fields(&body["education"], &education);
        assert_ne!(body["education"]["overview"], "", "{id}");
        assert_ne!(body["title"], "", "{id}");
        assert_ne!(body["summary"], "", "{id}");
    }
}

#[test]
fn a_non_condition_id_is_404() {
    let client = shared().live();
    for id in [
        "s_fever",
        "p_pregnancy",
        "lt_haemoglobin",
        "c_",
        "C_UNKNOWN",
        "%20",
    ] {
        for path in [
            format!("/v1/conditions/{id}"),
            format!("/v1/conditions/{id}/education"),
        ] {
            client.get(&path).expect_error(404, "RESOURCE_NOT_FOUND");
        }
    }
}

#[test]
fn the_ids_of_the_lists_can_be_assessed() {
    let client = clinic();
    let sandbox = client.with_header("X-Service-Environment", "sandbox");
    for path in ["/v1/symptoms", "/v1/risk-factors", "/v1/lab-tests"] {
        let items = Value::Array(whole(&client, path));
        for ids in column(&items, "id").chunks(49) {
            let mut evidence = vec![present("s_fever")];
            let unknown = |id: &&str| item(id, "unknown");
            evidence.extend(ids.iter().filter(|id| **id != "s_fever").map(unknown));
            assessed(&sandbox, &case(&evidence));
        }
    }
}
