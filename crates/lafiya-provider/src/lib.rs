//! A second opinion from a language model behind an OpenAI-compatible chat API. The model is not
//! trusted: it sees no more than `DeidentifiedCase` contains, and none of its claims count before
//! they are checked against the knowledge base.
//!
//! A question passes through `prompt` (builds the question with numbered excerpts), `client` (one
//! limited call; `breaker` protects a failing server) and `opinion` (judges each claim; `grounding`
//! checks sentences). `scrub` and `mentions` do the same for free text, if a tenant allows it.
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
pub use prompt::{Asked, KnowledgeExcerpt, question_about};
pub use scrub::Scrubber;
