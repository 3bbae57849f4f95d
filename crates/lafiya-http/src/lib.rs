//! The HTTP edge: routes, layers, wire types, the error table and the OpenAPI document. It
//! translates between the API contract and the use cases in `lafiya-service`, and makes no clinical
//! decision. Start reading at `router`; `edge` is the outermost part that every request and
//! response passes.
#![warn(missing_docs)]

pub mod admin;
mod body;
mod caller;
mod client_stream;
mod compression;
mod connection_limits;
mod connection_threads;
mod edge;
mod endpoints;
pub mod error;
mod fhir;
mod json;
mod limits;
mod listener;
mod meters;
pub mod openapi;
mod request_framing;
mod response_cache;
mod router;
mod sandbox;
mod state;
pub mod versions;
mod wire;

pub use connection_threads::ConnectionThreads;
pub use edge::EdgeService;
pub use listener::{Listening, serve};
pub use router::Pages;
pub use sandbox::sandbox;
pub use state::{HttpSettings, HttpState};
