//! Tests of the crate, on the toy base.

mod any_file;
mod base;
mod checks;
mod reading;
mod rules;
