//! What outlives a request: the [`store`] (truth, in SQLite or PostgreSQL) and the [`cache`]
//! (speed and limits, in memory or Redis), each behind one trait in the words of the product.
//!
//! No type of a database or cache library leaves this crate. Nothing here reads a clock or
//! makes an id: both are arguments. What a document means is not known here: it is bytes, sealed
//! on their way to the disk when there is a data key.
#![warn(missing_docs)]

pub mod cache;
#[cfg(test)]
mod proxy;
pub mod store;

pub use cache::{Cache, CacheError, MemoryCache, RedisCache, WindowKey, WindowState};
pub use store::{Store, StoreError, StoreSettings, StoreUrl, WebhookStore};
