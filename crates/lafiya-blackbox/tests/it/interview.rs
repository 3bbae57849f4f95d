//! Tests interviews of several turns: their id, what is remembered, and who may access them.

use lafiya_blackbox::{Answer, Client, Server, at_once, shared};
use serde_json::{Value, json};

use crate::assess::thought;
use crate::fhir_requests::{as_bundle, post_fhir};
use crate::requests::{
    ASSESS, absent, assessed, case, clinic, fever, measured, named, new_uuid, patient, pilot,
    present, turn, with,
};
use crate::shape::is_uuid;
use crate::tenants::{form_token, member, page_call, signed_in};

#[track_caller]
fn by_header(client: &Client, id: &str, body: &Value) -> Answer {
    client.with_header("X-Interview-Id", id).post(ASSESS, body)
}

/// Asserts that a turn gets the same result as this single case without an interview.
#[track_caller]
fn check_like(client: &Client, turn: &Value, whole: &[Value]) {
    assert_eq!(thought(turn), thought(&assessed(client, &case(whole))));
}

#[test]
fn a_new_interview_gets_an_id_and_that_id_continues_it() {
    let client = clinic();
    let first = assessed(&client, &fever());
    let id = first["interview_id"].as_str().expect("an id");
    assert!(is_uuid(id));
    let second = assessed(&client, &turn(id, &[present("s_headache")]));
    assert_eq!(second["interview_id"], id);
    assert_ne!(second["assessment_id"], first["assessment_id"]);
    check_like(
        &client,
        &second,
        &[present("s_fever"), present("s_headache")],
    );
    let other = assessed(&client, &fever());
    assert_ne!(other["interview_id"], id, "no id begins a new interview");
}

#[test]
fn header_body_and_prefix_name_the_same_interview() {
    let client = clinic();
    let id = new_uuid();
    let first = by_header(&client, &id, &fever()).expect(200).json();
    assert_eq!(first["interview_id"], id.as_str(), "the client may choose");
    let prefixed = format!("int_{id}");
    let second = assessed(&client, &turn(&prefixed, &[present("s_headache")]));
    assert_eq!(second["interview_id"], id.as_str(), "always a UUID");
    let both = turn(&prefixed, &[present("s_cough")]);
    let third = by_header(&client, &id, &both).expect(200).json();
    let whole = [
        present("s_fever"),
        present("s_headache"),
        present("s_cough"),
    ];
    check_like(&client, &third, &whole);
}

#[test]
fn two_different_ids_are_refused() {
    let answer = by_header(
        &clinic(),
        &new_uuid(),
        &turn(&new_uuid(), &[present("s_fever")]),
    );
    let pointers = named(&answer, 400, "INVALID_REQUEST");
    let one_of = ["/interview_id", "/headers/X-Interview-Id"];
    assert!(one_of.contains(&pointers[0].as_str()), "{answer}");
}

#[test]
fn a_malformed_interview_id_is_refused() {
    let prefixed = format!("int_{}", new_uuid());
    for id in ["abc", "", "6f1d2c3b-5a49-4e8f-9b7a", &prefixed] {
        let answer = by_header(&clinic(), id, &fever());
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/headers/X-Interview-Id"], "{answer}");
    }
    for id in [
        "abc",
        "",
        "int_",
        "int_abc",
        "ses_6f1d2c3b-5a49-4e8f-9b7a-000000000000",
    ] {
        let answer = clinic().post(ASSESS, &turn(id, &[present("s_fever")]));
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/interview_id"], "{answer}");
    }
}

#[test]
fn a_later_turn_overrides_remembered_evidence() {
    let client = clinic();
    let id = new_uuid();
    assessed(
        &client,
        &turn(&id, &[present("s_fever"), present("s_headache")]),
    );
    let revised = assessed(&client, &turn(&id, &[absent("s_fever")]));
    check_like(
        &client,
        &revised,
        &[present("s_headache"), absent("s_fever")],
    );
}

