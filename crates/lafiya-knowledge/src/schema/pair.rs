//! `together.toml`: pairs of conditions that often come together, so that both may be the answer.

use serde::{Deserialize, Serialize};

/// One pair, as the file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// A condition.
    pub id: String,
    /// Another that often comes with it.
    pub with: String,
    /// Of 100 people who come with the first, how many have the second at the same time.
    pub of_100: f32,
    /// Why it matters to think of both.
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}
