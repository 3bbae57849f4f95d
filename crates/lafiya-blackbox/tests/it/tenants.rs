//! Tests tenant isolation: for everything that takes an id, the answer for another tenant's id is
//! identical to that for a nonexistent one: the same status, body and headers. Nobody can find out
//! that something exists if they may not see it.

use std::collections::BTreeSet;

use lafiya_blackbox::{Answer, Client, Receiver, Request, Server, shared};
use serde_json::{Value, json};

use crate::requests::{ASSESS, assessed, fever, new_uuid, pilot, with};
use crate::webhooks::{quick, register};

/// What one tenant owns.
pub(crate) struct Owned {
    assessment: String,
    pub(crate) interview: String,
    webhook: String,
    delivery: String,
    key: String,
    member: String,
}

impl Owned {
    /// Returns the same kinds of ids, none of which exists.
    pub(crate) fn nothing() -> Self {
        Self {
            assessment: new_uuid(),
            interview: new_uuid(),
            webhook: new_uuid(),
            delivery: new_uuid(),
            key: new_uuid(),
            member: new_uuid(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Creates a tenant with one of everything.
pub(crate) fn somebody(server: &Server) -> Owned {
    let client = pilot(server, "ours", 50);
    let receiver = Receiver::start();
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    let answer = assessed(&client, &fever());
    receiver.wait_for(1);
    let webhook = text(&webhook["id"]);
    let deliveries = client.get(&format!("/v1/webhooks/{webhook}/deliveries"));
    let event = json!({"assessment_id": answer["assessment_id"], "description": "a rash", "seriousness": "serious"});
    client.post("/v1/adverse-events", &event).expect(201);
    let key = server.new_key("ours").0;
    let member = member(server, "ours", "owner@ours.example");
    Owned {
        assessment: text(&answer["assessment_id"]),
        interview: text(&answer["interview_id"]),
        webhook,
        delivery: text(&deliveries.expect(200).json()[0]["id"]),
        key,
        member: text(&member["id"]),
    }
}

pub(crate) fn member(server: &Server, tenant: &str, email: &str) -> Value {
    member_as(server, tenant, email, "owner")
}

fn member_as(server: &Server, tenant: &str, email: &str, role: &str) -> Value {
    let words = ["user", "create", email, "--tenant", tenant];
    let made = server.cli(&[&words[..], &["--role", role, "--json"]].concat());
    made.json()
}

/// Returns every API call that takes an id: method, path, body.
pub(crate) fn api_calls(of: &Owned) -> Vec<(&'static str, String, Value)> {
    let Owned {
        assessment,
        webhook,
        delivery,
        ..
    } = of;
    let hook = format!("/v1/webhooks/{webhook}");
    let event = json!({"assessment_id": assessment, "description": "worse after the dose", "seriousness": "serious"});
    vec![
        (
            "POST",
            "/v1/rationale".to_owned(),
            json!({"assessment_id": assessment}),
        ),
        (
            "GET",
            format!("/v1/rationale?assessment_id={assessment}"),
            Value::Null,
        ),
        ("POST", "/v1/adverse-events".to_owned(), event),
        ("GET", hook.clone(), Value::Null),
        ("POST", format!("{hook}/test"), json!({})),
        ("POST", format!("{hook}/rotate-secret"), json!({})),
        ("GET", format!("{hook}/deliveries"), Value::Null),
        (
            "POST",
            format!("{hook}/deliveries/{delivery}/retry"),
            json!({}),
        ),
        ("DELETE", hook, Value::Null),
    ]
}

/// Returns every page that takes an id.
pub(crate) fn page_calls(of: &Owned) -> Vec<(&'static str, String, &'static str)> {
    let Owned {
        assessment,
        interview,
        webhook,
        delivery,
        key,
        member,
    } = of;
    let hook = format!("/dashboard/webhooks/{webhook}");
    vec![
        ("GET", format!("/cases/{assessment}"), ""),
        ("GET", format!("/cases/{assessment}/letter"), ""),
        ("GET", format!("/consult/{interview}"), ""),
        (
            "POST",
            format!("/consult/{interview}/answer"),
            "concept=s_cough&choice=present",
        ),
        ("GET", format!("/consult/{interview}/patient"), ""),
        (
            "POST",
            format!("/consult/{interview}/patient"),
            "age=30&unit=years&sex=female",
        ),
        ("GET", format!("/dashboard/assessments/{assessment}"), ""),
        (
            "POST",
            format!("/dashboard/assessments/{assessment}/adverse-events"),
            "description=worse&seriousness=serious",
        ),
        ("GET", hook.clone(), ""),
        ("POST", format!("{hook}/test"), ""),
        ("POST", format!("{hook}/secret"), ""),
        ("POST", format!("{hook}/remove"), ""),
        ("GET", format!("{hook}/deliveries/{delivery}"), ""),
        ("POST", format!("{hook}/deliveries/{delivery}/retry"), ""),
        ("POST", format!("/dashboard/keys/{key}/rotate"), ""),
        ("POST", format!("/dashboard/keys/{key}/revoke"), ""),
        (
            "POST",
            format!("/dashboard/members/{member}/role"),
            "role=clinician",
        ),
        ("POST", format!("/dashboard/members/{member}/link"), ""),
        ("POST", format!("/dashboard/members/{member}/codes"), ""),
        ("POST", format!("/dashboard/members/{member}/remove"), ""),
    ]
}

pub(crate) fn api_call(stranger: &Client, (method, path, body): &(&str, String, Value)) -> Request {
    let request = stranger.request(method, path);
    match body {
        Value::Null => request,
        body => request.json(body),
    }
}

/// Returns a request for a page. `stranger` is a signed-in browser, and `token` is from one of its
/// forms.
pub(crate) fn page_call(
    stranger: &Client,
    token: &str,
    (method, path, form): &(&str, String, &str),
) -> Request {
    let request = stranger.request(method, path);
    if *method == "GET" {
        return request;
    }
    request
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(format!("form_token={token}&{form}"))
}

/// Returns everything that a stranger can learn from an answer: all parts except those that differ
/// between calls. Ids that were sent are replaced by a word wherever they are echoed.
fn told(answer: &Answer, sent: &Owned) -> String {
    // The head as displayed, and the whole body.
    let mut said = format!("{answer}\n{}", answer.text());
    said = said.replace(answer.required_header("x-request-id"), "REQUEST");
    let ids = [
        &sent.assessment,
        &sent.interview,
        &sent.webhook,
        &sent.delivery,
        &sent.key,
        &sent.member,
    ];
    for id in ids {
        said = said.replace(id.as_str(), "ID");
    }
    let passing = ["x-request-id", "x-response-time", "x-ratelimit", "date:"];
    said.lines()
        .filter(|line| !passing.iter().any(|name| line.trim().starts_with(name)))
        .filter(|line| !line.contains("form_token"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
fn check_same(ours: &Answer, owned: &Owned, nowhere: &Answer, nothing: &Owned) {
    assert!(
        (400..500).contains(&nowhere.status),
        "what does not exist is not refused: {nowhere}"
    );
    let (ours, nowhere) = (told(ours, owned), told(nowhere, nothing));
    let differing = ours
        .lines()
        .zip(nowhere.lines())
        .find(|(one, other)| one != other);
    assert_eq!(differing, None, "an answer differs: {ours}");
    assert_eq!(ours.len(), nowhere.len(), "one answer says more: {ours}");
}

#[test]
fn resources_of_another_tenant_look_nonexistent() {
    let server = quick().start();
    let (owned, nothing) = (somebody(&server), Owned::nothing());
    let stranger = pilot(&server, "theirs", 50);
    let calls = api_calls(&owned).into_iter().zip(api_calls(&nothing));
    for (ours, nowhere) in calls {
        let (ours, nowhere) = (api_call(&stranger, &ours), api_call(&stranger, &nowhere));
        let (ours, nowhere) = (ours.send(), nowhere.send());
        nowhere.expect_error(404, "RESOURCE_NOT_FOUND");
        check_same(&ours, &owned, &nowhere, &nothing);
    }
    // A list is never rejected; for another tenant's id it is empty.
    let listed = |of: &Owned| stranger.get(&list_call(of)).expect(200);
    let (ours, nowhere) = (listed(&owned), listed(&nothing));
    assert_eq!(ours.json(), json!([]));
    assert_eq!(told(&ours, &owned), told(&nowhere, &nothing));
    // Nothing was changed.
    let client = server.client().with_key(&server.new_key("ours").1);
    let hooks = client.get("/v1/webhooks").expect(200).json();
    assert_eq!(text(&hooks[0]["id"]), owned.webhook);
    let events = client.get(&list_call(&owned)).expect(200).json();
    assert_eq!(events.as_array().map(Vec::len), Some(1));
}

/// Returns the path of the list that can be filtered by an id.
pub(crate) fn list_call(of: &Owned) -> String {
    format!("/v1/adverse-events?assessment_id={}", of.assessment)
}

/// Public resources also have ids, which belong to no tenant.
const OF_EVERYBODY: &[&str] = &["/v1/conditions/", "/v1/medicines/", "/v1/fhir/"];

#[test]
fn every_path_with_an_id_is_tested_here() {
    let document = shared().client().get("/v1/openapi.json").expect(200).json();
    let placeholders = Owned {
        webhook: "{id}".to_owned(),
        delivery: "{delivery_id}".to_owned(),
        ..Owned::nothing()
    };
    let asked: BTreeSet<(String, String)> = api_calls(&placeholders)
        .into_iter()
        .map(|(method, path, _)| (path, method.to_lowercase()))
        .collect();
    let mut found = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        if !path.contains('{') || OF_EVERYBODY.iter().any(|prefix| path.starts_with(prefix)) {
            continue;
        }
        for method in methods.as_object().expect("methods").keys() {
            found += 1;
            let call = (path.clone(), method.clone());
            assert!(asked.contains(&call), "{call:?} is never asked for");
        }
    }
    assert!(found >= 6, "{found} paths with an id");
}

#[test]
fn the_interview_of_another_tenant_looks_new() {
    let server = quick().start();
    let (owned, nothing) = (somebody(&server), Owned::nothing());
    let stranger = pilot(&server, "theirs", 50);
    let begin = |interview: &str| {
        let body = with(fever(), "/interview_id", json!(interview));
        let mut answer = stranger.post(ASSESS, &body).expect(200).json();
        for changing in ["assessment_id", "interview_id", "processing_time_ms"] {
            answer[changing].take();
        }
        answer["metadata"].take();
        answer
    };
    assert_eq!(begin(&owned.interview), begin(&nothing.interview));
}

#[test]
fn pages_of_another_tenant_look_nonexistent() {
    let server = quick().start();
    let (owned, nothing) = (somebody(&server), Owned::nothing());
    pilot(&server, "theirs", 50);
    let stranger = signed_in(&server, &member(&server, "theirs", "owner@theirs.example"));
    let token = form_token(&stranger.get("/dashboard/account").expect(200));
    let calls = page_calls(&owned).into_iter().zip(page_calls(&nothing));
    for (ours, nowhere) in calls {
        let ours = page_call(&stranger, &token, &ours).send();
        let nowhere = page_call(&stranger, &token, &nowhere).send();
        check_same(&ours, &owned, &nowhere, &nothing);
    }
}

#[test]
fn a_clinician_cannot_change_keys_members_or_webhooks() {
    let server = quick().start();
    let owned = somebody(&server);
    let clinician = member_as(&server, "ours", "nurse@ours.example", "clinician");
    let clinician = signed_in(&server, &clinician);
    let token = form_token(&clinician.get("/dashboard/account").expect(200));
    let of_others =
        ["keys", "members", "webhooks", "audit"].map(|page| format!("/dashboard/{page}"));
    let lists = of_others.clone().map(|path| ("GET", path, ""));
    let calls = page_calls(&owned).into_iter().chain(lists);
    let mut refused = 0;
    for call in calls.filter(|(_, path, _)| of_others.iter().any(|other| path.starts_with(other))) {
        page_call(&clinician, &token, &call).send().expect(403);
        refused += 1;
    }
    assert!(refused >= 15, "{refused} pages");
}

/// Returns a browser in which this member has followed the invitation link.
pub(crate) fn signed_in(server: &Server, member: &Value) -> Client {
    let browser = server.client().with_header("Accept", "text/html");
    let link = text(&member["sign_in_link"]);
    let (_, path) = link.split_once("/sign-in/").expect("a link");
    let path = format!("/sign-in/{path}");
    let page = browser.get(&path).expect(200);
    let visiting = browser.with_header("Cookie", &page.cookies());
    let entered = visiting
        .request("POST", &path)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(format!("form_token={}", form_token(&page)))
        .send()
        .expect(303);
    browser.with_header("Cookie", &entered.cookies())
}

pub(crate) fn form_token(page: &Answer) -> String {
    let page = page.text();
    let (_, rest) = page
        .split_once("name=\"form_token\" value=\"")
        .expect("a form");
    rest.split('"').next().unwrap_or_default().to_owned()
}
