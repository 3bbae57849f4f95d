//! Findings that are over ("the headache is gone", "the fever came down") or that came back ("it
//! stopped and started again").

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;

use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use crate::fold::Token;
use crate::hash::{FastSet, set_of};
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The phrases for endings, indexed.
#[derive(Clone, Debug)]
pub(super) struct Endings {
    /// Phrases that mean the end of one particular finding: a fever breaks, and so does a boil.
    own: Vec<(ConceptRef, PhraseSet<()>)>,
    /// Words that may come before such a phrase, after it, and before what helped.
    before_own: FastSet<String>,
    behind_own: FastSet<String>,
    helped_by: FastSet<String>,
    /// Phrases that say that something has returned.
    revivals: PhraseSet<()>,
    /// Words that start a sentence about such a return.
    sequels: FastSet<String>,
    /// Words that show that the following refers to several findings.
    of_several: FastSet<String>,
    /// Words of a change, not an end: "gone weak", "gone to one side".
    turned_into: FastSet<String>,
    turned_to: FastSet<String>,
}

/// Maximum tokens between a finding and the word that ends it.
const REACH: usize = 8;
/// Maximum words after "with" for what helped; "with a rash" is something else.
const WITH_REACH: usize = 2;

impl Endings {
    pub(super) fn new(words: &ScopeWords, base: &KnowledgeBase) -> Self {
        let own = words.own_endings.iter();
        Self {
            before_own: set_of(&words.before_own_endings),
            behind_own: set_of(&words.behind_own_endings),
            helped_by: set_of(&words.helped_by),
            sequels: set_of(&words.sequels),
            of_several: set_of(&words.of_several),
            turned_into: set_of(&words.turned_into),
            turned_to: set_of(&words.turned_to),
            own: own
                .filter_map(|(id, phrases)| Some((base.resolve(id)?, PhraseSet::of(phrases))))
                .collect(),
            revivals: PhraseSet::of(&words.revivals),
        }
    }

