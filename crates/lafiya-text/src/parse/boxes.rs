//! Checkboxes in forms: "convulsions [ ] yes [x] no", "able to drink: yes [ ] no [x]", "fever [ ]
//! cough [x]".

use super::reading::Reading;
use crate::phrases::PhraseSet;

/// A text to search for checkboxes, with the phrases that mean no.
#[derive(Clone, Copy)]
pub(super) struct Boxes<'a, 'r> {
    pub text: &'a str,
    pub reading: &'a Reading<'r>,
    pub noes: &'a PhraseSet<()>,
}

/// A checkbox.
#[derive(Clone, Copy)]
pub(super) struct TickBox {
    /// The token after it.
    pub end: usize,
    /// Whether it is ticked.
    pub ticked: bool,
}

/// Parses the checkbox at a token.
pub(super) fn box_at((text, reading): (&str, &Reading<'_>), open: usize) -> Option<TickBox> {
    let word = |at: usize| reading.word(at);
    if word(open) != "[" {
        return None;
    }
    // A cross is a word token; a tick is not a token.
    let crossed = usize::from(word(open + 1) == "x");
    let close = open + 1 + crossed;
    if word(close) != "]" {
        return None;
    }
    let is_blank = || reading.gap_before(text, close).trim().is_empty();
    Some(TickBox {
        end: close + 1,
        ticked: crossed > 0 || !is_blank(),
    })
}

impl Boxes<'_, '_> {
    /// Returns the end of a group of answers that each have a box before or after them, if only the
    /// no is ticked.
    pub(super) fn ticked_no(&self, from: usize) -> Option<usize> {
        let (mut at, boxes_first) = (from, self.box_at(from).is_some());
        let (mut ticks, mut noes_ticked) = (0, 0);
        while let Some((TickBox { end, ticked }, is_no)) = self.answer_at(at, boxes_first) {
            at = end;
            ticks += usize::from(ticked);
            noes_ticked += usize::from(ticked && is_no);
        }
        (ticks == 1 && noes_ticked == 1).then_some(at)
    }

    /// Parses one answer with its box: returns the box, with the end of both, and whether the
    /// answer is a no.
    fn answer_at(&self, at: usize, box_first: bool) -> Option<(TickBox, bool)> {
        if box_first {
            let tick_box = self.box_at(at)?;
            let (length, is_no) = self.word_at(tick_box.end)?;
            let end = tick_box.end + length;
            return Some((TickBox { end, ..tick_box }, is_no));
        }
        let (length, is_no) = self.word_at(at)?;
        Some((self.box_at(at + length)?, is_no))
    }

    /// Returns the length of a yes or a no, and whether it is a no.
    fn word_at(&self, at: usize) -> Option<(usize, bool)> {
        if matches!(self.reading.words.get(at), Some(&("yes" | "y"))) {
            return Some((1, false));
        }
        let length = self.noes.length_at(&self.reading.keys, at);
        (length > 0).then_some((length, true))
    }

    fn box_at(&self, at: usize) -> Option<TickBox> {
        box_at((self.text, self.reading), at)
    }
}
