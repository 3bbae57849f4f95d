//! What the black-box tests stand on: a real process of the service on a free port, its command
//! line, and an HTTP client that can also misbehave. Nothing here imports a crate of the service:
//! what the tests know, they know from the documents.
//!
//! `LAFIYA_BLACKBOX_BINARY` names the binary, `LAFIYA_BLACKBOX_BACKEND` what it stands on:
//! `embedded` (SQLite and memory, the default) or `servers` (PostgreSQL and Redis at
//! `LAFIYA_BLACKBOX_POSTGRES_URL` and `LAFIYA_BLACKBOX_REDIS_URL`). `cargo xtask test` sets them.

#![warn(missing_docs)]
// This crate is test code as a whole: what is missing or wrong ends the test, with its reason.
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
