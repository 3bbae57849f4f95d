//! The words of the domain. Everything here is a plain value: no I/O, no clock, no randomness.
//!
//! `ids` and `tenant` name who calls, `patient`, `evidence` and `case` what is told, `triage` and
//! `assessment` what is answered, `recorded` what is stored of it.
#![warn(missing_docs)]

pub mod assessment;
pub mod case;
pub mod evidence;
pub mod ids;
pub mod patient;
pub mod recorded;
pub mod tenant;
pub mod triage;

pub use assessment::Assessment;
pub use case::{Case, Claim, Coordinate, DeidentifiedCase};
pub use evidence::{Choice, Evidence, EvidenceSource, Severity};
pub use ids::{AssessmentId, ConceptId, ConceptKind, InterviewId, KeyId, RequestId, TenantId};
pub use patient::{Age, AgeBand, Sex};
pub use recorded::{AssessmentDocument, Timings};
pub use tenant::{Environment, TenantStatus, Tier};
pub use triage::{Seriousness, Timeframe, TriageLevel};
