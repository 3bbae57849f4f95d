//! Durations that cannot be right: longer than the finding or the patient's life allows, or equal
//! to the weeks of the pregnancy in the same text. They are left out, and the reading is not
//! obvious, so that the client asks.

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::Age;

use super::draft_mention::{DraftMention, StatedDuration};

/// Removes the numbers that cannot be right. Returns whether there were any.
pub(super) fn drop_implausible(
    base: &KnowledgeBase,
    age: Option<Age>,
    gestations: &[u32],
    drafts: &mut [DraftMention],
) -> bool {
    let mut any = false;
    for mention in drafts {
        let days = mention.duration.and_then(|duration| duration.0);
        let (Some(finding), Some(days)) = (mention.concept.finding(), days) else {
            continue;
        };
        if gestations.contains(&days) || !base.is_plausible_duration(finding, days, age) {
            mention.duration = Some(StatedDuration(None));
            any |= mention.is_had();
        }
    }
    any
}
