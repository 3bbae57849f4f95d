//! The sandbox: the same pipeline, deterministic responses, never billed. A special location
//! requests an error, so that clients can test their error handling.

use lafiya_model::{Environment, OpinionStatus, SecondOpinion};

use crate::error::ServiceError;
use crate::quota;

/// The model name of the engine in the live environment.
const EMBEDDED: &str = "lafiya-embedded-1";

/// Returns the name of the model used: the engine, and the language model if its opinion counted.
pub(crate) fn model_name(environment: Environment, opinion: Option<&SecondOpinion>) -> String {
    let counted = opinion.filter(|opinion| {
        matches!(
            opinion.status,
            OpinionStatus::Used | OpinionStatus::UsedInPart
        )
    });
    match (environment, counted) {
        (Environment::Live, Some(opinion)) => format!("{EMBEDDED} + {}", opinion.model),
        (Environment::Live, None) => EMBEDDED.to_owned(),
        (Environment::Test, _) => "sandbox".to_owned(),
    }
}

/// Returns the disclaimer. Sandbox responses first state that they are mock data.
pub(crate) fn disclaimer(environment: Environment, usual: &str) -> String {
    match environment {
        Environment::Live => usual.to_owned(),
        Environment::Test => format!("Sandbox: mock data, not for the care of a patient. {usual}"),
    }
}

/// Returns the error that the location requests.
pub(crate) fn raise_wanted_error(
    location: Option<&str>,
    now: jiff::Timestamp,
) -> Result<(), ServiceError> {
    match location {
        Some("sandbox:quota") => Err(quota::exceeded(200, 200, now, None)),
        Some("sandbox:timeout") => Err(ServiceError::DeadlineExceeded),
        Some("sandbox:provider") => Err(ServiceError::ProviderUnavailable),
        Some("sandbox:internal") => Err(ServiceError::Internal(
            "the sandbox was asked for an internal error".to_owned(),
        )),
        _ => Ok(()),
    }
}
