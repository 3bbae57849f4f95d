//! The black-box suite: one binary, one file per endpoint or topic. Every test speaks to a real
//! process and knows only what the documents promise.

mod adverse_events;
mod assess;
mod assess_refusals;
mod assess_shape;
mod auth;
mod cli;
mod docs_page;
mod errors;
mod first_start;
mod headers;
mod health;
mod idempotency;
mod interview;
mod keys;
mod knowledge_folder;
mod lists;
mod logs;
mod metrics;
mod openapi;
mod parse;
mod quota;
mod rate_limit;
mod rationale;
mod reference;
mod requests;
mod sandbox;
mod search;
mod shape;
mod shutdown;
mod slow_clients;
mod versions;
mod webhook_events;
mod webhook_targets;
mod webhooks;
