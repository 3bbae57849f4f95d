//! An index of the tokens at which findings begin.

use super::draft_mention::DraftMention;
use super::reading::Reading;

/// The findings by their first token.
pub(super) struct Begins {
    /// For each token, the first finding that begins there, by number; for each finding, the next
    /// one with the same first token.
    first: Vec<u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Begins {
    pub(super) fn of(reading: &Reading<'_>, drafts: &[DraftMention]) -> Self {
        let mut begins = Self {
            first: vec![NONE; reading.len()],
            next: vec![NONE; drafts.len()],
        };
        // In reverse, so that the findings of one token stay in order.
        for (n, mention) in drafts.iter().enumerate().rev() {
            let first = &mut begins.first[mention.first()];
            begins.next[n] = std::mem::replace(first, u32::try_from(n).unwrap_or(NONE));
        }
        begins
    }

    /// Whether a finding begins at a token.
    #[inline]
    pub(super) fn any(&self, token: usize) -> bool {
        self.first[token] != NONE
    }

    /// Returns the numbers of the findings that begin at a token.
    pub(super) fn at(&self, token: usize) -> impl Iterator<Item = usize> {
        let known = |n: u32| (n != NONE).then_some(n);
        let first = known(self.first[token]);
        std::iter::successors(first, move |n| known(self.next[*n as usize])).map(|n| n as usize)
    }
}
