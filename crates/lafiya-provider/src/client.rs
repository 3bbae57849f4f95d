//! The client of the model. A call is limited in time, size and attempts, and the number of
//! concurrent calls is limited. An error is a fixed word and never contains text of the server.

use std::time::{Duration, Instant};

use rand::RngExt;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{sleep, timeout, timeout_at};

use crate::breaker::Breaker;
use crate::chat::{self, Question};

const USER_AGENT: &str = concat!("Lafiya/", env!("CARGO_PKG_VERSION"));
/// Maximum size of a response, in bytes; a valid answer of a few hundred tokens is smaller.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
/// Maximum number of attempts: one call and two retries.
const ATTEMPTS_MAX: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// If the server asks for a longer pause than this, the call is not retried.
const ASKED_PAUSE_MAX: Duration = Duration::from_secs(5);
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a successful probe or call counts as current.
const SEEN_KEPT_FOR: Duration = Duration::from_secs(15);
/// How long a failed probe counts as current.
const UNSEEN_KEPT_FOR: Duration = Duration::from_secs(2);

/// The settings of the model's server.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// The base URL of the API, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The API key; empty if the server requires none.
    pub api_key: SecretString,
    /// Timeout of a question, including all attempts.
    pub timeout: Duration,
    /// Maximum number of concurrent questions.
    pub concurrency: usize,
    /// Maximum number of tokens in an answer.
    pub tokens_max: u32,
    /// Number of consecutive failures that open the circuit breaker.
    pub breaker_failures: u32,
    /// How long the circuit breaker stays open.
    pub breaker_open_for: Duration,
}

/// The settings do not define a usable provider.
#[derive(Debug)]
pub struct ProviderError(String);

impl std::fmt::Display for ProviderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProviderError {}

/// Why there is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The circuit breaker is open because of recent failures.
    CircuitOpen,
    /// Too many questions are running.
    Busy,
    /// There was no complete response in time.
    Timeout,
    /// The connection failed or broke.
    Unreachable,
    /// The server answered 429.
    RateLimited,
    /// The server answered 5xx.
    ServerError,
    /// The server answered with another error status: a wrong key, model or address.
    Refused,
    /// The response is larger than a valid one can be.
    TooLarge,
    /// The response is not in the format of this API.
    Malformed,
}

impl Failure {
    /// Returns the value used in metrics, logs and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CircuitOpen => "circuit_open",
            Self::Busy => "busy",
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::RateLimited => "rate_limited",
            Self::ServerError => "server_error",
            Self::Refused => "refused",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
        }
    }

    fn is_worth_another_try(self) -> bool {
        matches!(
            self,
            Self::Unreachable | Self::RateLimited | Self::ServerError
        )
    }
}

/// The reply of the model, with its cost.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The unchecked text.
    pub content: String,
    /// SHA-256 of the request body, in hexadecimal.
    pub request_sha256: String,
    /// Attempts made.
    pub attempts: u32,
    /// Time from the question to the reply.
    pub latency: Duration,
}

/// A question without a reply, with its cost.
#[derive(Clone, Debug)]
pub struct NoReply {
    /// The cause.
    pub failure: Failure,
    /// SHA-256 of the request body, in hexadecimal; empty if nothing was sent.
    pub request_sha256: String,
    /// Attempts made.
    pub attempts: u32,
    /// Time from the question to giving up.
    pub latency: Duration,
}

/// The client of the model's server.
pub struct Provider {
    client: Client,
    settings: ProviderSettings,
    chat: Url,
    models: Url,
    places: Semaphore,
    breaker: Breaker,
    /// The time and the result of the last probe or successful call.
    seen: Mutex<Option<(Instant, bool)>>,
}

