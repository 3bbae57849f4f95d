//! Where in a text findings begin.

use super::reading::Reading;
use super::spotted::Spotted;

/// Where findings begin.
pub(super) struct Begins {
    /// The first finding of each token, by number; for each finding the next one that begins there.
    first: Vec<u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Begins {
    pub(super) fn of(reading: &Reading<'_>, spotted: &[Spotted]) -> Self {
        let mut begins = Self {
            first: vec![NONE; reading.len()],
            next: vec![NONE; spotted.len()],
        };
        // From the last on, so that those of one token stand in order.
        for (n, it) in spotted.iter().enumerate().rev() {
            let first = &mut begins.first[it.first()];
            begins.next[n] = std::mem::replace(first, u32::try_from(n).unwrap_or(NONE));
        }
        begins
    }

    /// Whether one begins at a token.
    #[inline]
    pub(super) fn any(&self, token: usize) -> bool {
        self.first[token] != NONE
    }

    /// The numbers of those that begin at a token.
    pub(super) fn at(&self, token: usize) -> impl Iterator<Item = usize> {
        let known = |n: u32| (n != NONE).then_some(n);
        let first = known(self.first[token]);
        std::iter::successors(first, move |n| known(self.next[*n as usize])).map(|n| n as usize)
    }
}
