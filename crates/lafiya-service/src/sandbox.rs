//! The sandbox: the same road, deterministic answers, never billed. A place can ask for an error, so
//! that clients can try theirs.

use lafiya_model::{Environment, OpinionStatus, SecondOpinion};

use crate::error::ServiceError;
use crate::quota;

/// What reasons in the live environment.
const EMBEDDED: &str = "lafiya-embedded-1";

/// The name of what reasoned: the engine, and the model whose opinion counted.
pub(crate) fn model_name(environment: Environment, opinion: Option<&SecondOpinion>) -> String {
    let counted =
        opinion.filter(|it| matches!(it.status, OpinionStatus::Used | OpinionStatus::UsedInPart));
    match (environment, counted) {
        (Environment::Live, Some(opinion)) => format!("{EMBEDDED} + {}", opinion.model),
        (Environment::Live, None) => EMBEDDED.to_owned(),
        (Environment::Test, _) => "sandbox".to_owned(),
    }
}

/// The disclaimer; sandbox answers say first that they are mock data.
pub(crate) fn disclaimer(environment: Environment, usual: &str) -> String {
    match environment {
        Environment::Live => usual.to_owned(),
        Environment::Test => format!("Sandbox: mock data, not for the care of a patient. {usual}"),
    }
}

/// Raises the error that the place asks for.
pub(crate) fn raise_wanted_error(
    location: Option<&str>,
    now: jiff::Timestamp,
) -> Result<(), ServiceError> {
    match location {
        Some("sandbox:quota") => Err(quota::exceeded(200, 200, now)),
        Some("sandbox:timeout") => Err(ServiceError::DeadlineExceeded),
        Some("sandbox:provider") => Err(ServiceError::ProviderUnavailable),
        Some("sandbox:internal") => Err(ServiceError::Internal(
            "the sandbox was asked for an internal error".to_owned(),
        )),
        _ => Ok(()),
    }
}
