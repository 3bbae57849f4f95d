//! Double negation, which amounts to a statement: "I can't go an hour without vomiting", "no week
//! passes without convulsions".

use lafiya_model::Choice;

use super::draft_mention::{DraftMention, Dropped};
use super::marks::Mark;
use super::reading::Reading;

/// Maximum words from the first negation to the second.
const REACH: usize = 7;

/// Returns the negation that a "without" cancels: one before it in the same clause that negates
/// nothing of its own.
pub(super) fn taken_back(
    reading: &Reading<'_>,
    covered: &[bool],
    drafts: &[DraftMention],
    without: usize,
) -> Option<usize> {
    let clause = reading.clause_of(without);
    let from = clause.start.max(without.saturating_sub(REACH));
    let mut found = None;
    for at in (from..without).rev() {
        if matches!(
            reading.units[reading.unit_of(at)].form,
            "not" | "cant" | "never"
        ) {
            found = Some(at);
            break;
        }
        // "No fever and walks without pain": a joiner separates the two negations.
        if reading
            .marks
            .has_one_of(at, [Mark::Joiner, Mark::Barrier, Mark::Statement])
        {
            return None;
        }
    }
    let denial = found?;
    // "No fever without chills": the first negation has its own finding.
    let is_its_own = |at: usize| {
        covered[at]
            && drafts.iter().any(|mention| {
                mention.core.contains(&at)
                    && !mention.core.contains(&denial)
                    && mention.last() < without
            })
    };
    (!(denial + 1..without).any(is_its_own)).then_some(denial)
}

/// Marks a finding as present if "without" is between its words. "She can't walk without chest
/// pain" means pain on walking, and that she can walk.
///
/// Someone who cannot walk without a stick does have trouble walking, so only a complaint after
/// "without" has this effect. Someone who cannot breathe without pain may be short of breath, so
/// the conclusion is drawn only for movement.
pub(super) fn state(
    drafts: &mut [DraftMention],
    (denial, without): (usize, usize),
    is_complaint: impl Fn(usize) -> bool,
    is_moving: impl Fn(usize) -> bool,
) {
    let spans = |mention: &DraftMention| mention.first() < without && without < mention.last();
    let is_suffered = |mention: &&DraftMention| {
        let mut behind = mention.core.iter().filter(|at| **at > without);
        spans(mention) && behind.any(|at| is_complaint(*at))
    };
    let suffered = drafts.iter().filter(is_suffered);
    let shared: Vec<usize> = suffered
        .flat_map(|mention| mention.core.iter().copied())
        .collect();
    for mention in drafts.iter_mut().filter(|mention| !mention.derived) {
        if spans(mention) && !mention.core.contains(&without) {
            mention.choice = Choice::Present;
        }
        let is_the_verb =
            mention.last() < without && mention.core.iter().any(|at| shared.contains(at));
        let moves = || mention.core.iter().any(|at| is_moving(*at));
        if is_the_verb && mention.first() <= denial && denial <= mention.last() && moves() {
            mention.dropped = Some(Dropped::Hypothetical);
        }
    }
}