#[test]
fn a_detail_is_remembered_when_the_item_is_repeated() {
    let client = clinic();
    let id = new_uuid();
    let hot = measured("s_body_temperature", "41.2");
    let first = assessed(&client, &turn(&id, &[present("s_cough"), hot.clone()]));
    assert_eq!(first["triage"]["level"], "emergency");
    let again = [present("s_body_temperature"), absent("s_headache")];
    let second = assessed(&client, &turn(&id, &again));
    assert_eq!(second["triage"]["level"], "emergency", "{second}");
    let cooled = [measured("s_body_temperature", "37.0")];
    let third = assessed(&client, &turn(&id, &cooled));
    assert_ne!(third["triage"]["level"], "emergency", "{third}");

    let body = case(&[present("s_cough"), present("s_body_temperature")]);
    let body = assessed(&client, &with(body, "/previous_evidence", json!([hot])));
    assert_eq!(body["triage"]["level"], "emergency", "{body}");
}

#[test]
fn evidence_overrides_previous_evidence_and_memory() {
    let client = clinic();
    let id = new_uuid();
    assessed(
        &client,
        &turn(&id, &[present("s_cough"), present("s_headache")]),
    );
    let body = turn(&id, &[absent("s_headache"), present("s_fever")]);
    let previous = json!([absent("s_cough"), present("s_headache")]);
    let second = assessed(&client, &with(body, "/previous_evidence", previous));
    let whole = [absent("s_headache"), present("s_fever"), absent("s_cough")];
    check_like(&client, &second, &whole);
}

#[test]
fn risk_factors_are_remembered() {
    let client = clinic();
    let id = new_uuid();
    let first = turn(&id, &[present("s_fever")]);
    assessed(
        &client,
        &with(first, "/risk_factors", json!(["p_pregnancy"])),
    );
    let second = assessed(&client, &turn(&id, &[present("s_headache")]));
    let whole = [
        present("s_fever"),
        present("s_headache"),
        present("p_pregnancy"),
    ];
    check_like(&client, &second, &whole);
}

#[test]
fn only_a_later_turn_may_consist_of_denials() {
    let client = clinic();
    let id = new_uuid();
    let no = turn(&id, &[absent("s_cough")]);
    client
        .post(ASSESS, &no)
        .expect_error(400, "INSUFFICIENT_DATA");
    assessed(&client, &turn(&id, &[present("s_fever")]));
    let second = assessed(&client, &no);
    check_like(&client, &second, &[present("s_fever"), absent("s_cough")]);
    let denied = client.post(ASSESS, &turn(&id, &[absent("s_fever")]));
    denied.expect_error(400, "INSUFFICIENT_DATA");
}

#[test]
fn another_age_or_sex_in_an_interview_is_refused() {
    let client = clinic();
    let id = new_uuid();
    assessed(&client, &turn(&id, &[present("s_fever")]));
    for (age, sex) in [(31, "female"), (30, "male"), (29, "other")] {
        let body = patient(age, sex, &[present("s_cough")]);
        let answer = by_header(&client, &id, &body);
        assert_eq!(
            named(&answer, 400, "INVALID_REQUEST"),
            ["/patient"],
            "{answer}"
        );
    }
    assessed(&client, &turn(&id, &[present("s_cough")]));
}

#[test]
fn a_more_precise_age_is_accepted_and_kept() {
    let client = clinic();
    let fields = [json!({"age": 0, "age_days": 10}), json!({"age": 0})];
    for order in [[0, 1], [1, 0]] {
        let id = new_uuid();
        let say = |place: usize, evidence: &[Value]| {
            let mut body = patient(0, "female", evidence);
            for (name, value) in fields[order[place]].as_object().expect("fields") {
                body = with(body, &format!("/patient/{name}"), value.clone());
            }
            by_header(&client, &id, &body).expect(200).json()
        };
        say(0, &[present("s_cough")]);
        let second = say(1, &[present("s_fever")]);
        assert_eq!(second["triage"]["level"], "emergency", "{second}");
    }
}

