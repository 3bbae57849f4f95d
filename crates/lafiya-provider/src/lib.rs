//! A second opinion from a language model behind an OpenAI-compatible chat API. The model is treated
//! as a stranger: it sees no more than `DeidentifiedCase` allows, and nothing it says counts before
//! it is checked against the knowledge base.
//!
//! The way of a question: `prompt` (what is asked, with numbered passages) → `client` (one bounded
//! conversation; `breaker` keeps a broken server from being asked) → `opinion` (claims, each judged;
//! `grounding` for sentences). `scrub` and `mentions` do the same for free text, where a tenant allows it.
#![warn(missing_docs)]

mod breaker;
mod chat;
mod client;
mod grounding;
mod mentions;
mod opinion;
mod prompt;
mod scrub;

pub use chat::{Purpose, Question};
pub use client::{Failure, NoReply, Provider, ProviderError, ProviderSettings, Reply};
pub use mentions::{ClaimedMention, claimed_mentions, question_about_text};
pub use opinion::{Judged, Patient, judge};
pub use prompt::{Asked, Passage, question_about};
pub use scrub::Scrubber;
