//! The parts of the HTTP edge that are specific to FHIR: content negotiation, errors as
//! OperationOutcome, and cached definitions. The content of the resources is defined in
//! `lafiya-fhir`.

mod definition_cache;
mod format;
mod outcome;

pub(crate) use definition_cache::{DefinitionCache, answer_cached};
pub(crate) use format::FhirFormat;
