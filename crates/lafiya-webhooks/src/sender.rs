//! One attempt: a signed POST with a timeout, to an address that passed the guard. Redirects are
//! not followed and the response body is not read, so nothing about the internal network can be
//! learned through it.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lafiya_storage::store::ClaimedDelivery;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};

use crate::payload;
use crate::resolver::{GuardedResolver, LookUp};
use crate::signature::{Secret, signature};
use crate::target::{TargetPolicy, TargetRefusal};

const USER_AGENT: &str = concat!("Lafiya-Webhooks/", env!("CARGO_PKG_VERSION"));
/// Maximum number of idle connections per receiver.
const IDLE_PER_HOST_MAX: usize = 4;

/// The result of an attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Accepted with this status.
    Accepted(u16),
    /// The receiver is permanently gone (410).
    Gone,
    /// Refused or not answered.
    Failed {
        status: Option<u16>,
        reason: String,
        asked_pause: Option<Duration>,
    },
}

/// Sends deliveries.
pub(crate) struct Sender {
    client: Client,
    policy: TargetPolicy,
    timeout: Duration,
}

impl Sender {
    pub(crate) fn new(
        policy: TargetPolicy,
        timeout: Duration,
        look_up: LookUp,
    ) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .user_agent(USER_AGENT)
            .redirect(Policy::none())
            // A proxy would resolve the name itself and bypass the guard.
            .no_proxy()
            .timeout(timeout)
            .connect_timeout(timeout)
            .pool_max_idle_per_host(IDLE_PER_HOST_MAX)
            .dns_resolver(Arc::new(GuardedResolver::new(policy, look_up)))
            .build()?;
        Ok(Self {
            client,
            policy,
            timeout,
        })
    }

    pub(crate) async fn attempt(&self, delivery: &ClaimedDelivery, now: Timestamp) -> Outcome {
        // Checked again: the policy may have become stricter since the URL was registered.
        let url = match self.policy.check(&delivery.url) {
            Ok(url) => url,
            Err(refusal) => return failed(None, format!("the address {refusal}")),
        };
        let Ok(body) = payload::body_of(delivery) else {
            return failed(None, "the event could not be written down".to_owned());
        };
        let id = delivery.event_id.to_string();
        let secrets: Vec<Secret> = delivery
            .secrets
            .iter()
            .map(|bytes| Secret::from_bytes(bytes.clone()))
            .collect();
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", now.as_second())
            // Over the bytes of `body`, which are sent unchanged.
            .header("webhook-signature", signature(&secrets, &id, now, &body))
            .body(body);
        match request.send().await {
            Ok(response) => judged(&response),
            Err(error) => failed(None, self.reason(&error)),
        }
    }

    /// Describes why there was no response, in our own words: a library's message may reveal
    /// details of the internal network.
    fn reason(&self, error: &reqwest::Error) -> String {
        if let Some(refusal) = refusal_in(error) {
            format!("the address {refusal}")
        } else if error.is_timeout() {
            format!("no answer within {} s", self.timeout.as_secs_f64())
        } else if error.is_connect() {
            "no connection could be made".to_owned()
        } else {
            "the connection broke before an answer".to_owned()
        }
    }
}

fn judged(response: &Response) -> Outcome {
    let status = response.status();
    if status.is_success() {
        return Outcome::Accepted(status.as_u16());
    }
    if status == StatusCode::GONE {
        return Outcome::Gone;
    }
    let reason = if status.is_redirection() {
        format!("answered {}; redirects are not followed", status.as_u16())
    } else {
        format!("answered {}", status.as_u16())
    };
    Outcome::Failed {
        status: Some(status.as_u16()),
        reason,
        asked_pause: asked_pause(response),
    }
}

fn asked_pause(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    // The form with a date is ignored; it would depend on the receiver's clock.
    value.trim().parse().ok().map(Duration::from_secs)
}

fn failed(status: Option<u16>, reason: String) -> Outcome {
    Outcome::Failed {
        status,
        reason,
        asked_pause: None,
    }
}

/// Returns the guard's refusal if it was the cause of a connection error.
fn refusal_in(error: &reqwest::Error) -> Option<TargetRefusal> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(refusal) = inner.downcast_ref::<TargetRefusal>() {
            return Some(*refusal);
        }
        cause = inner.source();
    }
    None
}
