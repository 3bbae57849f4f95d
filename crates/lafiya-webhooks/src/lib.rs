//! Delivery of webhooks: the [`signature`] (Standard Webhooks), the guard of [`target`] addresses,
//! the [`backoff`] between attempts, and the [`worker`] that delivers.
//!
//! The store and the service decide what is queued and for whom. This crate does not interpret
//! events, and stores nothing of a receiver's response except its status.
#![warn(missing_docs)]

mod addresses;
pub mod backoff;
mod payload;
mod resolver;
mod sender;
pub mod signature;
pub mod target;
#[cfg(test)]
mod tests;
pub mod worker;

pub use backoff::RetrySchedule;
pub use payload::body;
pub use signature::Secret;
pub use target::{TargetPolicy, TargetRefusal};
pub use worker::{Worker, WorkerSettings};
