//! The use cases. Each is a plain function that takes the [`Context`] first; the order of steps is
//! defined here and nowhere else. This crate uses neither HTTP nor SQL.
#![warn(missing_docs)]

pub mod adverse_events;
pub mod assess;
pub mod authenticate;
pub mod buffers;
pub mod chores;
pub mod clock;
pub mod concepts;
pub mod consult;
pub mod context;
mod danger;
mod document;
pub mod error;
pub mod health;
mod interview;
pub mod keeping;
pub mod keys;
mod known_device;
pub mod library;
pub mod medicines;
pub mod members;
mod next_turn;
pub mod one_time_code;
pub mod own_account;
pub mod parse;
mod passwords;
pub mod phrase_tables;
pub mod quota;
pub mod rate_limit;
pub mod reference;
pub mod request_origin;
mod resolved_location;
pub mod rights;
mod running_assessments;
mod sandbox;
pub mod second_opinion;
pub mod sign_in;
pub mod sign_in_attempts;
pub mod tenants;
pub mod usage;
pub mod webhooks;

pub use authenticate::Caller;
pub use clock::{Clock, SystemClock};
pub use context::{Context, Limits};
pub use danger::Danger;
pub use error::{FieldError, IdempotencyConflict, ServiceError};
pub use lafiya_facilities::Register;
pub use lafiya_storage::cache::WindowState;
pub use lafiya_storage::store::{
    AccountRecord, AssessmentSummary, AuditRecord, KeyRecord, TenantRecord, UsageReport,
};
pub use lafiya_webhooks::TargetPolicy;
pub use library::Library;
pub use request_origin::RequestOrigin;
pub use running_assessments::RunningAssessments;
pub use second_opinion::{Advisor, AiMode};
