//! Tests `/adverse-events`: reported, listed, sent as events, and private to the tenant.

use lafiya_blackbox::{Receiver, shared};
use serde_json::{Value, json};

use crate::headers::check_standard_headers;
use crate::requests::{assessed, clinic, fever, named, pilot, with};
use crate::shape::{Kind, check_fields, is_uuid};
use crate::webhooks::{register, telling, verified};

const ADVERSE_EVENTS: &str = "/v1/adverse-events";

fn report(assessment: &Value) -> Value {
    json!({
        "assessment_id": assessment["assessment_id"],
        "description": "Referred late; Mrs Bello was admitted the next day.",
        "seriousness": "serious",
    })
}

#[test]
fn an_adverse_event_is_recorded_and_listed() {
    let client = pilot(&shared(), "adverse events", 20);
    let (first, second) = (assessed(&client, &fever()), assessed(&client, &fever()));
    let made = client.post(ADVERSE_EVENTS, &report(&first)).expect(201);
    check_standard_headers(&made);
    let made = made.json();
    let fields = [
        ("id", Kind::Text),
        ("assessment_id", Kind::Text),
        ("description", Kind::Text),
        ("seriousness", Kind::Text),
        ("reporter", Kind::Text),
        ("created_at", Kind::Text),
    ];
    check_fields(&made, &fields);
    assert!(is_uuid(made["id"].as_str().expect("an id")));
    for seriousness in ["non_serious", "life_threatening", "fatal"] {
        let body = with(report(&second), "/seriousness", json!(seriousness));
        client.post(ADVERSE_EVENTS, &body).expect(201);
    }
    let listed = client.get(ADVERSE_EVENTS).expect(200);
    assert_eq!(listed.number("x-total-count"), 4);
    let listed = listed.json();
    assert_eq!(listed[0]["seriousness"], "fatal", "the newest first");
    assert_eq!(listed[3], made);
    let about = made["assessment_id"].as_str().expect("an id");
    let filtered = client.get(&format!("{ADVERSE_EVENTS}?assessment_id={about}"));
    assert_eq!(filtered.expect(200).json(), json!([made]));
    let page = client.get(&format!("{ADVERSE_EVENTS}?limit=2&offset=3&envelope=true"));
    let page = page.expect(200).json();
    assert_eq!(page, json!({"adverse_events": [made], "total": 4}));
}

#[test]
fn every_mistake_of_a_report_is_named_at_once() {
    let client = clinic();
    let all = ["/assessment_id", "/description", "/seriousness"];
    let refused = |body: Value| named(&client.post(ADVERSE_EVENTS, &body), 400, "INVALID_REQUEST");
    assert_eq!(refused(json!({})), all);
    assert_eq!(
        refused(json!({"assessment_id": 1, "description": [], "seriousness": true})),
        all
    );
    let assessment = assessed(&client, &fever());
    let wrong = with(report(&assessment), "/assessment_id", json!("no-uuid"));
    let wrong = with(wrong, "/seriousness", json!("grave"));
    assert_eq!(refused(wrong), ["/assessment_id", "/seriousness"]);
    for description in ["", "  ", &"x".repeat(4001)] {
        let body = with(report(&assessment), "/description", json!(description));
        assert_eq!(refused(body), ["/description"]);
    }
    let bad = client.get(&format!("{ADVERSE_EVENTS}?limit=0&assessment_id=x"));
    assert_eq!(
        named(&bad, 400, "INVALID_REQUEST"),
        ["/limit", "/assessment_id"]
    );
}

#[test]
fn reports_are_isolated_between_tenants_and_environments() {
    let server = shared();
    let ours = pilot(&server, "adverse events of ours", 5);
    let theirs = pilot(&server, "adverse events of theirs", 5);
    let assessment = assessed(&ours, &fever());
    ours.post(ADVERSE_EVENTS, &report(&assessment)).expect(201);
    let sandbox = ours.with_header("X-Service-Environment", "sandbox");
    for stranger in [&theirs, &sandbox] {
        stranger
            .post(ADVERSE_EVENTS, &report(&assessment))
            .expect_error(404, "RESOURCE_NOT_FOUND");
        assert_eq!(stranger.get(ADVERSE_EVENTS).expect(200).json(), json!([]));
    }
    let unknown = with(
        report(&assessment),
        "/assessment_id",
        json!("6f1d2c3b-5a49-4e8f-9b7a-000000000000"),
    );
    ours.post(ADVERSE_EVENTS, &unknown)
        .expect_error(404, "RESOURCE_NOT_FOUND");
    server
        .client()
        .get(ADVERSE_EVENTS)
        .expect_error(401, "INVALID_API_KEY");
}

#[test]
fn the_webhook_of_an_adverse_event_has_only_ids() {
    let receiver = Receiver::start();
    let client = pilot(&telling(), "adverse events told", 5);
    let webhook = register(&client, &receiver.url(), &["adverse_event.created"]);
    let assessment = assessed(&client, &fever());
    let made = client.post(ADVERSE_EVENTS, &report(&assessment));
    let made = made.expect(201).json();
    let got = receiver.wait_for(1).remove(0);
    assert!(verified(&got, webhook["secret"].as_str().expect("text")));
    let event = got.json();
    assert_eq!(event["type"], "adverse_event.created");
    assert_eq!(
        event["data"],
        json!({
            "adverse_event_id": made["id"],
            "assessment_id": assessment["assessment_id"],
            "environment": "live",
            "seriousness": "serious",
        })
    );
    assert!(!String::from_utf8_lossy(&got.body).contains("Bello"));
}