impl Provider {
    /// Creates a client. It sends nothing yet.
    pub fn new(settings: ProviderSettings) -> Result<Self, ProviderError> {
        let url = |path: &str| {
            let text = format!("{}/{path}", settings.base_url.trim_end_matches('/'));
            let url = Url::parse(&text).ok();
            url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
                .ok_or_else(|| {
                    ProviderError("must be an address such as http://127.0.0.1:11434/v1".to_owned())
                })
        };
        let (chat, models) = (url("chat/completions")?, url("models")?);
        let mut client = Client::builder()
            .user_agent(USER_AGENT)
            // A redirect would send the case and the API key to another server.
            .redirect(Policy::none())
            // The total timeout is applied around all attempts, not to each.
            .connect_timeout(settings.timeout)
            .pool_max_idle_per_host(settings.concurrency);
        // A proxy of the environment could not reach a server on this machine.
        if is_this_machine(&chat) {
            client = client.no_proxy();
        }
        let client = client
            .build()
            .map_err(|cause| ProviderError(cause.to_string()))?;
        Ok(Self {
            client,
            chat,
            models,
            places: Semaphore::new(settings.concurrency.max(1)),
            breaker: Breaker::new(settings.breaker_failures, settings.breaker_open_for),
            seen: Mutex::new(None),
            settings,
        })
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.settings.model
    }

    /// Asks a question. Returns within the timeout, whatever the server does.
    pub async fn ask(&self, question: &Question) -> Result<Reply, NoReply> {
        let started = Instant::now();
        let mut attempts = 0;
        let body = chat::body(question, &self.settings.model, self.settings.tokens_max);
        // Stored instead of the question, to prove later which question an answer belongs to.
        let request_sha256 = hex::encode(Sha256::digest(&body));
        let spoken = self.converse(body, started, &mut attempts).await;
        let latency = started.elapsed();
        self.count(question, spoken.as_ref().err().copied(), latency);
        match spoken {
            Ok(content) => {
                // If a probe holds the lock, its own result will be recorded.
                if let Ok(mut seen) = self.seen.try_lock() {
                    *seen = Some((Instant::now(), true));
                }
                Ok(Reply {
                    content,
                    request_sha256,
                    attempts,
                    latency,
                })
            }
            Err(failure) => Err(NoReply {
                failure,
                request_sha256: if attempts > 0 {
                    request_sha256
                } else {
                    String::new()
                },
                attempts,
                latency,
            }),
        }
    }

    /// Whether the server is healthy: the circuit breaker is closed, and a recent call succeeded or
    /// a probe is answered.
    pub async fn is_well(&self) -> bool {
        // Held during the probe, so that many health checks at once cause a single probe.
        let mut seen = self.seen.lock().await;
        if self.breaker.is_open(Instant::now()) {
            return false;
        }
        let kept_for = |well: bool| if well { SEEN_KEPT_FOR } else { UNSEEN_KEPT_FOR };
        if let Some((at, well)) = *seen
            && at.elapsed() < kept_for(well)
        {
            return well;
        }
        let well = self.probe().await;
        *seen = Some((Instant::now(), well));
        well
    }

    /// Requests the list of models, which costs the server nothing. A server without such a list
    /// still counts as available.
    async fn probe(&self) -> bool {
        let request = self.authorized(self.client.get(self.models.clone()));
        match timeout(PROBE_TIMEOUT, request.send()).await {
            Ok(Ok(response)) => {
                let status = response.status();
                !status.is_server_error()
                    && status != StatusCode::UNAUTHORIZED
                    && status != StatusCode::FORBIDDEN
            }
            _ => false,
        }
    }

    async fn converse(
        &self,
        body: Vec<u8>,
        started: Instant,
        attempts: &mut u32,
    ) -> Result<String, Failure> {
        let deadline = tokio::time::Instant::from_std(started + self.settings.timeout);
        if self.breaker.is_open(started) {
            return Err(Failure::CircuitOpen);
        }
        // Waiting counts against the timeout: the clinician waits all the same.
        let place = timeout_at(deadline, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(Failure::Busy);
        };
        // After the wait for a place, in which the breaker may have opened.
        let pass = self.breaker.admit(Instant::now());
        let pass = pass.ok_or(Failure::CircuitOpen)?;
        // A dropped pass counts as a failure, and so does a timeout.
        let content = timeout_at(deadline, self.attempts(body, attempts)).await;
        let content = content.unwrap_or(Err(Failure::Timeout))?;
        pass.succeeded();
        Ok(content)
    }

