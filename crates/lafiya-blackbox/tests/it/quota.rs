//! Tests the monthly quota: exact, also with simultaneous requests and across replicas; what is
//! free stays free.

use jiff::civil::date;
use jiff::tz::{TimeZone, offset};
use jiff::{Timestamp, ToSpan};
use lafiya_blackbox::{Answer, Client, Server, at_once, shared};
use serde_json::json;

use crate::headers::check_standard_headers;
use crate::requests::{
    ASSESS, assessed, case, fever, new_uuid, pilot, present, tenant, turn, with,
};

#[track_caller]
fn refused(client: &Client) -> Answer {
    let answer = client.post(ASSESS, &fever());
    answer.expect_error(403, "QUOTA_EXCEEDED");
    answer
}

/// Returns the start of the next month in Lagos, which is UTC+1 all year.
fn next_month() -> Timestamp {
    let lagos = TimeZone::fixed(offset(1));
    let today = Timestamp::now().to_zoned(lagos.clone()).date();
    let next = date(today.year(), today.month(), 1) + 1.month();
    next.to_zoned(lagos).expect("a time").timestamp()
}

#[test]
fn a_quota_of_three_allows_three_interviews() {
    let client = pilot(&shared(), "quota of three", 3);
    for _ in 0..3 {
        assessed(&client, &fever());
    }
    let answer = refused(&client);
    check_standard_headers(&answer);
    let details = &answer.json()["error"]["details"];
    assert_eq!(details["limit"], 3, "{answer}");
    assert_eq!(details["remaining"], 0, "{answer}");
    let reset: Timestamp = details["reset"]
        .as_str()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("no time: {answer}"));
    assert_eq!(reset, next_month());
    refused(&client);
}

#[test]
fn the_pilot_tier_allows_two_hundred() {
    let server = shared();
    server.cli(&["tenant", "create", "quota of the tier", "--tier", "pilot"]);
    let client = server
        .client()
        .with_key(&server.new_key("quota of the tier").1);
    for _ in 0..200 {
        client.post(ASSESS, &fever()).expect(200);
    }
    assert_eq!(refused(&client).json()["error"]["details"]["limit"], 200);
}

/// Sends 200 simultaneous requests for the last 10 of 15, spread over these clients of one tenant.
#[track_caller]
fn check_the_last_ten(clients: &[Client]) {
    for _ in 0..5 {
        assessed(&clients[0], &fever());
    }
    let answers = at_once(200, |number| {
        clients[number % clients.len()].post(ASSESS, &fever())
    });
    let served = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(served, 10, "{served} were served");
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        let error = answer.expect_error(403, "QUOTA_EXCEEDED");
        let details = &error["details"];
        assert_eq!(
            (&details["limit"], &details["used"]),
            (&json!(15), &json!(15))
        );
        assert_eq!(details["reset"], next_month().to_string(), "{answer}");
    }
    let today = Timestamp::now().to_zoned(TimeZone::fixed(offset(1))).date();
    let path = format!("/v1/usage?start_date={today}&end_date={today}");
    let used = clients[0].get(&path).expect(200).json();
    assert_eq!(used["total_assessments"], 15, "{used}");
    assert_eq!(used["cost"]["usage_percentage"], 100.0, "{used}");
}

#[test]
fn exactly_the_last_ten_of_many_concurrent_calls_are_served() {
    check_the_last_ten(&[pilot(&shared(), "quota of the last ten", 15)]);
}

#[test]
fn exactly_the_last_ten_are_served_across_two_replicas() {
    let server = Server::without_limits().start();
    let replica = server.replica();
    let client = pilot(&server, "clinic", 15);
    check_the_last_ten(&[client.clone(), client.at(replica.address)]);
}

#[test]
fn further_turns_of_a_billed_interview_are_free() {
    let client = pilot(&shared(), "quota of turns", 1);
    let id = new_uuid();
    for finding in ["s_fever", "s_headache", "s_cough"] {
        assessed(&client, &turn(&id, &[present(finding)]));
    }
    refused(&client);
    assessed(&client, &turn(&id, &[present("s_vomiting")]));
    let other = turn(&new_uuid(), &[present("s_fever")]);
    client
        .post(ASSESS, &other)
        .expect_error(403, "QUOTA_EXCEEDED");
}

#[test]
fn refused_calls_are_not_billed() {
    let client = pilot(&shared(), "quota of refusals", 1);
    for body in [
        case(&[]),
        case(&[present("s_fevr")]),
        with(fever(), "/patient/age", json!(121)),
    ] {
        client.post(ASSESS, &body).expect(400);
    }
    assessed(&client, &fever());
    // Validation comes before the quota: errors are still reported.
    client
        .post(ASSESS, &case(&[]))
        .expect_error(400, "VALIDATION_ERROR");
    refused(&client);
}

#[test]
fn other_endpoints_are_free_and_stay_available() {
    let client = pilot(&shared(), "quota of free things", 1);
    for _ in 0..3 {
        client.get("/v1/symptoms").expect(200);
        client
            .post("/v1/parse", &json!({"text": "fever"}))
            .expect(200);
    }
    let id = assessed(&client, &fever())["assessment_id"].clone();
    refused(&client);
    client.get("/v1/search?phrase=fever").expect(200);
    client
        .post("/v1/parse", &json!({"text": "fever"}))
        .expect(200);
    client
        .post("/v1/rationale", &json!({"assessment_id": id}))
        .expect(200);
}

#[test]
fn all_keys_of_a_tenant_share_its_quota_and_no_other_tenant_does() {
    let server = shared();
    let (ours, theirs) = (
        pilot(&server, "quota of ours", 2),
        pilot(&server, "quota of theirs", 2),
    );
    let colleague = server.client().with_key(&server.new_key("quota of ours").1);
    assessed(&ours, &fever());
    assessed(&colleague, &fever());
    refused(&ours);
    refused(&colleague);
    assessed(&theirs, &fever());
}

#[test]
fn the_professional_tier_continues_beyond_the_included_number() {
    let server = shared();
    let client = tenant(&server, "quota of a hospital", "professional", 2);
    for _ in 0..5 {
        assessed(&client, &fever());
    }
}

#[test]
fn the_count_survives_a_crash() {
    let mut server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 2);
    assessed(&client, &fever());
    server.kill();
    server.restart();
    let client = client.at(server.address);
    assessed(&client, &fever());
    refused(&client);
}
