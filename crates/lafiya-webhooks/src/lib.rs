//! Webhooks as others receive them: the [`signature`] (Standard Webhooks), the guard of [`target`]
//! addresses, the [`backoff`] between attempts, and the [`worker`] that delivers.
//!
//! What is queued, and for whom, is decided by the store and the service; nothing here knows what an
//! event means, and nothing a receiver answers is kept beyond its status.
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
