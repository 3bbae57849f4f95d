//! The verbs as SQL. Each function is the inside of one transaction and knows nothing of how it
//! is run; the statements stand next to what they are for.

pub(super) mod accounts;
pub(super) mod adverse_events;
pub(super) mod assessments;
pub(super) mod audit;
pub(super) mod chores;
pub(super) mod claims;
pub(super) mod deliveries;
pub(super) mod keeping;
pub(super) mod keys;
pub(super) mod outbox;
pub(super) mod record;
pub(super) mod rights;
pub(super) mod sealing;
pub(super) mod tenants;
pub(super) mod usage;
pub(super) mod webhooks;
