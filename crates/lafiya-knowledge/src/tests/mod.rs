//! Tests of the crate, on the toy base.

mod base;
mod checks;
mod reading;
mod rules;
