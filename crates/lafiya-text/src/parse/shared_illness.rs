//! Shared illness: other people who have a finding together with the patient: "he and his brother
//! both have diarrhoea", "the whole family including the patient".

use super::dictionary::Joint;
use super::marks::Mark;
use super::persons::{NamedPersons, Person};
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::PersonWords;

/// The phrases that include the patient.
#[derive(Clone, Debug)]
pub(super) struct SharedIllness {
    including: PhraseSet<()>,
}

/// Maximum tokens from a group of people to "including".
const INCLUDING_REACH: usize = 4;

impl SharedIllness {
    pub(super) fn new(words: &PersonWords) -> Self {
        Self {
            including: PhraseSet::of(&words.including),
        }
    }

    /// Whether a person named at a token is named together with the patient.
    pub(super) fn is_with_patient(
        &self,
        reading: &Reading<'_>,
        names: &NamedPersons,
        at: usize,
    ) -> bool {
        joined_to(reading, at).is_some_and(|before| is_patient(reading, names, before))
            || self.includes_patient(reading, names, at)
    }

    /// Matches "My family including me".
    fn includes_patient(&self, reading: &Reading<'_>, names: &NamedPersons, at: usize) -> bool {
        let end = reading.sentence_of(at).end;
        let mut reach = at + 1..end.min(at + 1 + INCLUDING_REACH);
        let found = reach.find_map(|n| {
            let length = self.including.length_at(&reading.keys, n);
            (length > 0).then_some(n + length)
        });
        found.is_some_and(|behind| {
            let is_article = |n: usize| {
                reading
                    .traits
                    .get(n)
                    .is_some_and(|traits| traits.has(Trait::Owner))
            };
            let named = behind + usize::from(is_article(behind) && names.at(behind).is_none());
            named < end && is_patient(reading, names, named)
        })
    }
}

/// Returns the token before the "and" that joins two persons: "he and his younger brother".
fn joined_to(reading: &Reading<'_>, at: usize) -> Option<usize> {
    let describes = |n: &usize| reading.traits[*n].has_any([Trait::Owner, Trait::Describing]);
    let described = (0..at).rev().take_while(describes).count();
    let and = (at - described).checked_sub(1)?;
    let joins = reading.forms[reading.unit_of(and)].joint == Some(Joint::And);
    and.checked_sub(1)
        .filter(|&before| joins && reading.same_sentence(before, at))
}

/// Whether a word can name the patient: a personal pronoun, the speaker, or "patient".
fn is_patient(reading: &Reading<'_>, names: &NamedPersons, at: usize) -> bool {
    let is_pronoun = |person: Person| matches!(person, Person::First | Person::Third);
    let names_one = names.at(at).is_some_and(|name| is_pronoun(name.person));
    names_one || reading.marks.has(at, Mark::Patient)
}
