//! Support for black-box tests: a real process of the service on a free port, its command line, and
//! an HTTP client that can also misbehave. Nothing here imports a crate of the service: the tests
//! rely only on the documentation.
//!
//! `LAFIYA_BLACKBOX_BINARY` is the binary, and `LAFIYA_BLACKBOX_BACKEND` the backend: `embedded`
//! (SQLite and in-memory cache, the default) or `servers` (PostgreSQL and Redis at
//! `LAFIYA_BLACKBOX_POSTGRES_URL` and `LAFIYA_BLACKBOX_REDIS_URL`). `cargo xtask test` sets them.

#![warn(missing_docs)]
// This crate is only test code: a panic with the reason is the right response to a missing or wrong
// value.
#![allow(clippy::unwrap_used)]

mod answer;
mod backend;
mod client;
mod connection;
mod fault_proxy;
mod lent;
pub mod model;
mod receiver;
mod server;
mod shared;
mod wait;

pub use answer::Answer;
pub use backend::{Backend, BackendKind};
pub use client::{Client, Request};
pub use connection::Connection;
pub use fault_proxy::{FaultProxy, Flow};
pub use lent::LentServers;
pub use model::{Model, Play};
pub use receiver::{Delivery, Receiver};
pub use server::{CommandOutput, Server, Start, binary};
pub use shared::{SharedServer, Sharing, shared};
pub use wait::{at_once, eventually};
