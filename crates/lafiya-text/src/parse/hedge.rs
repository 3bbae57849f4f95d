//! How far a doubt reaches. "It may be a stroke, his mouth is bent": the disease is in doubt, and what is seen of it is not.

use std::ops::Range;

use super::marks::Mark;
use super::reading::Reading;
use super::spotted::Spotted;

/// The part of its reach that a doubt governs: up to the first comma or colon that ends it. A doubt about findings goes on
/// along their list ("not sure if fever, cough"), and so does one whose list ends in "or": `goes_on` says so of a comma.
pub(super) fn governed(
    reading: &Reading<'_>,
    spotted: &[Spotted],
    reach: Range<usize>,
    goes_on: impl Fn(usize) -> bool,
) -> Range<usize> {
    let Range { start, end } = reach;
    let ends = |sign: usize| {
        // "Possible: fever, cough" is in doubt as a whole.
        if sign == start {
            return false;
        }
        let governs_finding = || {
            spotted
                .iter()
                .any(|it| it.is_finding() && (start..sign).contains(&it.first()))
        };
        match reading.words[sign] {
            ":" => !governs_finding(),
            "," if goes_on(sign) => false,
            "," => reading.marks.has(sign + 1, Mark::Possessive) || !governs_finding(),
            // "Unlikely to be malaria as he has a stiff neck".
            "as" | "since" | "given" | "because" => !governs_finding(),
            _ => false,
        }
    };
    start..(start..end).find(|&at| ends(at)).unwrap_or(end)
}
