//! Tests what becomes of a case when the monthly quota is used up: a person in front of the web app
//! is answered, and the API's refusal tells of danger.

use jiff::Timestamp;
use jiff::tz::{TimeZone, offset};
use lafiya_blackbox::{Answer, Client, shared};
use serde_json::{Value, json};

use crate::consultation::{Form, boy, browser_of, followed, review, woman};
use crate::requests::{
    ASSESS, assessed, case, fever, new_uuid, patient, pilot, present, tenant, turn, with,
};

fn usage(client: &Client) -> Value {
    let today = Timestamp::now().to_zoned(TimeZone::fixed(offset(1))).date();
    let path = format!("/v1/usage?start_date={today}&end_date={today}");
    client.get(&path).expect(200).json()
}

/// Returns the `details` of a refusal for quota.
#[track_caller]
fn refusal(answer: &Answer) -> Value {
    answer.expect_error(403, "QUOTA_EXCEEDED")["details"].clone()
}

/// A child with a fit.
fn fit() -> Value {
    patient(3, "male", &[present("s_convulsion"), present("s_fever")])
}

#[track_caller]
fn check_danger(details: &Value, level: &str) {
    let danger = &details["danger"];
    assert_eq!(danger["level"], level, "{details}");
    let flags = danger["red_flags"].as_array().expect("a list");
    assert!(
        !flags.is_empty() && flags.iter().all(Value::is_string),
        "{details}"
    );
    let action = danger["action"].as_str().expect("what to do");
    assert!(!action.is_empty(), "{details}");
}

#[test]
fn a_person_is_answered_when_the_quota_is_used_up() {
    let server = shared();
    let name = "over quota at the web app";
    let client = pilot(&server, name, 1);
    let browser = browser_of(&server, name);
    assessed(&client, &fever());
    let told = boy("He had a fit this morning and has a fever.");
    let form = review(&browser, &told);
    assert!(form.value("interview").is_some());
    let page = followed(&browser, form.send(&browser));
    assert!(page.text().contains("Emergency"), "{page}");

    // The same form sent again is the same case.
    followed(&browser, form.send(&browser));
    let used = usage(&client);
    assert_eq!(used["total_assessments"], 2, "{used}");
    assert_eq!(used["cost"]["used_this_month"], 2, "{used}");
    assert_eq!(used["cost"]["over_quota"], 1, "{used}");
    assert_eq!(used["cost"]["total_naira"], 0, "{used}");
    // The quota stays as it is for the API.
    refusal(&client.post(ASSESS, &fever()));
    assert_eq!(usage(&client)["cost"]["over_quota"], 1);
}

#[test]
fn questions_go_on_in_a_case_over_quota() {
    let server = shared();
    let name = "over quota with questions";
    let client = pilot(&server, name, 0);
    let browser = browser_of(&server, name);
    let told = boy("Fever and a runny nose for two days.");
    let mut page = followed(&browser, review(&browser, &told).send(&browser));
    for _ in 0..3 {
        let text = page.text();
        let (_, action) = text.split_once("action=\"/consult/").expect("a question");
        let action = format!("/consult/{}", action.split('"').next().unwrap_or_default());
        let form = Form::of(&page, &action).with("choice", "absent");
        page = followed(&browser, form.send(&browser));
    }
    let used = usage(&client);
    assert_eq!(used["total_assessments"], 1, "{used}");
    assert_eq!(used["cost"]["over_quota"], 1, "{used}");
}

#[test]
fn the_owner_sees_that_cases_were_answered_over_quota() {
    let server = shared();
    let name = "over quota and its owner";
    let client = pilot(&server, name, 1);
    let browser = browser_of(&server, name);
    let notice = |page: &Answer| page.text().contains("id=\"over-quota\"");
    assert!(!notice(&browser.get("/dashboard/usage").expect(200)));
    assessed(&client, &fever());
    followed(&browser, review(&browser, &boy("fever")).send(&browser));
    let page = browser.get("/dashboard/usage").expect(200);
    assert!(notice(&page), "{page}");
    assert!(
        page.text().contains("1 case was answered over quota"),
        "{page}"
    );
}

#[test]
fn cases_within_the_quota_or_billed_beyond_it_are_not_over_quota() {
    let server = shared();
    let name = "quota of a web app";
    let client = tenant(&server, name, "professional", 1);
    let browser = browser_of(&server, name);
    for _ in 0..2 {
        followed(&browser, review(&browser, &woman("fever")).send(&browser));
    }
    let used = usage(&client);
    assert_eq!(used["cost"]["over_quota"], 0, "{used}");
    assert_eq!(used["cost"]["total_naira"], 100, "{used}");
}

#[test]
fn a_refusal_tells_of_the_danger_in_the_case() {
    let client = pilot(&shared(), "danger over quota", 0);
    let details = refusal(&client.post(ASSESS, &fit()));
    check_danger(&details, "emergency");
    assert_eq!(details["remaining"], 0, "{details}");
    let named = turn(&new_uuid(), &[present("s_convulsion")]);
    check_danger(&refusal(&client.post(ASSESS, &named)), "emergency");
    let calm = refusal(&client.post(ASSESS, &case(&[present("s_runny_nose")])));
    assert!(calm.get("danger").is_none(), "{calm}");
    assert_eq!(usage(&client)["total_assessments"], 0);
}

#[test]
fn the_danger_is_that_of_the_answer_which_the_quota_refuses() {
    let server = shared();
    let refusing = pilot(&server, "danger that is refused", 0);
    let answering = pilot(&server, "danger that is answered", 100);
    for finding in [
        "s_convulsion",
        "s_neck_stiffness",
        "s_unconscious",
        "s_fever",
        "s_cough",
    ] {
        let body = patient(3, "male", &[present(finding)]);
        let answer = assessed(&answering, &body);
        let details = refusal(&refusing.post(ASSESS, &body));
        let flags = &answer["red_flags_present"];
        let is_danger = flags != &json!([]) || answer["triage"]["level"] == "emergency";
        if !is_danger {
            assert!(details.get("danger").is_none(), "{finding}: {details}");
            continue;
        }
        let danger = &details["danger"];
        assert_eq!(danger["level"], answer["triage"]["level"], "{finding}");
        assert_eq!(&danger["red_flags"], flags, "{finding}");
        assert_eq!(
            danger["action"], answer["triage"]["recommended_action"],
            "{finding}"
        );
    }
}

#[test]
fn a_mock_refusal_tells_of_the_danger_too() {
    let body = with(fit(), "/patient/location", json!("sandbox:quota"));
    check_danger(
        &refusal(&shared().sandbox().post(ASSESS, &body)),
        "emergency",
    );
    let calm = with(fever(), "/patient/location", json!("sandbox:quota"));
    refusal(&shared().sandbox().post(ASSESS, &calm));
}
