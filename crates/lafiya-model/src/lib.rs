//! The domain types. Everything here is a plain value: no I/O, no clock, no randomness.
//!
//! `ids` and `tenant` identify the caller; `patient`, `evidence` and `case` hold the input;
//! `triage` and `assessment` the answer; `recorded` what is stored of it; `webhook` the events sent
//! to others; `facility` the health facilities; `opinion` a second opinion; `text` the texts of an
//! answer.
#![warn(missing_docs)]

pub mod account;
pub mod assessment;
pub mod case;
pub mod country;
pub mod evidence;
pub mod facility;
pub mod ids;
pub mod opinion;
pub mod patient;
pub mod recorded;
pub mod tenant;
pub mod text;
pub mod triage;
pub mod webhook;

pub use account::Role;
pub use assessment::Assessment;
pub use case::{Case, Coordinate, DeidentifiedCase, Disagreement, SubmittedEvidence};
pub use country::is_country_code;
pub use evidence::{Choice, Evidence, EvidenceSource, Severity};
pub use facility::{FacilityLevel, NearestFacility};
pub use ids::{
    AccountId, AdverseEventId, AssessmentId, ConceptId, ConceptKind, DeliveryId, IdRefusal,
    InterviewId, KeyId, RequestId, TenantId, WebhookId, uuid_from_client,
};
pub use opinion::{Opinion, OpinionStatus, Outline, SecondOpinion};
pub use patient::{Age, AgeBand, AgeUnit, Sex};
pub use recorded::{
    AssessmentDocument, Measured, RecordedCase, RecordedEvidence, RestsOn, Timings,
};
pub use tenant::{Environment, TenantStatus, TextToProvider, Tier};
pub use text::{Phrase, Text};
pub use triage::{Seriousness, Timeframe, TriageLevel};
pub use webhook::{AdverseSeriousness, DeliveryStatus, EventKind, WebhookStatus};
