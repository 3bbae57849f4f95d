//! The tokens covered by any recognised finding.

use super::draft_mention::DraftMention;
use super::reading::Reading;

/// For each token, whether a finding covers it.
pub(super) struct CoveredTokens {
    tokens: Vec<bool>,
    /// Number of findings already recorded.
    noted: usize,
}

impl CoveredTokens {
    pub(super) fn of(reading: &Reading<'_>, drafts: &[DraftMention]) -> Self {
        let mut covered = Self {
            tokens: vec![false; reading.len()],
            noted: 0,
        };
        covered.note(drafts);
        covered
    }

    /// Forgets all findings after some were removed, so that `note` records the remaining ones
    /// again.
    pub(super) fn recount(&mut self) {
        self.tokens.fill(false);
        self.noted = 0;
    }

    /// Records the findings that were added since the last call. None of the earlier ones may have
    /// been removed, unless `recount` was called.
    pub(super) fn note(&mut self, drafts: &[DraftMention]) {
        for mention in &drafts[self.noted..] {
            for &at in &mention.core {
                self.tokens[at] = true;
            }
        }
        self.noted = drafts.len();
    }

    pub(super) fn tokens(&self) -> &[bool] {
        &self.tokens
    }
}

#[cfg(test)]
mod tests {
    use lafiya_knowledge::ConceptRef;

    use super::*;
    use crate::tests::REAL;

    #[test]
    fn tokens_of_removed_findings_are_free_after_a_recount() {
        let concept = ConceptRef::Finding(REAL.base.finding_indices().next().unwrap());
        let of = |at: usize| {
            DraftMention::new(
                concept,
                [at].into_iter().collect(),
                lafiya_model::Choice::Present,
                1.0,
            )
        };
        let mut covered = CoveredTokens {
            tokens: vec![false; 3],
            noted: 0,
        };
        covered.note(&[of(0), of(2)]);
        covered.recount();
        covered.note(&[of(2)]);
        assert_eq!(covered.tokens(), [false, false, true]);
    }
}
