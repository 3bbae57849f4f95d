//! HL7 FHIR R4, as far as this service supports it: a Bundle becomes the same
//! [`lafiya_model::Case`] that `/assess` reads, a stored assessment becomes a Bundle, and errors
//! become an OperationOutcome. Everything is a pure function of its arguments: no clock, no I/O, no
//! HTTP.
//!
//! Start at `read` and `write`; `systems` contains every URL, `codes` and `units` the translations.
#![warn(missing_docs)]

mod capability;
mod codes;
pub mod define;
mod element;
mod node;
pub mod outcome;
pub mod problem;
mod read;
mod resource;
pub mod systems;
mod units;
mod write;

pub use capability::{Server, capability_statement};
pub use problem::{Problem, ProblemKind};
pub use read::{Refusal, read_bundle};
pub use resource::Resource;
pub use systems::Systems;
pub use write::write_bundle;

/// The supported FHIR version.
pub const FHIR_VERSION: &str = "4.0.1";
