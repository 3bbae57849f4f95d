//! What is particular to the FHIR endpoints at the HTTP edge: which representation a client wants,
//! errors as OperationOutcome, and definitions rendered once. What the resources say is decided in
//! `lafiya-fhir`.

mod outcome;
mod shelf;
mod wish;

pub(crate) use shelf::{Shelf, answer_cached};
pub(crate) use wish::Wish;