#[test]
fn the_repeated_latest_turn_is_answered_from_the_cache() {
    let client = clinic();
    let id = new_uuid();
    let (first, second) = (
        turn(&id, &[present("s_fever")]),
        turn(&id, &[present("s_cough")]),
    );
    assert_eq!(assessed(&client, &first)["metadata"]["cache_hit"], false);
    assert_eq!(assessed(&client, &first)["metadata"]["cache_hit"], true);
    let answer = client.post(ASSESS, &second).expect(200);
    assert_eq!(answer.json()["metadata"]["cache_hit"], false);
    let again = client.post(ASSESS, &second).expect(200);
    assert_ne!(
        again.required_header("x-request-id"),
        answer.required_header("x-request-id")
    );
    let hit = with(answer.json(), "/metadata/cache_hit", json!(true));
    assert_eq!(again.json(), hit, "the same result");
    // The first turn is no longer the latest, so this is a new turn.
    let earlier = assessed(&client, &first);
    assert_eq!(earlier["metadata"]["cache_hit"], false);
}

#[test]
fn a_repeated_first_turn_is_a_cache_hit_by_body_or_header() {
    let client = clinic();
    let first = case(&[present("s_fever"), present("s_cough")]);
    let answer = assessed(&client, &first);
    let id = answer["interview_id"].as_str().unwrap();
    let mut again = first.clone();
    again["interview_id"] = json!(id);
    let hit = with(answer.clone(), "/metadata/cache_hit", json!(true));
    assert_eq!(assessed(&client, &again), hit);
    assert_eq!(by_header(&client, id, &first).expect(200).json(), hit);
    let further = assessed(&client, &turn(id, &[present("s_fever")]));
    assert_eq!(further["metadata"]["cache_hit"], false);
}

#[test]
fn the_next_question_can_be_answered_until_the_interview_stops() {
    let client = clinic();
    let id = new_uuid();
    let mut answer = assessed(&client, &turn(&id, &[present("s_fever")]));
    let mut asked = vec!["s_fever".to_owned()];
    while let Some(question) = answer["next_question"]["id"].as_str().map(str::to_owned) {
        assert!(!asked.contains(&question), "{question} is asked twice");
        assert!(asked.len() < 60, "the interview does not end");
        answer = assessed(&client, &turn(&id, &[absent(&question)]));
        asked.push(question);
        if answer["should_stop"] == true {
            break;
        }
    }
    assert!(asked.len() > 2, "nothing was asked");
}

#[test]
fn the_sixty_first_turn_is_refused() {
    let client = clinic().with_header("X-Service-Environment", "sandbox");
    let id = new_uuid();
    let choices = [absent("s_cough"), present("s_cough")];
    let say = |number: usize| turn(&id, &[present("s_fever"), choices[number % 2].clone()]);
    for number in 0..60 {
        assessed(&client, &say(number));
    }
    client
        .post(ASSESS, &say(60))
        .expect_error(400, "INVALID_REQUEST");
    client.post(ASSESS, &fever()).expect(200);
}

#[test]
fn the_same_id_of_another_tenant_is_another_interview() {
    let server = shared();
    let (ours, theirs) = (
        pilot(&server, "interview of ours", 5),
        pilot(&server, "interview of theirs", 5),
    );
    let id = new_uuid();
    assessed(&ours, &turn(&id, &[present("s_fever")]));
    let man = patient(61, "male", &[present("s_cough")]);
    let answer = by_header(&theirs, &id, &man).expect(200).json();
    assert_eq!(answer["interview_id"], id.as_str());
    assert_eq!(thought(&answer), thought(&assessed(&theirs, &man)));
    let second = assessed(&ours, &turn(&id, &[present("s_headache")]));
    check_like(&ours, &second, &[present("s_fever"), present("s_headache")]);
}

#[test]
fn sandbox_and_live_interviews_are_separate() {
    let live = clinic();
    let sandbox = live.with_header("X-Service-Environment", "sandbox");
    let id = new_uuid();
    assessed(&live, &turn(&id, &[present("s_fever")]));
    let man = patient(61, "male", &[present("s_cough")]);
    by_header(&sandbox, &id, &man).expect(200);
    let no = turn(&id, &[absent("s_headache")]);
    let second = assessed(&live, &no);
    check_like(&live, &second, &[present("s_fever"), absent("s_headache")]);
}

