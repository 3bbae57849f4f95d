//! Recall of the text reader: compares the lists of a case with what was recognised in its text.
//!
//! The lists are resolved by search, as in findings mode. A finding counts as recognised if the
//! text gave it, a narrower one, or the broader one that it belongs to. Recognised findings beyond
//! the lists are counted separately, because stories contain more than their lists.

use std::collections::BTreeMap;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;

/// The recall of the lists of one case.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    /// Items of `present` that search resolves.
    pub present: usize,
    /// Of these, the items recognised as present.
    pub present_read: usize,
    /// Items of `absent` that search resolves.
    pub absent: usize,
    /// Of these, the items recognised as absent.
    pub absent_read: usize,
    /// Items of `risk_factors` that search resolves.
    pub risks: usize,
    /// Of these, the items recognised as present.
    pub risks_read: usize,
    /// Items recognised with the opposite choice.
    pub turned: Vec<String>,
    /// Items not recognised, in the words of the case, with the concept.
    pub missed: Vec<String>,
    /// Findings recognised as present that are in no list.
    pub beyond: Vec<String>,
}

/// One item of a case's lists, with its concept.
pub(crate) struct Listed<'a> {
    pub words: &'a str,
    pub concept: ConceptRef,
    pub choice: Choice,
}

/// Compares the lists with what was recognised.
pub(crate) fn recall(
    base: &KnowledgeBase,
    listed: &[Listed<'_>],
    read: &BTreeMap<ConceptRef, Choice>,
) -> Recall {
    let mut recall = Recall::default();
    for it in listed {
        let (told, found) = match (it.choice, it.concept) {
            (Choice::Absent, _) => (&mut recall.absent, &mut recall.absent_read),
            (_, ConceptRef::Risk(_)) => (&mut recall.risks, &mut recall.risks_read),
            _ => (&mut recall.present, &mut recall.present_read),
        };
        *told += 1;
        let said = read
            .iter()
            .filter(|(concept, _)| is_same(base, **concept, it.concept))
            .map(|(_, choice)| *choice);
        let said: Vec<Choice> = said.collect();
        if said.contains(&it.choice) {
            *found += 1;
        } else {
            let label = format!("{} ({})", it.words, base.id_of(it.concept));
            let list = if said.is_empty() {
                &mut recall.missed
            } else {
                &mut recall.turned
            };
            list.push(label);
        }
    }
    recall.beyond = read
        .iter()
        .filter(|(concept, choice)| {
            **choice == Choice::Present
                && !listed.iter().any(|it| is_same(base, **concept, it.concept))
        })
        .map(|(concept, _)| base.id_of(*concept).to_owned())
        .collect();
    recall
}

/// Whether two concepts are the same, or one is a narrower form of the other.
fn is_same(base: &KnowledgeBase, a: ConceptRef, b: ConceptRef) -> bool {
    let (ConceptRef::Finding(one), ConceptRef::Finding(other)) = (a, b) else {
        return a == b;
    };
    one == other
        || base.finding(one).ancestors.contains(&other)
        || base.finding(other).parent == Some(one)
}

/// Returns a table for display, with one line per set.
pub fn recall_table<'a>(recalls: impl IntoIterator<Item = (&'a str, &'a Recall)>) -> String {
    let mut sets: BTreeMap<&str, Recall> = BTreeMap::new();
    let mut cases: BTreeMap<&str, usize> = BTreeMap::new();
    for (set, it) in recalls {
        *cases.entry(set).or_default() += 1;
        let sum = sets.entry(set).or_default();
        sum.present += it.present;
        sum.present_read += it.present_read;
        sum.absent += it.absent;
        sum.absent_read += it.absent_read;
        sum.risks += it.risks;
        sum.risks_read += it.risks_read;
        sum.turned.extend(it.turned.iter().cloned());
        sum.beyond.extend(it.beyond.iter().cloned());
    }
    let mut text = format!(
        "{:<14}{:>22}{:>22}{:>22}{:>9}{:>15}\n",
        "read of text", "present", "absent", "risk factors", "turned", "beyond a case"
    );
    for (set, it) in sets {
        let share = |read: usize, told: usize| {
            let percent = 100.0 * read as f64 / told.max(1) as f64;
            format!("{read}/{told} {percent:.1} %")
        };
        text.push_str(&format!(
            "{set:<14}{:>22}{:>22}{:>22}{:>9}{:>15.1}\n",
            share(it.present_read, it.present),
            share(it.absent_read, it.absent),
            share(it.risks_read, it.risks),
            it.turned.len(),
            it.beyond.len() as f64 / cases[set] as f64
        ));
    }
    text
}
