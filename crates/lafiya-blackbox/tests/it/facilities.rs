//! Tests the nearest facilities in the answer, the home country of a tenant, and registers imported
//! by the operator.

use std::process::Command;
use std::time::Duration;

use lafiya_blackbox::{Client, Server, eventually};
use serde_json::{Value, json};

const ASSESS: &str = "/v1/assess";

fn at(place: &str) -> Value {
    json!({
        "patient": {"age": 30, "sex": "female", "location": place},
        "evidence": [
            {"id": "s_severe_headache", "choice_id": "present", "source": "initial"},
            {"id": "s_neck_stiffness", "choice_id": "present", "source": "initial"},
            {"id": "s_fever", "choice_id": "present", "source": "initial"}
        ]
    })
}

fn assessed(client: &Client, place: &str) -> Value {
    client.post(ASSESS, &at(place)).expect(200).json()
}

fn names(body: &Value) -> Vec<&str> {
    let list = body["nearest_facilities"].as_array().expect("a list");
    list.iter()
        .filter_map(|facility| facility["name"].as_str())
        .collect()
}

fn concerns(body: &Value) -> Vec<&str> {
    let list = body["clinical_warnings"].as_array().expect("a list");
    let about_input = list
        .iter()
        .filter(|warning| warning["type"] == "validation_concern");
    about_input
        .filter_map(|warning| warning["message"].as_str())
        .collect()
}

#[test]
fn an_emergency_lists_the_nearest_real_hospitals() {
    let server = Server::without_limits().start();
    let body = assessed(&server.live(), "Ikeja, Lagos");
    assert_eq!(body["triage"]["level"], "emergency");
    assert_eq!(body["metadata"]["phi_region"], "lagos");
    let list = body["nearest_facilities"].as_array().expect("a list");
    assert_eq!(list.len(), 5, "{list:?}");
    let distances: Vec<f64> = list
        .iter()
        .filter_map(|facility| facility["distance_km"].as_f64())
        .collect();
    assert!(distances.is_sorted() && distances[0] < 5.0, "{distances:?}");
    for facility in list {
        for unknown in ["phone", "rating", "open_now"] {
            assert_eq!(facility[unknown], Value::Null, "{facility}");
        }
        let level = facility["level"].as_str().unwrap_or_default();
        assert!(["hospital", "referral"].contains(&level), "{facility}");
        assert!(
            facility["travel_hint"]
                .as_str()
                .is_some_and(|hint| hint.contains("km") || hint.contains("kilometre")),
            "{facility}"
        );
        assert!(facility["latitude"].is_number() && facility["longitude"].is_number());
        assert!(
            facility["source"]
                .as_str()
                .is_some_and(|source| !source.is_empty())
        );
    }
}

#[test]
fn an_unknown_place_gives_a_low_warning() {
    let server = Server::without_limits().start();
    let body = assessed(&server.live(), "Xyzzyqwk");
    assert_eq!(names(&body), Vec::<&str>::new());
    assert_eq!(body["metadata"]["phi_region"], Value::Null);
    let said = concerns(&body);
    assert!(
        said.iter()
            .any(|message| message.contains("place is not known")),
        "{said:?}"
    );
    let country = assessed(&server.live(), "Nigeria");
    assert!(names(&country).is_empty());
    assert!(
        concerns(&country)
            .iter()
            .any(|concern| concern.contains("Only the country")),
        "{country}"
    );
    let typo = assessed(&server.live(), "Maidugari");
    assert_eq!(typo["metadata"]["phi_region"], "borno");
}

#[test]
fn the_tenants_country_resolves_ambiguous_places() {
    let server = Server::without_limits().start();
    for (country, region) in [("GH", "central-gh"), ("UG", "central-ug")] {
        let name = format!("clinic {country}");
        let made = server
            .cli(&[
                "tenant",
                "create",
                &name,
                "--tier",
                "professional",
                "--country",
                country,
                "--json",
            ])
            .json();
        assert_eq!(made["home_country"], country);
        let (_, key) = server.new_key(&name);
        let body = assessed(&server.client().with_key(&key), "Central");
        assert_eq!(body["metadata"]["phi_region"], region);
    }
    let refused = server.cli(&[
        "tenant",
        "create",
        "x",
        "--tier",
        "pilot",
        "--country",
        "Ghana",
    ]);
    assert!(
        !refused.status.success() && refused.stderr.contains("ISO code"),
        "{refused:?}"
    );
}

#[test]
fn the_stated_place_is_neither_logged_nor_returned() {
    let server = Server::without_limits()
        .with("LAFIYA_LOG_LEVEL", "debug")
        .start();
    let client = server.live();
    let answer = client
        .post(ASSESS, &at("7 Quokka Crescent, Ikeja, Lagos"))
        .expect(200);
    assert!(!answer.text().contains("Quokka"), "{answer}");
    let id = answer.json()["assessment_id"].clone();
    let told = client
        .post("/v1/rationale", &json!({"assessment_id": id}))
        .expect(200);
    assert!(
        !told.text().contains("Quokka") && !told.text().contains("Ikeja"),
        "{told}"
    );
    let request = answer.required_header("x-request-id").to_owned();
    eventually("the request is logged", Duration::from_secs(10), || {
        server.log().contains(&request).then_some(())
    });
    let log = server.log();
    assert!(
        !log.contains("Quokka") && !log.contains("Ikeja"),
        "a place stands in the log"
    );
}

#[test]
fn an_imported_register_is_served_after_sighup() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("list.csv");
    std::fs::write(
        &list,
        "name,type,lat,lon,phone\nIkeja Test General Hospital,General Hospital,6.5966,3.3421,+234 800\nBroken,Hospital,x,3\n",
    )
    .expect("written");
    let server = Server::without_limits().start();
    let before = assessed(&server.live(), "Ikeja, Lagos");
    assert!(!names(&before).contains(&"Ikeja Test General Hospital"));

    let path = list.to_str().expect("a path");
    let import = || {
        server
            .cli(&[
                "facilities",
                "import",
                path,
                "--source",
                "State list",
                "--json",
            ])
            .json()
    };
    let done = import();
    assert_eq!((&done["imported"], &done["failed"]), (&json!(1), &json!(1)));
    assert_eq!(done["errors"][0]["line"], 3);
    assert_eq!(import()["total"], 1, "importing again changes nothing");
    let stats = server.cli(&["facilities", "stats", "--json"]).json();
    assert_eq!(stats["by_source"]["State list"], 1);
    let near = server
        .cli(&["facilities", "near", "Ikeja", "--json"])
        .json();
    assert_eq!(near["facilities"][0]["name"], "Ikeja Test General Hospital");

    let sent = Command::new("kill")
        .args(["-HUP", &server.pid().to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
    eventually(
        "the new register to be served",
        Duration::from_secs(20),
        || {
            let body = assessed(&server.live(), "Ikeja, Lagos");
            let first = body["nearest_facilities"][0].clone();
            (first["name"] == "Ikeja Test General Hospital"
                && first["phone"] == "+234 800"
                && first["source"] == "State list")
                .then_some(())
        },
    );
    let refused = server.cli(&["facilities", "near", "Xyzzyqwk"]);
    assert!(
        !refused.status.success() && refused.stderr.contains("not known"),
        "{refused:?}"
    );
}
