//! The wire types of the API contract, one file per group of endpoints. They are separate from the
//! domain types so that both can change independently; none of them is stored.

pub(crate) mod adverse_events;
pub(crate) mod assess_answer;
pub(crate) mod assess_request;
pub(crate) mod body_digest;
pub(crate) mod contributions;
pub(crate) mod danger_signs;
pub(crate) mod fields;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod medicines;
pub(crate) mod page;
pub(crate) mod parse;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod rationale;
pub(crate) mod reference;
pub(crate) mod search;
pub(crate) mod usage;
pub(crate) mod webhooks;
