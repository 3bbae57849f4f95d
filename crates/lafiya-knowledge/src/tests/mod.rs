//! Tests of the crate, on the toy knowledge base.

mod any_file;
mod base;
mod checks;
mod reading;
mod rules;
