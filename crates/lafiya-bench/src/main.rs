//! A minimal web server with the same input and output: the upper limit that `cargo xtask bench`
//! compares the service with.
//!
//! `lafiya-limit ADDRESS FOLDER` answers `POST /NAME` by parsing the body into typed values and
//! serializing the JSON of `FOLDER/NAME`, and `GET /NAME` with the bytes of `FOLDER/NAME`. It has
//! no keys, no store and no reasoning.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

/// The body of the benchmark's requests.
#[derive(Deserialize)]
#[expect(dead_code, reason = "parsing is what is measured")]
struct Body {
    patient: Option<Patient>,
    #[serde(default)]
    evidence: Vec<Evidence>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsing is what is measured")]
struct Patient {
    age: u32,
    sex: String,
    location: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsing is what is measured")]
struct Evidence {
    id: String,
    choice_id: String,
    source: String,
    duration_days: Option<u32>,
}

struct Answer {
    bytes: Bytes,
    tree: Value,
}

type Answers = Arc<HashMap<String, Answer>>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("lafiya-limit ADDRESS FOLDER".into());
    };
    let mut answers = HashMap::new();
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        let bytes = Bytes::from(std::fs::read(file.path())?);
        let tree = serde_json::from_slice(&bytes)?;
        let name = file.file_name().to_string_lossy().into_owned();
        answers.insert(name, Answer { bytes, tree });
    }
    let router = Router::new()
        .route("/{name}", get(same_bytes).post(parsed_and_serialised))
        .with_state(Arc::new(answers));
    let listener = tokio::net::TcpListener::bind(address).await?;
    Ok(axum::serve(listener, router).await?)
}

async fn same_bytes(State(answers): State<Answers>, Path(name): Path<String>) -> Response {
    match answers.get(&name) {
        Some(answer) => (
            [(header::CONTENT_TYPE, "application/json")],
            answer.bytes.clone(),
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn parsed_and_serialised(
    State(answers): State<Answers>,
    Path(name): Path<String>,
    Json(body): Json<Body>,
) -> Response {
    std::hint::black_box(&body);
    match answers.get(&name) {
        Some(answer) => Json(&answer.tree).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
