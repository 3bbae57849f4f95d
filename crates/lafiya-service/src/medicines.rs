//! Medicines as reference data: lists, one medicine, and the search by name or brand.

use lafiya_knowledge::{KnowledgeBase, Medicine, MedicineIx};

use crate::error::ServiceError;
use crate::reference::ListRequest;

/// A page of medicines and their total number.
#[derive(Clone, Debug)]
pub struct MedicinePage {
    /// The medicines of this page.
    pub items: Vec<MedicineIx>,
    /// Total number of matches.
    pub total: usize,
}

/// How well a name matches, from the exact name to one that is misspelt.
const SIMILARITY: [f64; 5] = [1.0, 0.95, 0.85, 0.75, 0.7];
/// Shorter words are not searched for with spelling mistakes.
const MISSPELT_FROM_LETTERS: usize = 6;

/// Returns one page of the medicines, best match first, then by name. The category is the class.
pub fn list(base: &KnowledgeBase, request: &ListRequest) -> MedicinePage {
    let wanted = request.query.as_deref().map(folded);
    let all = indices(base).filter(|ix| {
        let class = &base.medicine(*ix).text.class;
        request
            .category
            .as_ref()
            .is_none_or(|wanted| wanted == class)
    });
    let mut found: Vec<(usize, &str, MedicineIx)> = all
        .filter_map(|ix| {
            let medicine = base.medicine(ix);
            let rank = wanted
                .as_deref()
                .map_or(Some(0), |wanted| rank(medicine, wanted))?;
            Some((rank, medicine.text.name.as_str(), ix))
        })
        .collect();
    found.sort_unstable_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
    let total = found.len();
    let items = found.into_iter().skip(request.offset).take(request.limit);
    MedicinePage {
        items: items.map(|(_, _, ix)| ix).collect(),
        total,
    }
}

/// Finds a medicine by its id, with or without `m_`.
pub fn find<'a>(base: &'a KnowledgeBase, id: &str) -> Result<&'a Medicine, ServiceError> {
    let found = base.find_medicine(id);
    found
        .map(|ix| base.medicine(ix))
        .ok_or(ServiceError::NotFound("a medicine of that id"))
}

/// Returns the medicines whose names or brands match a phrase, with their similarity (0 to 1), best
/// first.
pub fn search(base: &KnowledgeBase, phrase: &str, max: usize) -> Vec<(MedicineIx, f64)> {
    let wanted = folded(phrase);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(usize, MedicineIx)> = indices(base)
        .filter_map(|ix| Some((rank(base.medicine(ix), &wanted)?, ix)))
        .collect();
    found.sort_unstable();
    let best = found.into_iter().take(max);
    best.map(|(rank, ix)| (ix, SIMILARITY[rank])).collect()
}

fn indices(base: &KnowledgeBase) -> impl Iterator<Item = MedicineIx> + use<> {
    (0..base.medicines().len()).map(MedicineIx::at)
}

/// Returns the rank of a match, a place in [`SIMILARITY`].
fn rank(medicine: &Medicine, wanted: &str) -> Option<usize> {
    let text = &medicine.text;
    let names = [&text.name, &text.id].into_iter();
    let names = names
        .chain(&text.names)
        .chain(&text.brands)
        .chain(&text.atc);
    names
        .filter_map(|name| rank_of(&folded(name), wanted))
        .min()
}

fn rank_of(name: &str, wanted: &str) -> Option<usize> {
    if name == wanted {
        Some(0)
    } else if name.starts_with(wanted) {
        Some(1)
    } else if name.split([' ', '/']).any(|word| word.starts_with(wanted)) {
        Some(2)
    } else if wanted.len() > 3 && name.contains(wanted) {
        Some(3)
    } else {
        is_misspelt(name, wanted).then_some(4)
    }
}

/// Whether two words differ by one letter: another one, one too many or one too few.
fn is_misspelt(name: &str, wanted: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let wanted: Vec<char> = wanted.chars().collect();
    if wanted.len() < MISSPELT_FROM_LETTERS || name.len().abs_diff(wanted.len()) > 1 {
        return false;
    }
    let start = name.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
    let (name, wanted) = (&name[start..], &wanted[start..]);
    let ends = name.iter().rev().zip(wanted.iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    name.len().max(wanted.len()).saturating_sub(end) <= 1
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase().replace(['-', '_'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ranked_and_one_wrong_letter_is_forgiven() {
        let check = |name: &str, wanted: &str, rank: Option<usize>| {
            assert_eq!(rank_of(name, wanted), rank, "{name} {wanted}");
        };
        check("amoxicillin", "amoxicillin", Some(0));
        check("amoxicillin", "amoxi", Some(1));
        check("artemether lumefantrine", "lumef", Some(2));
        check("co amoxiclav", "oxic", Some(3));
        check("amoxicillin", "amoxicilin", Some(4));
        check("amoxicillin", "amoxycillin", Some(4));
        check("amoxicillin", "ampicillin", None);
        check("iron", "irony", None);
    }
}
