//! The tokens covered by any recognised finding.

use super::reading::Reading;
use super::spotted::Spotted;

/// For each token, whether a finding covers it.
pub(super) struct CoveredTokens {
    tokens: Vec<bool>,
    /// Number of findings already recorded.
    noted: usize,
}

impl CoveredTokens {
    pub(super) fn of(reading: &Reading<'_>, spotted: &[Spotted]) -> Self {
        let mut covered = Self {
            tokens: vec![false; reading.len()],
            noted: 0,
        };
        covered.note(spotted);
        covered
    }

    /// Resets the count after findings were removed, so that `note` records all remaining ones
    /// again. Tokens of the removed findings stay marked.
    pub(super) fn recount(&mut self) {
        self.noted = 0;
    }

    /// Records the findings that were added since the last call. None of the earlier ones may have
    /// been removed, unless `recount` was called.
    pub(super) fn note(&mut self, spotted: &[Spotted]) {
        for it in &spotted[self.noted..] {
            for &at in &it.core {
                self.tokens[at] = true;
            }
        }
        self.noted = spotted.len();
    }

    pub(super) fn tokens(&self) -> &[bool] {
        &self.tokens
    }
}