#[test]
fn an_interview_continues_on_another_replica_and_after_a_crash() {
    let mut server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 5);
    let id = new_uuid();
    assessed(&client, &turn(&id, &[present("s_fever")]));
    let replica = server.replica();
    let there = client.at(replica.address);
    assessed(&there, &turn(&id, &[present("s_headache")]));
    server.kill();
    server.restart();
    let client = client.at(server.address);
    let third = assessed(&client, &turn(&id, &[present("s_cough")]));
    let whole = [
        present("s_fever"),
        present("s_headache"),
        present("s_cough"),
    ];
    check_like(&client, &third, &whole);
}

#[test]
fn concurrent_turns_are_one_interview_and_billed_once() {
    let client = pilot(&shared(), "interview at once", 1);
    let id = new_uuid();
    let findings = ["s_fever", "s_headache", "s_cough", "s_vomiting", "s_chills"];
    let answers = at_once(findings.len(), |number| {
        client.post(ASSESS, &turn(&id, &[present(findings[number])]))
    });
    let mut told = Vec::new();
    for (answer, finding) in answers.iter().zip(findings) {
        // Some simultaneous requests may be rejected for a retry; none is billed or lost.
        assert!(matches!(answer.status, 200 | 409), "{answer}");
        if answer.status == 200 {
            told.push(present(finding));
        }
    }
    assert!(!told.is_empty(), "nobody was answered");
    let last = assessed(&client, &turn(&id, &[absent("s_fatigue")]));
    told.push(absent("s_fatigue"));
    let sandbox = client.with_header("X-Service-Environment", "sandbox");
    check_like(&sandbox, &last, &told);
}

/// Two patients with "no id yet" would share an interview.
#[test]
fn a_nil_or_max_uuid_is_not_an_interview_id() {
    let client = clinic();
    for none in [
        "00000000-0000-0000-0000-000000000000",
        "00000000000000000000000000000000",
        "urn:uuid:00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ] {
        for id in [none.to_owned(), format!("int_{none}")] {
            let answer = client.post(ASSESS, &with(fever(), "/interview_id", json!(id)));
            let pointers = named(&answer, 400, "INVALID_REQUEST");
            assert_eq!(pointers, ["/interview_id"], "{id}");
        }
        let by_header = client.with_header("X-Interview-Id", none);
        let answer = by_header.post(ASSESS, &fever());
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/headers/X-Interview-Id"], "{none}");
        let answer = post_fhir(&by_header, &as_bundle(&fever()));
        assert_eq!(answer.status, 400, "{none}: {answer}");
        let sandbox = by_header.with_header("X-Service-Environment", "sandbox");
        sandbox.post(ASSESS, &fever()).expect(400);

        let about = json!({"assessment_id": none});
        let rationale = client.post("/v1/rationale", &about);
        let pointers = named(&rationale, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/assessment_id"], "{none}");
        let by_query = client.get(&format!("/v1/rationale?assessment_id={none}"));
        by_query.expect_error(400, "INVALID_REQUEST");
        let event =
            json!({"assessment_id": none, "description": "a rash", "seriousness": "serious"});
        let told = client.post("/v1/adverse-events", &event);
        assert_eq!(named(&told, 400, "INVALID_REQUEST"), ["/assessment_id"]);
    }
    // The web app sends the interview id in a form.
    let server = shared();
    pilot(&server, "interview in a form", 5);
    let nurse = member(&server, "interview in a form", "nurse@form.example");
    let nurse = signed_in(&server, &nurse);
    let token = form_token(&nurse.get("/dashboard/account").expect(200));
    let confirm = |interview: &str, status| {
        let form = format!(
            "age=30&unit=years&sex=female&place=&interview={interview}&choice.s_fever=present"
        );
        let call = ("POST", "/consult/confirm".to_owned(), form.as_str());
        page_call(&nurse, &token, &call).send().expect(status);
    };
    confirm("00000000-0000-0000-0000-000000000000", 400);
    confirm(&new_uuid(), 303);
}
