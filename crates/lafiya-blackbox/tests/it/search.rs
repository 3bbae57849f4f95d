//! Tests `GET /search`: one fuzzy search over all concepts of the knowledge base.

use jiff::Timestamp;
use lafiya_blackbox::shared;
use serde_json::{Value, json};

use crate::requests::named;
use crate::shape::Kind::{Number, Text};
use crate::shape::{check_each, check_fields, check_word, column};

#[track_caller]
fn search(query: &str) -> Value {
    let path = format!("/v1/search?{query}");
    shared().live().get(&path).expect(200).json()
}

#[test]
fn results_have_every_field_and_are_sorted_by_similarity() {
    for phrase in ["fever", "malaria", "pain", "hot%20body", "sugar", "tes"] {
        let body = search(&format!("phrase={phrase}&max_results=20"));
        let item = [
            ("id", Text),
            ("name", Text),
            ("type", Text),
            ("category", Text),
            ("similarity", Number),
        ];
        let mut last = 1.0;
        for item in check_each(&body["data"], &item) {
            let types = [
                "symptom",
                "risk_factor",
                "lab_test",
                "condition",
                "medicine",
            ];
            check_word(&item["type"], &types);
            let similarity = item["similarity"].as_f64().unwrap_or(-1.0);
            assert!((0.0..=last).contains(&similarity), "{phrase}: {item}");
            last = similarity;
        }
        let mut ids = column(&body["data"], "id");
        assert!(!ids.is_empty(), "{phrase}");
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{phrase}: a result stands twice");
    }
}

#[test]
fn the_meta_object_repeats_the_query() {
    let body = search("phrase=stiff%20neck");
    check_fields(&body["meta"], &[("phrase", Text), ("timestamp", Text)]);
    assert_eq!(body["meta"]["phrase"], "stiff neck");
    let shown = body["data"].as_array().map_or(0, Vec::len) as u64;
    assert!(body["meta"]["total"].as_u64() >= Some(shown), "{body}");
    let at = body["meta"]["timestamp"].as_str().expect("a time");
    at.parse::<Timestamp>().expect("an RFC 3339 time");
}

#[test]
fn the_default_is_eight_results() {
    let count = |query: &str| search(query)["data"].as_array().map_or(0, Vec::len);
    assert_eq!(count("phrase=pain"), 8);
    assert_eq!(count("phrase=pain&max_results=1"), 1);
    assert_eq!(count("phrase=pain&max_results=20"), 20);
}

#[test]
fn an_exact_name_comes_first() {
    for path in [
        "/v1/symptoms",
        "/v1/risk-factors",
        "/v1/lab-tests",
        "/v1/conditions",
    ] {
        let listed = shared().live().get(&format!("{path}?limit=50")).expect(200);
        for item in listed.json().as_array().expect("a list") {
            let name = item["name"].as_str().expect("a name");
            let body = search(&format!("phrase={}", encoded(name)));
            assert_eq!(body["data"][0]["name"], name, "{path}");
        }
    }
}

#[test]
fn typos_and_case_are_tolerated() {
    for (phrase, id) in [
        ("FEVER", "s_fever"),
        ("fevr", "s_fever"),
        ("headche", "s_headache"),
        ("%20cough%20", "s_cough"),
    ] {
        let body = search(&format!("phrase={phrase}"));
        assert_eq!(body["data"][0]["id"], id, "{phrase}");
    }
}

#[test]
fn concepts_of_the_other_sex_are_excluded() {
    let ids = |query: &str| {
        let body = search(query);
        let ids = column(&body["data"], "id");
        ids.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let pregnancy = "p_pregnancy".to_owned();
    assert!(ids("phrase=pregnancy").contains(&pregnancy));
    assert!(ids("phrase=pregnancy&sex=female").contains(&pregnancy));
    assert!(ids("phrase=pregnancy&sex=other").contains(&pregnancy));
    assert!(!ids("phrase=pregnancy&sex=male").contains(&pregnancy));
    let prostate = "s_enlarged_smooth_prostate".to_owned();
    assert!(ids("phrase=enlarged%20smooth%20prostate&sex=male").contains(&prostate));
    assert!(!ids("phrase=enlarged%20smooth%20prostate&sex=female").contains(&prostate));
}

#[test]
fn an_out_of_range_parameter_is_400_and_named() {
    let too_long = format!("phrase={}", "x".repeat(201));
    for (query, pointer) in [
        ("", "/phrase"),
        ("phrase=", "/phrase"),
        ("phrase=%20", "/phrase"),
        (too_long.as_str(), "/phrase"),
        ("phrase=x&max_results=0", "/max_results"),
        ("phrase=x&max_results=21", "/max_results"),
        ("phrase=x&max_results=-1", "/max_results"),
        ("phrase=x&max_results=1.5", "/max_results"),
        ("phrase=x&max_results=many", "/max_results"),
        ("phrase=x&sex=m", "/sex"),
        ("phrase=x&sex=Male", "/sex"),
        ("phrase=x&sex=", "/sex"),
    ] {
        let answer = shared().live().get(&format!("/v1/search?{query}"));
        assert_eq!(
            named(&answer, 400, "INVALID_REQUEST"),
            [pointer],
            "{answer}"
        );
    }
}

#[test]
fn the_phrase_limit_is_counted_in_characters() {
    for letter in ["x", "%C3%A9", "%F0%9F%A4%92"] {
        search(&format!("phrase={}", letter.repeat(200)));
        let path = format!("/v1/search?phrase={}", letter.repeat(201));
        let answer = shared().live().get(&path);
        assert_eq!(named(&answer, 400, "INVALID_REQUEST"), ["/phrase"]);
    }
}

#[test]
fn an_unknown_phrase_gives_an_empty_list() {
    let body = search("phrase=qqqqzzzzxxxxjjjj");
    assert_eq!(body["data"], json!([]));
    assert_eq!(body["meta"]["total"], 0);
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}
