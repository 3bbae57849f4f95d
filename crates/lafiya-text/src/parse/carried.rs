//! The tokens that carry a mention, whichever.

use super::reading::Reading;
use super::spotted::Spotted;

/// By token, whether one of the spotted is carried by it.
pub(super) struct Carried {
    tokens: Vec<bool>,
    /// So many of the spotted are noted.
    noted: usize,
}

impl Carried {
    pub(super) fn of(reading: &Reading<'_>, spotted: &[Spotted]) -> Self {
        let mut carried = Self {
            tokens: vec![false; reading.len()],
            noted: 0,
        };
        carried.note(spotted);
        carried
    }

    /// To be called where some of the spotted have gone: the rest is noted anew.
    pub(super) fn recount(&mut self) {
        self.noted = 0;
    }

    /// Notes those that were added behind the ones it knows; none of these may have gone.
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