    /// Whether a finding is said to be over before the next one begins.
    pub(super) fn end(
        &self,
        (reading, covered): (&Reading<'_>, &[bool]),
        mention: &DraftMention,
        next: impl Fn() -> usize,
    ) -> bool {
        let ending = self.plain_ending(reading, mention, &next);
        let ending = ending.or_else(|| self.own_ending(reading, mention, &next));
        ending.is_some_and(|at| !self.is_revived(reading, covered, at) && !is_asked(reading, at))
    }

    /// Matches "The fever came down after Panadol", but neither "came down a little" nor "came down
    /// but is still high".
    fn own_ending(
        &self,
        reading: &Reading<'_>,
        mention: &DraftMention,
        next: impl Fn() -> usize,
    ) -> Option<usize> {
        let (_, phrases) = self.own.iter().find(|(own, _)| *own == mention.concept)?;
        let from = mention.last() + 1;
        let at = from + usize::from(reading.is_one_of(from, &self.before_own));
        let length = phrases.length_at(&reading.keys, at);
        let behind = at + length;
        if length == 0 || behind > next() {
            return None;
        }
        // "Fever came down with Panadol" is over; "came down with a rash" is not.
        let is_last = || next() == reading.clause_of(mention.last()).end;
        let closes = is_sign(reading, behind)
            || reading.is_one_of(behind, &self.behind_own)
            || (reading.is_one_of(behind, &self.helped_by)
                && (is_last() || next() > behind + WITH_REACH))
            || reading.marks.has(behind, Mark::BeforeEnding);
        let rest = behind..reading.sentence_of(mention.last()).end;
        let goes_on = || reading.marks.first(rest, Mark::Barrier).is_some();
        (closes && !goes_on()).then_some(at)
    }

    /// Marks a finding as present again: "The bleeding stopped and started again".
    pub(super) fn revive(
        &self,
        reading: &Reading<'_>,
        covered: &[bool],
        mention: &mut DraftMention,
    ) {
        if tells_end(reading, mention) && self.is_revived(reading, covered, mention.last()) {
            mention.choice = Choice::Present;
        }
    }

    /// Whether a finding that ended at a token is said to be back, in the same sentence or in the
    /// next one if that refers to "it".
    fn is_revived(&self, reading: &Reading<'_>, covered: &[bool], at: usize) -> bool {
        let sentence = reading.sentence_of(at).end;
        let end = if reading.is_one_of(sentence, &self.sequels) {
            reading.sentence_of(sentence).end
        } else {
            sentence
        };
        let again = (at + 1..end).find(|&at| self.revivals.length_at(&reading.keys, at) > 0);
        again.is_some_and(|again| {
            // "Fever gone but the headache came back": another finding came back.
            let subject = (at + 1..again)
                .rev()
                .find(|&n| !reading.is_light(n) || covered[n]);
            !denies_in(reading, at + 1..again) && !subject.is_some_and(|n| covered[n])
        })
    }

    /// Ends several findings with one verb, if none of them has a verb before it: "the fever and
    /// headache are gone".
    pub(super) fn end_together(
        &self,
        (reading, covered): (&Reading<'_>, &[bool]),
        mention: &DraftMention,
        next: &DraftMention,
    ) -> bool {
        if !mention.is_finding() || !reading.marks.has_any(Mark::Ending) {
            return false;
        }
        let verb = next.last() + 1;
        let is_of_several = reading.is_one_of(verb, &self.of_several);
        let clause = reading.clause_of(mention.first());
        let speaks = [Mark::Statement, Mark::StatementVerb];
        let is_subject =
            !(clause.start..mention.first()).any(|at| reading.marks.has_one_of(at, speaks));
        is_of_several && is_subject && self.end((reading, covered), next, || clause.end)
    }

    /// Returns the position of the word that says that a finding is over.
    fn plain_ending(
        &self,
        reading: &Reading<'_>,
        mention: &DraftMention,
        next: impl Fn() -> usize,
    ) -> Option<usize> {
        // Fast path: most texts say of nothing that it is over.
        if !reading.marks.has_any(Mark::Ending) {
            return None;
        }
        let last = mention.last();
        let mut reach = last + 1..next().min(last + REACH);
        reach.find(|&at| {
            reading.marks.has(at, Mark::Ending)
                && (at == last + 1 || reading.marks.has(at - 1, Mark::BeforeEnding))
                && !self.turns_into(reading, at)
                && !denies_in(reading, last + 1..at + 1)
        })
    }

    /// "His legs have gone weak", "her mouth has gone to one side": changed, not over.
    fn turns_into(&self, reading: &Reading<'_>, ending: usize) -> bool {
        let gone = (ending..reading.len().min(ending + 2))
            .find(|&at| reading.is_one_of(at, &self.turned_into));
        let next = gone.map(|at| at + 1).filter(|&at| at < reading.len());
        next.is_some_and(|at| {
            let goes_on = [Mark::Joiner, Mark::Barrier, Mark::Trigger, Mark::Beginning];
            // "Gone completely" is over; "gone completely numb" is not.
            let wholly = reading.marks.has(at, Mark::BeforeEnding) && is_sign(reading, at + 1);
            let says_more = !is_sign(reading, at)
                && !wholly
                && !reading.is_light(at)
                && !reading.marks.has_one_of(at, goes_on);
            says_more || reading.is_one_of(at, &self.turned_to)
        })
    }
}

/// Whether a phrase itself contains the ending: "bleeding stopped".
pub(super) fn tells_end(reading: &Reading<'_>, mention: &DraftMention) -> bool {
    let tokens = mention.first()..mention.last() + 1;
    reading.marks.has_any(Mark::Ending) && reading.marks.first(tokens, Mark::Ending).is_some()
}

/// Whether the sentence is a question: "Is the fever gone?" is not a statement.
fn is_asked(reading: &Reading<'_>, at: usize) -> bool {
    reading.words[reading.sentence_of(at).end - 1] == "?"
}

fn is_sign(reading: &Reading<'_>, at: usize) -> bool {
    reading.tokens.get(at).is_none_or(Token::is_sign)
}

fn denies_in(reading: &Reading<'_>, tokens: Range<usize>) -> bool {
    reading.marks.first(tokens, Mark::Trigger).is_some()
}
