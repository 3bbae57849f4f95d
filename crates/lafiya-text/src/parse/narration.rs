//! Detects whether the narrator is someone other than the patient. "My wife was frying plantain and
//! she shouted ...", "I am her teacher. She cannot finish a sentence", "They brought my friend,
//! somebody stabbed him": he or she is then the patient, whoever else is mentioned.

use lafiya_model::Sex;

use super::persons::{NamedPerson, NamedPersons, Person};
use super::reading::Reading;
use crate::hash::{FastSet, set_of};
use crate::words::PersonWords;

/// The pronouns of each sex, and what narrators say about themselves.
#[derive(Clone, Debug)]
pub(super) struct Pronouns {
    he: FastSet<String>,
    she: FastSet<String>,
    /// Words after the narrator's own pronoun: "I am her teacher".
    introducing: FastSet<String>,
    /// The narrator's own complaint: "I had fever", "I feel".
    complaining: FastSet<String>,
}

/// The sexes that a pronoun can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pronoun {
    he: bool,
    she: bool,
}

/// Whether the pronoun at a token can refer to a patient of a given sex.
pub(super) fn pronoun_fits(reading: &Reading<'_>, at: usize, sex: Option<Sex>) -> bool {
    let Pronoun { he, she } = reading.entries[at].pronoun;
    match sex {
        Some(Sex::Male) => !she,
        Some(Sex::Female) => !he,
        _ => true,
    }
}

/// A narrative told by someone other than the patient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narration<'a> {
    /// The first word for the patient, if it was not a pronoun: "wife".
    pub patient: Option<&'a str>,
}

/// Maximum words from "I am" to the narrator's role: "I am the boy's class teacher".
const INTRODUCTION_REACH: usize = 6;

impl Pronouns {
    pub(super) fn new(words: &PersonWords) -> Self {
        Self {
            he: set_of(&words.he),
            she: set_of(&words.she),
            introducing: set_of(&words.introducing),
            complaining: set_of(&words.complaining),
        }
    }

    /// Returns the sexes that a word may refer to as a pronoun.
    pub(super) fn of(&self, word: &str) -> Pronoun {
        Pronoun {
            he: self.he.contains(word),
            she: self.she.contains(word),
        }
    }

    /// Whether narrators speak of their own complaint: "I had malaria", "my chest".
    pub(super) fn complains(&self, reading: &Reading<'_>, at: usize) -> bool {
        let owns = matches!(reading.words[at], "my" | "myself");
        owns || reading
            .words
            .get(at + 1)
            .is_some_and(|word| self.complaining.contains(*word))
    }

    /// Returns the narration if the text is one: the first person mentioned is not the narrator,
    /// and most pronouns refer to the patient.
    pub(super) fn narration<'a>(
        &self,
        reading: &Reading<'a>,
        names: &NamedPersons,
        sex: Option<Sex>,
    ) -> Option<Narration<'a>> {
        // "They brought my friend": a group is not the patient.
        let is_one = |at: &usize| !matches!(reading.words[*at], "they" | "them" | "their");
        let mut persons: Vec<(usize, NamedPerson)> = Vec::with_capacity(names.count_max());
        let is_person = |named: &NamedPerson| named.person != Person::Animal;
        persons.extend(
            names
                .iter()
                .filter(|(at, name)| is_one(at) && is_person(name)),
        );
        let is_teller = |&(at, named): &(usize, NamedPerson)| {
            // "We" is never a single patient.
            let alone = reading.words[at] != "we";
            named.person == Person::First && alone && !named.in_passing
        };
        let teller = persons.iter().find(|person| is_teller(person));
        let introduced = teller.and_then(|(at, _)| self.introduction_end(reading, names, *at));
        let behind = persons.partition_point(|(at, _)| *at < introduced.unwrap_or(0));
        let persons = &persons[behind..];
        let is_named =
            |named: &&(usize, NamedPerson)| named.1.person != Person::First || is_teller(named);
        let (at, first) = persons
            .iter()
            .find(is_named)
            .map(|person| (person.0, person.1.person))?;
        if first == Person::First {
            return None;
        }
        let is_patient = |named: &&(usize, NamedPerson)| {
            named.1.person == Person::Third && pronoun_fits(reading, named.0, sex)
        };
        let complains =
            |named: &&(usize, NamedPerson)| is_teller(named) && self.complains(reading, named.0);
        let patients = persons.iter().filter(is_patient).count();
        let tellers = persons.iter().filter(complains).count();
        let patient = (first != Person::Third).then_some(reading.words[at]);
        (patients > tellers).then_some(Narration { patient })
    }

    /// Returns the end of an introduction such as "I am her class teacher" that begins with the
    /// narrator's pronoun.
    fn introduction_end(
        &self,
        reading: &Reading<'_>,
        names: &NamedPersons,
        at: usize,
    ) -> Option<usize> {
        let is_teller = |named: NamedPerson| {
            matches!(named.person, Person::Kin | Person::Other | Person::Partner)
        };
        let reach = at + 1..reading.sentence_of(at).end.min(at + INTRODUCTION_REACH);
        let introduces = reading.words[at] == "im"
            || reading
                .words
                .get(at + 1)
                .is_some_and(|word| self.introducing.contains(*word));
        let teller = { reach }.find(|&n| names.at(n).is_some_and(is_teller));
        teller.filter(|_| introduces).map(|n| n + 1)
    }
}
