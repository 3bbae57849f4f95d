//! Arrows and plus signs next to a name: "JVP ↑", "↓ Hb", "JVP: raised", "oedema ++", "+++ pain".
//! The name alone is not a finding.
//!
//! If a number follows, the number decides. An arrow can be negated or uncertain like words: "no ↑
//! JVP".

use std::ops::Range;
use std::sync::Arc;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;

use super::draft_mention::DraftMention;
use super::figures::Figures;
use super::marks::Mark;
use super::reading::Reading;
use crate::fold::Token;
use crate::phrases::PhraseSet;
use crate::words::{self, FormWords};

/// The meanings of signs next to names.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    known: Vec<Level>,
    /// Words used instead of an arrow, after a colon.
    up: PhraseSet<()>,
    down: PhraseSet<()>,
    /// Words that make an arrow mean a change.
    changes: PhraseSet<()>,
    figures: Arc<Figures>,
}

/// The meanings of the signs next to one name.
#[derive(Clone, Debug)]
struct Level {
    up: Option<ConceptRef>,
    down: Option<ConceptRef>,
    plus: Option<ConceptRef>,
    many: Option<ConceptRef>,
}

/// A run of one sign.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Up,
    Down,
    Pluses(usize),
}

/// Number of plus signs that counts as many.
const MANY: usize = 3;
/// Confidence of a sign: signs are written deliberately.
const CONFIDENCE: f64 = 0.95;

impl Levels {
    pub(super) fn new(base: &KnowledgeBase, words: &FormWords, figures: Arc<Figures>) -> Self {
        let known = |id: &Option<String>| base.resolve(id.as_deref()?);
        let level = |level: &words::Level| Level {
            up: known(&level.up),
            down: known(&level.down),
            plus: known(&level.plus),
            many: known(&level.many),
        };
        Self {
            known: words.level.iter().map(level).collect(),
            up: PhraseSet::of(&words.up),
            down: PhraseSet::of(&words.down),
            changes: PhraseSet::of(&words.changes),
            figures,
        }
    }

    /// Returns what the signs before or after a name mean. Signs before `taken` belong to another
    /// name.
    pub(super) fn told(
        &self,
        (text, reading): (&str, &Reading<'_>),
        level: usize,
        name: Range<usize>,
        taken: usize,
    ) -> Option<DraftMention> {
        let (sign, tokens) = before(reading, &name, taken)
            .or_else(|| self.after((text, reading), &name))
            .filter(|(_, tokens)| !self.leads_to_number(reading, tokens.end))?;
        // "Pulmonary oedema ++" is another finding than "oedema ++".
        if matches!(sign, Sign::Pluses(_)) && !heads(reading, tokens.start) {
            return None;
        }
        let level = &self.known[level];
        let concept = match sign {
            Sign::Up => level.up,
            Sign::Down => level.down,
            Sign::Pluses(MANY..) => level.many.or(level.plus),
            Sign::Pluses(_) => level.plus,
        }?;
        let core = tokens.collect();
        Some(DraftMention::new(
            concept,
            core,
            Choice::Present,
            CONFIDENCE,
        ))
    }

    fn after(
        &self,
        (text, reading): (&str, &Reading<'_>),
        name: &Range<usize>,
    ) -> Option<(Sign, Range<usize>)> {
        let word = reading.words.get(name.end)?;
        let colon = matches!(*word, ":" | "=");
        let at = name.end + usize::from(colon || matches!(*word, "is" | "are"));
        if let Some((sign, end)) = row_at(reading, at) {
            let is_change = self.changes.length_at(&reading.keys, end) > 0;
            let stands = match sign {
                // "Oedema ++ of the face" is another finding than "oedema ++".
                Sign::Pluses(count) => {
                    (count > 1 && !is_positional(reading, end))
                        || closes(reading, end)
                        || is_hung_on(reading, at)
                }
                _ => !is_change && !hangs_on_next(reading, at..end),
            };
            return stands.then_some((sign, name.start..end));
        }
        if !colon && !reading.gap_before(text, at).contains('-') {
            return None;
        }
        let lists = [(&self.up, Sign::Up), (&self.down, Sign::Down)];
        lists.into_iter().find_map(|(words, sign)| {
            let end = at + words.length_at(&reading.keys, at);
            (end > at && closes(reading, end)).then_some((sign, name.start..end))
        })
    }

    /// Whether a number follows, which is more precise than a sign.
    fn leads_to_number(&self, reading: &Reading<'_>, from: usize) -> bool {
        let number = self.figures.past_links(reading, from);
        let number = number.and_then(|at| reading.tokens.get(at));
        number.is_some_and(Token::is_number)
    }
}

/// Returns the signs directly before a name. A single plus is a conjunction; two are a grade.
fn before(
    reading: &Reading<'_>,
    name: &Range<usize>,
    taken: usize,
) -> Option<(Sign, Range<usize>)> {
    let last = name.start.checked_sub(1).filter(|at| *at >= taken)?;
    let same = |at: &usize| reading.words[*at] == reading.words[last];
    let first = (taken..=last).rev().take_while(same).last()?;
    let (sign, _) = row_at(reading, first)?;
    // "Fluids ↑ BP ↓": a sign after a word and separated from the name belongs to that word.
    let is_joined = !reading.tokens[name.start].spaced;
    let own = is_joined || heads(reading, first);
    (sign != Sign::Pluses(1) && own).then_some((sign, first..name.end))
}

/// Returns the run of one sign that begins here, and its end.
fn row_at(reading: &Reading<'_>, at: usize) -> Option<(Sign, usize)> {
    let sign = *reading.words.get(at)?;
    let count = reading.words[at..]
        .iter()
        .take_while(|word| **word == sign)
        .count();
    let row = match sign {
        "↑" => Sign::Up,
        "↓" => Sign::Down,
        "+" => Sign::Pluses(count),
        _ => return None,
    };
    Some((row, at + count))
}

/// Whether no content word precedes a name.
fn heads(reading: &Reading<'_>, at: usize) -> bool {
    let before = at.checked_sub(1);
    before.is_none_or(|at| {
        let token = reading.tokens[at];
        token.is_number()
            || token.is_sign()
            || reading.is_light(at)
            || reading.marks.has_one_of(at, [Mark::Trigger, Mark::Joiner])
    })
}

/// Whether the next word can be a location: not a joiner or a number.
fn is_positional(reading: &Reading<'_>, at: usize) -> bool {
    let is_word = reading.tokens.get(at).is_some_and(|token| token.is_word());
    is_word && !reading.tokens[at].is_number() && !reading.marks.has(at, Mark::Joiner)
}

/// Whether nothing but the end of the item follows: the end of the text or a punctuation sign. A
/// question mark does not count, because the question is still open.
fn closes(reading: &Reading<'_>, at: usize) -> bool {
    let token = reading.tokens.get(at);
    token.is_none_or(|token| token.is_sign() && !matches!(reading.words[at], "?" | "/" | "+" | "%"))
}

/// Whether a sign belongs only to the word before it: "JVP+ oedema+".
fn is_hung_on(reading: &Reading<'_>, sign: usize) -> bool {
    let next = reading.tokens.get(sign + 1);
    !reading.tokens[sign].spaced && next.is_none_or(|token| token.spaced)
}

/// Whether signs belong to the word after them: "sweating, RR ↑HR".
fn hangs_on_next(reading: &Reading<'_>, signs: Range<usize>) -> bool {
    let next = reading.tokens.get(signs.end);
    let is_joined = next.is_some_and(|token| token.is_word() && !token.spaced);
    reading.tokens[signs.start].spaced && is_joined
}
