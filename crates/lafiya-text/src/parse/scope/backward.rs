//! Negations after a finding: "fever: no", "cough absent", "seizure free".

use lafiya_model::Choice;

use super::Scope;
use crate::parse::begins::Begins;
use crate::parse::draft_mention::DraftMention;
use crate::parse::marks::Mark;
use crate::parse::reading::Reading;
use crate::parse::traits::Trait;

/// Maximum words from an unknown cause to what it causes: "cause of her bleeding".
const CAUSE_REACH: usize = 3;

impl Scope {
    /// Applies negations after a finding: "fever: no", "cough absent", "the headache I had is
    /// gone".
    pub(super) fn backward(
        &self,
        reading: &Reading<'_>,
        (begins, covered): (&Begins, &[bool]),
        mention: &mut DraftMention,
    ) {
        if mention.derived {
            if mention.well {
                self.endings.revive(reading, covered, mention);
            }
            return;
        }
        let (last, end) = (mention.last(), reading.clause_of(mention.last()).end);
        let ends = |at: usize| at >= end || begins.any(at);
        let mut at = last + 1;
        // In "I did a pregnancy test and it is negative", words for reporting are skipped.
        let is_tested = reading.words.get(at) == Some(&"test");
        while !ends(at) {
            let told = is_tested && self.tellings.length_at(&reading.keys, at) > 0;
            let leads = self.before_after_negators.length_at(&reading.keys, at) > 0;
            if !leads && !told {
                break;
            }
            at += 1;
        }
        // The start of the next finding in the clause.
        let next = || (last + 1..end).find(|&at| begins.any(at)).unwrap_or(end);
        // "fever : no" crosses the colon that ends the clause.
        let colon = || reading.words[end - 1] == ":" && end < reading.len() && next() == end;
        let may_be_denied = !ends(at) && reading.entries[at].denies_before;
        let is_free = || {
            matches!(reading.words.get(last + 1), Some(&"free")) && is_free_of(reading, last + 1)
        };
        let is_denied = || {
            self.is_denied_at(reading, mention.first(), at)
                || self.positional_negation.frames(reading, mention)
        };
        if (may_be_denied && is_denied())
            || is_free()
            || (colon() && self.answers.is_no(reading, end))
        {
            mention.choice = Choice::Absent;
            return;
        }
        let is_danger = || self.past_findings.dangers.contains(mention.concept);
        if mention.is_finding()
            && self.endings.end((reading, covered), mention, next)
            && !is_danger()
        {
            mention.choice = Choice::Absent;
        }
    }

    /// Whether a word negates the finding before it, which begins at `first`.
    fn is_denied_at(&self, reading: &Reading<'_>, first: usize, at: usize) -> bool {
        let length = self.after_negators.length_at(&reading.keys, at);
        if length == 0 || reading.marks.has(at, Mark::NotNegator) {
            return false;
        }
        let end = reading.clause_of(at).end;
        let mut behind = at + length;
        while behind < end
            && let tail @ 1.. = self.behind_after_negators.length_at(&reading.keys, behind)
        {
            behind += tail;
        }
        let closes = behind >= end || reading.tokens[behind].is_sign();
        let goes_on = || length > 1 && reading.words[behind] == "and";
        let cause = || {
            let from = first.saturating_sub(CAUSE_REACH);
            self.sought.begins_in(&reading.keys, from..first)
        };
        (closes || goes_on()) && !(length > 1 && cause())
    }
}

/// Matches "Seizure free for two years", but not "abdomen: free fluid".
fn is_free_of(reading: &Reading<'_>, free: usize) -> bool {
    let next = free + 1;
    let closes = next >= reading.len() || reading.tokens[next].is_sign();
    let timed = [Mark::Beginning, Mark::Now, Mark::Joiner];
    // A medicine may follow: "Seizure free on valproate".
    let by_medicine = || {
        let medicine = reading.traits.get(next + 1);
        reading.words[next] == "on"
            && medicine.is_some_and(|medicine| medicine.has(Trait::Medicine))
    };
    let is_led = || {
        let counts = matches!(reading.words[next], "x" | "of") || reading.tokens[next].is_number();
        counts || by_medicine()
    };
    let sentence = reading.sentence_of(free);
    // A stated end cancels it: "Seizure free for 2 years until this morning".
    let ended = || (next..sentence.end).any(|at| matches!(reading.words[at], "until" | "till"));
    (closes || reading.marks.has_one_of(next, timed) || is_led()) && !ended()
}
