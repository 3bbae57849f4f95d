//! Tests `GET /usage`: usage by day in Lagos time, and its cost.

use jiff::Timestamp;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::{TimeZone, offset};
use lafiya_blackbox::{Client, shared};
use serde_json::{Value, json};

use crate::headers::check_standard_headers;
use crate::requests::{assessed, fever, named, new_uuid, pilot, present, tenant, turn};

/// Returns today's date in Lagos, which is UTC+1 all year.
pub(crate) fn today() -> Date {
    let lagos = TimeZone::fixed(offset(1));
    Timestamp::now().to_zoned(lagos).date()
}

#[track_caller]
fn usage(client: &Client, start: Date, end: Date) -> Value {
    let path = format!("/v1/usage?start_date={start}&end_date={end}");
    client.get(&path).expect(200).json()
}

#[test]
fn a_tenant_that_used_nothing_gets_every_field() {
    let client = pilot(&shared(), "usage of nothing", 200);
    let (start, end) = (today() - 2.days(), today());
    let path = format!("/v1/usage?start_date={start}&end_date={end}");
    let answer = client.get(&path).expect(200);
    check_standard_headers(&answer);
    let day = |date: Date| json!({"date": date.to_string(), "count": 0});
    assert_eq!(
        answer.json(),
        json!({
            "period": {"start": start.to_string(), "end": end.to_string()},
            "total_assessments": 0,
            "breakdown": {
                "by_urgency": {"emergency": 0, "urgent": 0, "routine": 0, "self-care": 0},
                "top_conditions": [],
            },
            "cost": {
                "total_naira": 0,
                "current_tier": "pilot",
                "usage_percentage": 0.0,
                "included_per_month": 200,
                "used_this_month": 0,
                "beyond_included": 0,
                "over_quota": 0,
            },
            "daily": [day(start), day(today() - 1.days()), day(end)],
        })
    );
}

#[test]
fn interviews_count_once_by_last_turn_and_sandbox_not_at_all() {
    let client = pilot(&shared(), "usage of a clinic", 8);
    let sandbox = client.with_header("X-Service-Environment", "sandbox");
    let id = new_uuid();
    assessed(&client, &turn(&id, &[present("s_fever")]));
    let last = assessed(&client, &turn(&id, &[present("s_neck_stiffness")]));
    assessed(&client, &fever());
    assessed(&sandbox, &fever());

    let used = usage(&client, today(), today());
    assert_eq!(used["total_assessments"], 2, "{used}");
    let by_urgency = &used["breakdown"]["by_urgency"];
    let level = last["triage"]["level"].as_str().expect("a level");
    assert!(by_urgency[level].as_u64() >= Some(1), "{level}: {used}");
    let counts = by_urgency.as_object().expect("an object").values();
    assert_eq!(counts.filter_map(Value::as_u64).sum::<u64>(), 2, "{used}");
    let top = used["breakdown"]["top_conditions"]
        .as_array()
        .expect("a list");
    let names: Vec<&Value> = top.iter().map(|one| &one["name"]).collect();
    assert!(names.contains(&&last["conditions"][0]["name"]), "{used}");
    assert_eq!(
        used["daily"],
        json!([{"date": today().to_string(), "count": 2}])
    );
    assert_eq!(used["cost"]["usage_percentage"], 25.0, "{used}");

    // A period without this day does not include it; the percentage is for the month.
    let before = usage(&client, today() - 9.days(), today() - 1.days());
    assert_eq!(before["total_assessments"], 0, "{before}");
    assert_eq!(before["cost"]["usage_percentage"], 25.0, "{before}");
}

#[test]
fn the_professional_tier_pays_beyond_the_included_number() {
    let client = tenant(&shared(), "usage of a hospital", "professional", 2);
    for _ in 0..5 {
        assessed(&client, &fever());
    }
    let used = usage(&client, today(), today());
    assert_eq!(used["total_assessments"], 5);
    assert_eq!(used["cost"]["total_naira"], 300, "{used}");
    assert_eq!(used["cost"]["beyond_included"], 3, "{used}");
    assert_eq!(used["cost"]["current_tier"], "professional");
    assert_eq!(used["cost"]["usage_percentage"], 100.0, "{used}");
    let year = usage(&client, today() - 365.days(), today());
    assert_eq!(year["cost"]["total_naira"], 300, "{year}");
    assert_eq!(year["daily"].as_array().map(Vec::len), Some(366));
    let before = usage(&client, today() - 30.days(), today() - 1.days());
    assert_eq!(before["cost"]["total_naira"], 0, "{before}");
}

#[test]
fn usage_is_visible_only_to_keys_of_the_tenant() {
    let server = shared();
    let ours = pilot(&server, "usage of ours", 5);
    let theirs = pilot(&server, "usage of theirs", 5);
    assessed(&ours, &fever());
    let words = ["key", "create", "--tenant", "usage of ours", "--json"];
    let made = server.cli(&[&words[..], &["--environment", "test"]].concat());
    let made = made.json();
    let sandbox = server
        .client()
        .with_key(made["key"].as_str().expect("a key"));
    assert_eq!(usage(&sandbox, today(), today())["total_assessments"], 1);
    assert_eq!(usage(&theirs, today(), today())["total_assessments"], 0);
}

#[test]
fn missing_and_invalid_dates_are_all_named() {
    let client = pilot(&shared(), "usage of wrong dates", 5);
    let check = |query: &str, expected: &[&str]| {
        let answer = client.get(&format!("/v1/usage{query}"));
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, expected, "{query}");
    };
    check("", &["/start_date", "/end_date"]);
    check("?start_date=2026-01-01", &["/end_date"]);
    check("?start_date=&end_date=2026-01-01", &["/start_date"]);
    check(
        "?start_date=2026-02-30&end_date=tomorrow",
        &["/start_date", "/end_date"],
    );
    check(
        "?start_date=20260101&end_date=2026-1-2",
        &["/start_date", "/end_date"],
    );
    check(
        "?start_date=2026-01-01T00:00:00Z&end_date=2026-01-02",
        &["/start_date"],
    );
    check("?start_date=2026-01-02&end_date=2026-01-01", &["/end_date"]);
    check("?start_date=2025-01-01&end_date=2026-01-02", &["/end_date"]);
    check(
        "?start_date=2026-01-01&start_date=2026-01-02&end_date=2026-01-03",
        &["/start_date"],
    );
    client
        .get("/v1/usage?start_date=2025-01-01&end_date=2026-01-01")
        .expect(200);
}
