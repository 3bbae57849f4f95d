//! The black-box suite: one binary, one file per endpoint or topic. Every test speaks to a real
//! process and knows only what the documents promise.

mod auth;
mod cli;
mod docs_page;
mod errors;
mod first_start;
mod headers;
mod health;
mod keys;
mod lists;
mod logs;
mod metrics;
mod openapi;
mod rate_limit;
mod shutdown;
mod slow_clients;
mod versions;
