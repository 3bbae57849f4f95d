//! Tests a second opinion in `require` mode, the circuit breaker, and what the operator sees of
//! both.

use std::net::TcpListener;
use std::time::Duration;

use lafiya_blackbox::{Client, Model, Play, Server, eventually};
use serde_json::{Value, json};

use crate::ai_provider::{advised_by, honest};
use crate::requests::{ASSESS, assessed, fever};
use crate::usage;

fn used(server: &Server) -> Value {
    let day = usage::today();
    let path = format!("/v1/usage?start_date={day}&end_date={day}");
    server.live().get(&path).expect(200).json()["total_assessments"].clone()
}

#[test]
fn a_failing_required_model_gives_503_and_is_not_billed() {
    let model = Model::start(Play::Status(500));
    let server = advised_by(&model.url())
        .with("LAFIYA_AI_MODE", "require")
        .start();
    let refused = server.live().post(ASSESS, &fever());
    refused.expect_error(503, "AI_PROVIDER_UNAVAILABLE");
    assert_eq!(used(&server), 0);
    model.play(Play::Think(honest));
    assert_eq!(
        assessed(&server.live(), &fever())["metadata"]["second_opinion"],
        "used"
    );
    assert_eq!(used(&server), 1);
}

#[test]
fn a_required_model_that_outlasts_the_pipeline_gives_504() {
    let model = Model::start(Play::Hang);
    let server = advised_by(&model.url())
        .with("LAFIYA_AI_MODE", "require")
        .with("LAFIYA_AI_TIMEOUT_MS", "60000")
        .with("LAFIYA_PIPELINE_TIMEOUT_MS", "1500")
        .start();
    let late = server.live().post(ASSESS, &fever());
    late.expect_error(504, "GATEWAY_TIMEOUT");
    assert_eq!(used(&server), 0);
}

#[test]
fn a_timed_out_call_is_not_billed() {
    let server = Server::with("LAFIYA_PIPELINE_TIMEOUT_MS", "4").start();
    let client = server.live();
    let sent = (0..8).map(|_| {
        let client = client.clone();
        std::thread::spawn(move || {
            let answers = (0..5).map(|_| client.post(ASSESS, &fever()).status);
            answers.filter(|status| *status == 200).count()
        })
    });
    let sent: Vec<_> = sent.collect();
    let answered: usize = sent.into_iter().map(|sender| sender.join().unwrap()).sum();
    assert_eq!(used(&server), answered);
}

#[test]
fn a_timeout_without_room_for_a_fallback_is_refused_at_start() {
    let server = Server::start();
    let output = server.cli(&[
        "--ai-provider",
        "openai",
        "--ai-base-url",
        "http://127.0.0.1:9/v1",
        "--ai-model",
        "m",
        "--ai-timeout-ms",
        "90000",
        "tenant",
        "list",
    ]);
    assert!(!output.status.success());
    assert!(output.stderr.contains("ai_timeout_ms"), "{}", output.stderr);
}

#[test]
fn a_failing_model_is_paused_and_tried_again() {
    let model = Model::start(Play::Status(401));
    let admin = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = admin.local_addr().expect("an address");
    drop(admin);
    let server = advised_by(&model.url())
        .with("LAFIYA_AI_BREAKER_FAILURES", "2")
        .with("LAFIYA_AI_BREAKER_OPEN_MS", "1500")
        .with("LAFIYA_ADMIN_LISTEN", &address.to_string())
        .start();
    let client = server.live();
    let failure = |body: &Value| {
        let asked = client.post(
            "/v1/rationale",
            &json!({"assessment_id": body["assessment_id"]}),
        );
        asked.expect(200).json()["second_opinion"]["failure"].clone()
    };
    for _ in 0..2 {
        assert_eq!(failure(&assessed(&client, &fever())), "refused");
    }
    let asked = model.asked().len();
    assert_eq!(failure(&assessed(&client, &fever())), "circuit_open");
    assert_eq!(model.asked().len(), asked, "nobody was asked");
    let health = |status: u16| {
        eventually("the health has caught up", Duration::from_secs(20), || {
            let answer = server.client().get("/v1/health");
            (answer.status == status).then(|| answer.json())
        })
    };
    assert_eq!(health(503)["checks"]["ai_provider"], "degraded");
    model.play(Play::Think(honest));
    eventually("the model is asked again", Duration::from_secs(20), || {
        (assessed(&client, &fever())["metadata"]["second_opinion"] == "used").then_some(())
    });
    assert_eq!(health(200)["checks"]["ai_provider"], "healthy");
    let metrics = Client::new(address).get("/metrics").expect(200).text();
    for outcome in ["refused", "circuit_open", "answered"] {
        let label = format!("outcome=\"{outcome}\"");
        let counted = metrics
            .lines()
            .find(|line| line.starts_with("lafiya_ai_requests_total") && line.contains(&label));
        assert!(counted.is_some(), "{outcome} is not counted:\n{metrics}");
    }
    assert!(metrics.contains("lafiya_ai_request_seconds"), "{metrics}");
}