    async fn attempts(&self, body: Vec<u8>, attempts: &mut u32) -> Result<String, Failure> {
        let mut pause = FIRST_PAUSE;
        loop {
            // Counted before the call, so that a call that is cut off by the timeout is counted
            // too.
            *attempts += 1;
            let (failure, asked) = match self.attempt(body.clone()).await {
                Ok(content) => return Ok(content),
                Err(failed) => failed,
            };
            let asks_too_much = asked.is_some_and(|asked| asked > ASKED_PAUSE_MAX);
            if !failure.is_worth_another_try() || *attempts >= ATTEMPTS_MAX || asks_too_much {
                return Err(failure);
            }
            // Jitter of ±50 %, so that clients that failed together do not retry together.
            let jittered = pause.mul_f64(0.5 + rand::rng().random::<f64>());
            sleep(jittered.max(asked.unwrap_or_default())).await;
            pause *= 2;
        }
    }

    async fn attempt(&self, body: Vec<u8>) -> Result<String, (Failure, Option<Duration>)> {
        let request = self.authorized(self.client.post(self.chat.clone()));
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await;
        let response = response.map_err(|cause| (without_answer(&cause), None))?;
        let status = response.status();
        if !status.is_success() {
            let failure = match status {
                StatusCode::TOO_MANY_REQUESTS => Failure::RateLimited,
                _ if status.is_server_error() => Failure::ServerError,
                _ => Failure::Refused,
            };
            return Err((failure, asked_pause(&response)));
        }
        let answer = bounded(response).await.map_err(|failure| (failure, None))?;
        chat::content(&answer).ok_or((Failure::Malformed, None))
    }

    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self.settings.api_key.expose_secret() {
            "" => request,
            key => request.bearer_auth(key),
        }
    }

    fn count(&self, question: &Question, failure: Option<Failure>, latency: Duration) {
        let outcome = failure.map_or("answered", Failure::as_str);
        let purpose = question.purpose.as_str();
        metrics::counter!("lafiya_ai_requests_total", "purpose" => purpose, "outcome" => outcome)
            .increment(1);
        metrics::histogram!("lafiya_ai_request_seconds", "purpose" => purpose)
            .record(latency.as_secs_f64());
        let open = self.breaker.is_open(Instant::now());
        metrics::gauge!("lafiya_ai_circuit_open").set(if open { 1.0 } else { 0.0 });
        if let Some(failure) = failure {
            tracing::warn!(
                ai.outcome = failure.as_str(),
                ai.purpose = purpose,
                duration_ms = latency.as_millis() as u64,
                "The AI provider gave no answer."
            );
        }
    }
}

/// Reads a response up to the maximum size.
async fn bounded(mut response: Response) -> Result<Vec<u8>, Failure> {
    // A false length is caught below.
    let told = response.content_length().unwrap_or(0);
    if told > ANSWER_BYTES_MAX as u64 {
        return Err(Failure::TooLarge);
    }
    let mut answer = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if answer.len() + chunk.len() > ANSWER_BYTES_MAX => {
                return Err(Failure::TooLarge);
            }
            Ok(Some(chunk)) => answer.extend_from_slice(&chunk),
            Ok(None) => return Ok(answer),
            Err(_) => return Err(Failure::Malformed),
        }
    }
}

fn without_answer(cause: &reqwest::Error) -> Failure {
    if cause.is_timeout() {
        Failure::Timeout
    } else {
        Failure::Unreachable
    }
}

fn asked_pause(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost" || host.starts_with("127.") || host == "[::1]"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str) -> ProviderSettings {
        ProviderSettings {
            base_url: base_url.to_owned(),
            model: "m".to_owned(),
            api_key: SecretString::from("top-secret"),
            timeout: Duration::from_secs(1),
            concurrency: 2,
            tokens_max: 100,
            breaker_failures: 3,
            breaker_open_for: Duration::from_secs(1),
        }
    }

    #[test]
    fn only_http_addresses_are_accepted() {
        for wrong in ["", "127.0.0.1:80", "ftp://host/v1", "file:///etc"] {
            assert!(Provider::new(settings(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_key_is_not_in_any_debug_output() {
        let shown = format!("{:?}", settings("http://127.0.0.1/v1"));
        assert!(!shown.contains("top-secret"), "{shown}");
    }

    #[test]
    fn loopback_addresses_are_this_machine() {
        let is = |url: &str| is_this_machine(&Url::parse(url).unwrap());
        assert!(is("http://127.0.0.1:1/v1") && is("http://localhost/v1") && is("http://[::1]:1/"));
        assert!(!is("https://models.example.org/v1"));
    }
}
