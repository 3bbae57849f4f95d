//! The persons (and animals) that a text names, by token. `subject` decides from them whom each
//! finding is about.

use std::ops::Range;

use super::draft_mention::DraftMention;
use super::reading::Reading;
use crate::phrases::PhrasePrefix;

/// Whom a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Person {
    /// No person is named: the patient.
    Nobody,
    First,
    Child,
    /// A relative named with "my", who may or may not be the patient.
    Kin,
    Partner,
    Other,
    /// An animal; its illness is not the patient's.
    Animal,
    Third,
}

/// A word for a person.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedPerson {
    pub person: Person,
    /// Mentioned only in passing: "my wife", "we saw", or "the neighbour's child" next to one's
    /// own.
    pub in_passing: bool,
}

/// The meaning of a word as a single word for a person, and where it leads in the automaton if
/// longer ones begin with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PersonWord {
    pub alone: Option<Person>,
    pub longer: Option<PhrasePrefix>,
}

/// The persons named in a text.
pub(super) struct NamedPersons {
    /// For each token, the person it names, if any.
    pub by_token: Vec<Option<NamedPerson>>,
    /// The tokens at which the subject may change, in text order: all that name a person, and
    /// others.
    pub turns: Vec<usize>,
}

impl NamedPersons {
    pub(super) fn at(&self, token: usize) -> Option<NamedPerson> {
        self.by_token[token]
    }

    /// Returns an upper bound of the number of persons named.
    pub(super) fn count_max(&self) -> usize {
        self.turns.len()
    }

    /// Returns all named persons with their tokens, in text order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, NamedPerson)> {
        let named = |&at: &usize| Some((at, self.at(at)?));
        self.turns.iter().filter_map(named)
    }

    /// Returns the stretches of the text within which the subject does not change.
    pub(super) fn stretches(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.turns.iter().copied().skip(1);
        let ends = ends.chain([self.by_token.len()]);
        self.turns.iter().zip(ends).map(|(at, end)| *at..end)
    }

    /// Whether the words of a finding name an animal: "dog bite", "the dog was drooling".
    pub(super) fn holds_animal(&self, mention: &DraftMention) -> bool {
        let is_animal = |at: &usize| {
            self.at(*at)
                .is_some_and(|name| name.person == Person::Animal)
        };
        mention.core.iter().any(is_animal)
    }

    /// Whether a relative is named in a token range.
    pub(super) fn has_kin(&self, mut tokens: Range<usize>) -> bool {
        tokens.any(|at| self.at(at).is_some_and(|name| name.person == Person::Kin))
    }

    /// Whether a word is a possessive of a person: "my" before a person is not the speaker.
    pub(super) fn has_owned(&self, reading: &Reading<'_>, owner: usize) -> bool {
        let owns = matches!(
            reading.words[owner],
            "my" | "mon" | "ma" | "mes" | "our" | "meu" | "minha"
        );
        let is_somebody =
            |named: NamedPerson| !matches!(named.person, Person::First | Person::Third);
        let mut behind = owner + 1..(owner + 4).min(reading.len());
        owns && behind
            .any(|n| self.at(n).is_some_and(is_somebody) && reading.same_sentence(owner, n))
    }

    /// Separates other people's children from one's own: "The neighbour's child had a fit, my own
    /// only coughs". If the text mentions a child of one's own, another person's child is not the
    /// patient. On its own it may be, brought by anyone.
    pub(super) fn tell_guests_apart(&mut self, reading: &Reading<'_>) {
        let is = |at: usize, person: Person| self.at(at).is_some_and(|name| name.person == person);
        let is_child = |at: &usize| is(*at, Person::Child);
        // With or without a possessive "s": "My neighbour pikin", "my neighbour's child".
        let owner_of = |child: usize| {
            let owner = child.checked_sub(1)?;
            // The apostrophe separates words, so "neighbour's" is read as "neighbour s".
            let owner = owner - usize::from(owner > 0 && reading.words[owner] == "s");
            is(owner, Person::Other).then_some([owner, child])
        };
        let mut children = self.turns.iter().copied().filter(is_child);
        let guests: Vec<[usize; 2]> = children.clone().filter_map(owner_of).collect();
        if guests.is_empty() {
            return;
        }
        let word = |at: usize| reading.words[at];
        let is_ours = |at: usize| at > 0 && matches!(word(at - 1), "my" | "our");
        let has_own = (0..reading.len()).any(|at| match word(at) {
            "own" => is_ours(at),
            "mine" => true,
            _ => false,
        });
        if has_own || children.any(is_ours) {
            for at in guests.into_iter().flatten() {
                self.by_token[at] = Some(NamedPerson {
                    person: Person::Other,
                    // Named in passing, so that the child does not become the subject.
                    in_passing: true,
                });
            }
        }
    }
}
