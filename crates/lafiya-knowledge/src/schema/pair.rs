//! `together.toml`: pairs of conditions that often occur together, so that both may be the answer.

use serde::{Deserialize, Serialize};

/// One pair, as in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// A condition.
    pub id: String,
    /// The condition that often occurs with it.
    pub with: String,
    /// Percentage of people visiting with the first who have the second at the same time.
    pub of_100: f32,
    /// Why it matters to consider both.
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}
