//! The wire format of the chat API: only the fields that are needed, tolerant of missing and
//! additional ones.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The purpose of a question, used as a metrics label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A second opinion on a case.
    Assess,
    /// Mentions in a text.
    Parse,
}

impl Purpose {
    /// Returns the label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assess => "assess",
            Self::Parse => "parse",
        }
    }
}

/// A question to the model.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its purpose.
    pub purpose: Purpose,
    /// The system prompt, which is a constant.
    pub rules: &'static str,
    /// The user prompt: one JSON document that contains only data.
    pub matter: String,
    /// The JSON schema of the answer.
    pub schema: Value,
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    temperature: u8,
    max_tokens: u32,
    stream: bool,
    response_format: Value,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

/// Builds the body of a request.
pub(crate) fn body(question: &Question, model: &str, tokens_max: u32) -> Vec<u8> {
    let request = ChatRequest {
        model,
        messages: [
            Message {
                role: "system",
                content: question.rules,
            },
            Message {
                role: "user",
                content: &question.matter,
            },
        ],
        temperature: 0,
        max_tokens: tokens_max,
        stream: false,
        response_format: json!({
            "type": "json_schema",
            "json_schema": {"name": question.purpose.as_str(), "strict": true, "schema": question.schema},
        }),
    };
    serde_json::to_vec(&request).unwrap_or_default()
}

#[derive(Deserialize)]
struct ChatAnswer {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: Value,
}

/// Returns the text of a response; `None` if it is not in the format of this API.
pub(crate) fn content(body: &[u8]) -> Option<String> {
    let answer: ChatAnswer = serde_json::from_slice(body).ok()?;
    let content = &answer.choices.first()?.message["content"];
    match content {
        Value::String(text) => Some(text.clone()),
        // Some servers return the text in parts.
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_of_different_servers_are_read() {
        let read = |body: Value| content(body.to_string().as_bytes());
        let plain =
            json!({"choices": [{"message": {"content": "{}"}, "finish_reason": ""}], "x": 1});
        assert_eq!(read(plain).as_deref(), Some("{}"));
        let parts =
            json!({"choices": [{"message": {"content": [{"type": "text", "text": "{}"}]}}]});
        assert_eq!(read(parts).as_deref(), Some("{}"));
    }

    #[test]
    fn a_malformed_response_is_none() {
        for body in [
            "",
            "[]",
            "{}",
            "{\"choices\": []}",
            "{\"choices\": [{}]}",
            "{\"choices\": [{\"message\": {\"content\": null}}]}",
            "{\"choices\": [{\"message\": {\"content\": \"{",
        ] {
            assert_eq!(content(body.as_bytes()), None, "{body}");
        }
    }
}
