//! The parts of the HTTP edge that are specific to FHIR: content negotiation, errors as
//! OperationOutcome, and cached definitions. The content of the resources is defined in
//! `lafiya-fhir`.

mod outcome;
mod shelf;
mod wish;

pub(crate) use shelf::{Shelf, answer_cached};
pub(crate) use wish::Wish;
