//! Storage: the [`store`] (durable data, in SQLite or PostgreSQL) and the [`cache`] (values and
//! rate limits, in memory or Redis), each behind one trait in domain terms.
//!
//! No type of a database or cache library leaves this crate. It reads no clock and generates no
//! ids: both are arguments. Documents are opaque bytes to it; they are encrypted before they are
//! written if there is a data key.
#![warn(missing_docs)]

pub mod cache;
#[cfg(test)]
mod proxy;
pub mod store;

pub use cache::{Cache, CacheError, MemoryCache, RedisCache, WindowKey, WindowState};
pub use store::{Store, StoreError, StoreSettings, StoreUrl, WebhookStore};
