//! An illness that is feared or asked about is not one that is known: "I am afraid of HIV", "is this a heart attack?". What is
//! felt or seen is there all the same ("she fears the bleeding"), so findings stay.

use super::marks::Mark;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};

/// Words from the fear to the illness: "fears he has cancer", "afraid of catching HIV".
const FEAR_REACH: usize = 4;
/// Words from the question to it: "is it a heart attack", but "is it safe in pregnancy".
const QUESTION_REACH: usize = 3;

/// An illness that somebody owns is known: "he fears her diabetes".
const OWNERS: [&str; 4] = ["my", "his", "her", "their"];

/// Drops illnesses and other circumstances that are only feared or asked about.
pub(super) fn drop(reading: &Reading<'_>, spotted: &mut [Spotted]) {
    let marks = &reading.marks;
    if !marks.has_any(Mark::Fear) && !marks.has_any(Mark::Question) {
        return;
    }
    for it in spotted.iter_mut() {
        if it.derived || it.concept.risk().is_none() {
            continue;
        }
        let first = it.first();
        if first > 0 && OWNERS.contains(&reading.words[first - 1]) {
            continue;
        }
        let sentence = reading.sentence_of(first);
        let near = |reach: usize| first.saturating_sub(reach).max(sentence.start)..first;
        let asked = marks.has(sentence.start, Mark::Question)
            && near(QUESTION_REACH).contains(&sentence.start);
        if asked || marks.first(near(FEAR_REACH), Mark::Fear).is_some() {
            it.dropped = Some(Dropped::Hypothetical);
        }
    }
}
