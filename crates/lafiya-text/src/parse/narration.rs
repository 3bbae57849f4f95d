//! Whether somebody else tells the story. "My wife was frying plantain and she shouted ...", "I am her teacher. She cannot finish a
//! sentence", "They brought my friend, somebody stabbed him": he or she is the patient then, whoever else is named on the way.

use lafiya_model::Sex;

use super::reading::Reading;
use super::subject::{Named, Names, Person};
use crate::hash::{FastSet, set_of};
use crate::words::PersonWords;

/// The pronouns of each sex, and what a teller says of himself.
#[derive(Clone, Debug)]
pub(super) struct Pronouns {
    he: FastSet<String>,
    she: FastSet<String>,
    /// "I am her teacher": behind the teller's own pronoun.
    introducing: FastSet<String>,
    /// "I had fever", "I feel": the teller's own complaint.
    complaining: FastSet<String>,
}

/// The sexes whose pronoun a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pronoun {
    he: bool,
    she: bool,
}

/// Whether the pronoun at a token may be that of a patient of a sex.
pub(super) fn pronoun_fits(reading: &Reading<'_>, at: usize, sex: Option<Sex>) -> bool {
    let Pronoun { he, she } = reading.entries[at].pronoun;
    match sex {
        Some(Sex::Male) => !she,
        Some(Sex::Female) => !he,
        _ => true,
    }
}

/// A story that somebody else tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narration<'a> {
    /// The word for the patient that came first, where it was no pronoun: "wife".
    pub patient: Option<&'a str>,
}

/// Words from "I am" to what the teller is: "I am the boy's class teacher".
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

    /// Whose pronoun a word may be.
    pub(super) fn of(&self, word: &str) -> Pronoun {
        Pronoun {
            he: self.he.contains(word),
            she: self.she.contains(word),
        }
    }

    /// Whether the teller speaks of what he has himself: "I had malaria", "my chest".
    pub(super) fn complains(&self, reading: &Reading<'_>, at: usize) -> bool {
        let owns = matches!(reading.words[at], "my" | "myself");
        owns || reading
            .words
            .get(at + 1)
            .is_some_and(|it| self.complaining.contains(*it))
    }

    /// The narration, where the text is one: the first who is spoken of is not the teller, and the pronouns are mostly the
    /// patient's.
    pub(super) fn narration<'a>(
        &self,
        reading: &Reading<'a>,
        names: &Names,
        sex: Option<Sex>,
    ) -> Option<Narration<'a>> {
        // "They brought my friend": many are not one patient.
        let is_one = |at: &usize| !matches!(reading.words[*at], "they" | "them" | "their");
        let mut persons: Vec<(usize, Named)> = Vec::with_capacity(names.count_max());
        let is_person = |it: &Named| it.person != Person::Animal;
        persons.extend(names.iter().filter(|(at, it)| is_one(at) && is_person(it)));
        let is_teller = |&(at, named): &(usize, Named)| {
            // "We" are never one patient.
            let alone = reading.words[at] != "we";
            named.person == Person::First && alone && !named.in_passing
        };
        let teller = persons.iter().find(|it| is_teller(it));
        let introduced = teller.and_then(|(at, _)| self.introduction_end(reading, names, *at));
        let behind = persons.partition_point(|(at, _)| *at < introduced.unwrap_or(0));
        let persons = &persons[behind..];
        let is_named = |it: &&(usize, Named)| it.1.person != Person::First || is_teller(it);
        let (at, first) = persons
            .iter()
            .find(is_named)
            .map(|it| (it.0, it.1.person))?;
        if first == Person::First {
            return None;
        }
        let is_patient =
            |it: &&(usize, Named)| it.1.person == Person::Third && pronoun_fits(reading, it.0, sex);
        let complains = |it: &&(usize, Named)| is_teller(it) && self.complains(reading, it.0);
        let patients = persons.iter().filter(is_patient).count();
        let tellers = persons.iter().filter(complains).count();
        let patient = (first != Person::Third).then_some(reading.words[at]);
        (patients > tellers).then_some(Narration { patient })
    }

    /// Where "I am her class teacher" ends that begins with the teller's pronoun.
    fn introduction_end(&self, reading: &Reading<'_>, names: &Names, at: usize) -> Option<usize> {
        let is_teller =
            |it: Named| matches!(it.person, Person::Kin | Person::Other | Person::Partner);
        let reach = at + 1..reading.sentence_of(at).end.min(at + INTRODUCTION_REACH);
        let introduces = reading.words[at] == "im"
            || reading
                .words
                .get(at + 1)
                .is_some_and(|it| self.introducing.contains(*it));
        let teller = { reach }.find(|&n| names.at(n).is_some_and(is_teller));
        teller.filter(|_| introduces).map(|n| n + 1)
    }
}
