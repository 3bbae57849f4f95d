//! Severity: words before, inside or after a finding that say how severe it is.

use lafiya_model::{Choice, Severity};

use super::covered_tokens::CoveredTokens;
use super::draft_mention::DraftMention;
use super::reading::Reading;
use super::traits::Trait;
use crate::hash::{FastSet, set_of};
use crate::phrases::PhraseSet;
use crate::words::SeverityWords;

/// The words of severity, indexed.
#[derive(Clone, Debug)]
pub(super) struct Grades {
    before: PhraseSet<Severity>,
    after: PhraseSet<Severity>,
    /// Those that may also say how much someone did: "eating too much".
    amounts: PhraseSet<()>,
    doings: FastSet<String>,
    causes: PhraseSet<()>,
}

/// Maximum tokens between a word of severity and the finding.
const REACH: usize = 4;
/// Maximum tokens from "after" to what was done.
const CAUSE_REACH: usize = 4;

impl Grades {
    pub(super) fn new(words: &SeverityWords) -> Self {
        let mut grades = Self {
            before: PhraseSet::default(),
            after: PhraseSet::default(),
            amounts: PhraseSet::of(&words.amounts),
            doings: set_of(&words.doings),
            causes: PhraseSet::of(&words.causes),
        };
        let lists = [
            (&words.severe, Severity::Severe),
            (&words.moderate, Severity::Moderate),
            (&words.mild, Severity::Mild),
        ];
        for (list, severity) in lists {
            for phrase in &list.before {
                grades.before.add_phrase(phrase, severity);
            }
            for phrase in &list.after {
                grades.after.add_phrase(phrase, severity);
            }
        }
        grades
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.before.vocabulary().chain(self.after.vocabulary())
    }

    /// Whether a word begins a phrase of severity that precedes a finding.
    pub(super) fn begins_before(&self, key: u64) -> bool {
        self.before.begun(key).is_some()
    }

    /// Whether a word begins a phrase of severity that follows a finding.
    pub(super) fn begins_after(&self, key: u64) -> bool {
        self.after.begun(key).is_some()
    }

    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        covered: &CoveredTokens,
        drafts: &mut [DraftMention],
    ) {
        // Fast path: most texts have no word of severity.
        if !reading.has_any([Trait::GradeBefore, Trait::GradeAfter]) {
            return;
        }
        for mention in drafts {
            if mention.choice == Choice::Present && mention.is_finding() && !mention.derived {
                mention.severity = self.of(reading, covered.tokens(), mention);
            }
        }
    }

    /// Returns the severity of a finding. `covered` are the tokens of all findings; those around
    /// this one belong to others.
    fn of(
        &self,
        reading: &Reading<'_>,
        covered: &[bool],
        mention: &DraftMention,
    ) -> Option<Severity> {
        // Fast path: most texts have no such word.
        let spoken_of = reading.has_any([Trait::GradeBefore]);
        let before = spoken_of.then(|| self.nearest_before(reading, covered, mention));
        before
            .flatten()
            .or_else(|| self.after(reading, mention.last(), covered))
    }

    /// Returns the nearest word before the finding or inside it. Another finding or a comma ends
    /// the search.
    fn nearest_before(
        &self,
        reading: &Reading<'_>,
        covered: &[bool],
        mention: &DraftMention,
    ) -> Option<Severity> {
        let (first, last) = (mention.first(), mention.last());
        let sentence = reading.sentence_of(first);
        let at_before = |at: usize| {
            let begins = reading.traits[at].has(Trait::GradeBefore);
            begins.then(|| self.before.longest_at(&reading.keys, at))?
        };
        for at in (sentence.start.max(first.saturating_sub(REACH))..=last).rev() {
            if at < first && (covered[at] || reading.words[at] == ",") {
                break;
            }
            if let Some((length, [severity, ..])) = at_before(at) {
                let between = (at + length)..first;
                let is_of_it = between.clone().all(|at| reading.is_light(at));
                if is_of_it && !self.is_of_a_cause(reading, at) {
                    return Some(*severity);
                }
            }
        }
        None
    }

    fn after(&self, reading: &Reading<'_>, last: usize, covered: &[bool]) -> Option<Severity> {
        let end = reading.sentence_of(last).end;
        let stop = end.min(last + 1 + REACH + 2);
        let next = last + 1;
        for (at, covered) in (next..).zip(&covered[next..stop]) {
            if *covered {
                return None;
            }
            if reading.traits[at].has(Trait::GradeAfter)
                && let Some((_, [severity, ..])) = self.after.longest_at(&reading.keys, at)
            {
                return (!self.is_of_a_cause(reading, at)).then_some(*severity);
            }
            // Only a remark may cross a comma ("small cough, nothing serious").
            if !(reading.is_light(at) || matches!(reading.words[at], "," | ":")) {
                return None;
            }
        }
        None
    }

    /// Whether a word of severity says how much someone did of what caused the finding: "vomited
    /// after eating too much".
    fn is_of_a_cause(&self, reading: &Reading<'_>, grade: usize) -> bool {
        let Some(doing) = grade.checked_sub(1) else {
            return false;
        };
        let sentence = reading.sentence_of(grade);
        let before = doing.saturating_sub(CAUSE_REACH).max(sentence.start)..doing;
        self.amounts.length_at(&reading.keys, grade) > 0
            && reading.is_one_of(doing, &self.doings)
            && self.causes.begins_in(&reading.keys, before)
    }
}
