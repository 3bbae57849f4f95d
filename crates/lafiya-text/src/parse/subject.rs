//! The subject of each finding. A carer speaks for a child; a sister's fever is not the patient's,
//! unless she is the patient.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Choice, Sex};

use super::animals::Animals;
use super::draft_mention::{DraftMention, Dropped, is_danger};
use super::family_history_lines::FamilyHistoryLines;
use super::marks::Mark;
use super::narration::{Narration, Pronoun, Pronouns, pronoun_fits};
use super::persons::{NamedPerson, NamedPersons, Person, PersonWord};
use super::reading::Reading;
use super::shared_illness::SharedIllness;
use super::time::CHILD_BELOW_YEARS;
use super::traits::Trait;
use crate::hash::{FastSet, set_of};
use crate::phrases::{PhrasePrefix, PhraseSet};
use crate::words::{Family, PersonWords};

/// The subject at a token, and whether it is given by a pronoun.
#[derive(Clone, Copy, Debug)]
struct SubjectAt {
    person: Person,
    by_pronoun: bool,
}

impl SubjectAt {
    const NOBODY: Self = Self {
        person: Person::Nobody,
        by_pronoun: false,
    };
}

/// The number of kinds of person.
const PERSONS: usize = Person::Third as usize + 1;

/// The words for persons, indexed.
#[derive(Clone, Debug)]
pub(super) struct Subjects {
    persons: PhraseSet<Person>,
    owners: FastSet<String>,
    passive: FastSet<String>,
    /// Words that describe a person and may precede one.
    described: FastSet<String>,
    /// Relatives in groups that are never the patient ("both parents smoke").
    crowds: FastSet<String>,
    /// Verbs of people who report about the patient ("her mother reports that she").
    reporting: FastSet<String>,
    family: PhraseSet<ConceptRef>,
    pronouns: Pronouns,
    animals: Animals,
    company: SharedIllness,
    family_history_lines: FamilyHistoryLines,
}

/// A relative with at least this many findings may be the patient. One finding is only a remark,
/// unless it is a danger sign and nobody else has any finding.
const KIN_FINDINGS_MIN: usize = 2;
/// Maximum tokens back to the word that shows that a person is mentioned in passing.
const ASIDE_REACH: usize = 5;

impl Subjects {
    pub(super) fn new(words: &PersonWords, family: &Family, base: &KnowledgeBase) -> Self {
        let mut persons = PhraseSet::default();
        let lists = [
            (&words.first, Person::First),
            (&words.third, Person::Third),
            (&words.children, Person::Child),
            (&words.kin, Person::Kin),
            (&words.partners, Person::Partner),
            (&words.others, Person::Other),
            (&words.animals, Person::Animal),
        ];
        for (list, person) in lists {
            for phrase in list {
                persons.add_phrase(phrase, person);
            }
        }
        let mut diseases = PhraseSet::default();
        for (id, phrases) in &family.diseases {
            for phrase in phrases {
                if let Some(concept) = base.resolve(id) {
                    diseases.add_phrase(phrase, concept);
                }
            }
        }
        Self {
            persons,
            owners: words
                .first
                .iter()
                .chain(&words.third)
                .cloned()
                .chain(["our".to_owned(), "the".to_owned(), "their".to_owned()])
                .collect(),
            passive: set_of(&words.passive),
            described: set_of(&words.described),
            crowds: set_of(&words.crowds),
            reporting: set_of(&words.reporting),
            family: diseases,
            pronouns: Pronouns::new(words),
            animals: Animals::new(words, base),
            company: SharedIllness::new(words),
            family_history_lines: FamilyHistoryLines::new(words),
        }
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.persons.vocabulary().chain(self.family.vocabulary())
    }

    /// Returns the meaning of a word that begins a word for a person.
    pub(super) fn naming(&self, key: u64) -> Option<PersonWord> {
        let begun = self.persons.begun(key)?;
        Some(PersonWord {
            alone: self.longest(begun, &[]),
            longer: self.persons.goes_on(begun).then_some(begun),
        })
    }

    /// Returns the person that the longest matching phrase names. `rest` are the keys after the
    /// first word.
    fn longest(&self, begun: PhrasePrefix, rest: &[u64]) -> Option<Person> {
        let longest = self.persons.longest_begun(begun, rest.iter().copied());
        longest.and_then(|(_, persons)| persons.first().copied())
    }

    /// Whether a word begins a hereditary disease.
    pub(super) fn begins_disease(&self, key: u64) -> bool {
        self.family.begun(key).is_some()
    }

    /// Returns the sexes that a word may refer to as a pronoun.
    pub(super) fn pronoun(&self, word: &str) -> Pronoun {
        self.pronouns.of(word)
    }

    /// Whether a word is a possessive of a person.
    pub(super) fn is_owner(&self, word: &str) -> bool {
        self.owners.contains(word)
    }

    pub(super) fn is_passive(&self, word: &str) -> bool {
        self.passive.contains(word)
    }

    pub(super) fn describes(&self, word: &str) -> bool {
        self.described.contains(word)
    }

    pub(super) fn reports(&self, word: &str) -> bool {
        self.reporting.contains(word)
    }

    pub(super) fn is_crowd(&self, word: &str) -> bool {
        self.crowds.contains(word)
    }

    /// Drops the findings of other people, and adds what their diseases imply for the patient.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        (age, sex): (Option<Age>, Option<Sex>),
        drafts: &mut Vec<DraftMention>,
    ) {
        let names = self.names(reading);
        let narration = self.pronouns.narration(reading, &names, sex);
        // `None` if the age is unknown.
        let is_child = age.map(|age| age.years() < CHILD_BELOW_YEARS);
        let mut spoken_of = match narration {
            Some(narration) => {
                self.persons_told_of(reading, &names, narration, (sex, is_child == Some(true)))
            }
            None => self.persons_of(reading, &names),
        };
        let of_family = self.family_history_lines.lines(reading);
        for line in &of_family {
            let person = Person::Kin;
            let by_pronoun = false;
            spoken_of[line.clone()].fill(SubjectAt { person, by_pronoun });
            // After the line, the subject is the patient again: "FHx: father DM, c/o chest pain".
            let end = reading.sentence_of(line.start).end;
            spoken_of[line.end..end].fill(SubjectAt::NOBODY);
        }
        let family_line = |mention: &DraftMention| {
            of_family
                .iter()
                .find(|line| line.contains(&mention.first()))
        };
        let mut counts = [0; PERSONS];
        for mention in drafts.iter().filter(|mention| {
            mention.is_finding() && mention.dropped.is_none() && family_line(mention).is_none()
        }) {
            // A person referred to again by a pronoun is the main subject.
            let SubjectAt { person, by_pronoun } = spoken_of[mention.first()];
            counts[person as usize] += 1 + usize::from(by_pronoun);
        }
        let of = |person: Person| counts[person as usize];
        // "My father collapsed at the market": no other person can be the patient.
        let kin_in_danger = counts.iter().sum::<usize>() == of(Person::Kin)
            && drafts.iter().any(|mention| {
                spoken_of[mention.first()].person == Person::Kin && is_danger(base, mention.concept)
            });
        let child_speaks =
            is_child.unwrap_or(of(Person::Child) >= of(Person::First) && of(Person::Child) > 0);
        // The child of an adult patient is not the patient: it may be unborn.
        let is_grown = is_child == Some(false);
        let is_patient = |person: Person| match person {
            _ if narration.is_some() => person == Person::Nobody,
            Person::Nobody | Person::Third => true,
            Person::First => !(child_speaks && of(Person::Child) > 0),
            Person::Child => of(Person::First) == 0 || child_speaks,
            Person::Partner => of(Person::First) == 0 && of(Person::Child) == 0,
            Person::Kin => {
                of(Person::First) == 0
                    && (of(Person::Child) == 0 || is_grown)
                    && (of(Person::Kin) >= KIN_FINDINGS_MIN || kin_in_danger)
            }
            Person::Other | Person::Animal => false,
        };
        // "Works on a cattle farm" is about the worker; a pregnant goat is not the patient.
        let is_exposure = |mention: &DraftMention| {
            let risk = mention.concept.risk().map(|ix| base.risk(ix));
            risk.is_some_and(|risk| risk.state.is_none())
        };
        for mention in drafts.iter_mut() {
            let person = spoken_of[mention.first()].person;
            let told_of = family_line(mention).map_or_else(
                || is_patient(person),
                // Notes run on: "FHx: not known, fever 3 days".
                |line| mention.is_finding() && !names.has_kin(line.start..mention.first()),
            );
            let is_patients = told_of
                || is_about_others(base, mention.concept)
                || (person == Person::Animal
                    && (is_exposure(mention) || names.holds_animal(mention)))
                || (person == Person::Child && is_of_unborn(base, mention.concept));
            if !is_patients {
                mention.dropped = Some(Dropped::OtherPerson);
            }
        }
        self.animals.add_bites(reading, &names, drafts);
        // If the relative is the patient, a disease of theirs is no family history.
        if !is_patient(Person::Kin) || of(Person::Kin) == 0 {
            self.family_history(reading, &spoken_of, drafts);
        }
    }

    fn family_history(
        &self,
        reading: &Reading<'_>,
        spoken_of: &[SubjectAt],
        drafts: &mut Vec<DraftMention>,
    ) {
        let next = |from: usize| reading.next_of(from, [Trait::Inherited]);
        let diseases = std::iter::successors(Some(next(0)), |at| Some(next(at + 1)));
        for at in diseases.take_while(|at| *at < reading.len()) {
            let of_kin = spoken_of[at].person == Person::Kin;
            let disease = self.family.longest_at(&reading.keys, at);
            if let Some((length, [concept, ..])) = disease.filter(|_| of_kin) {
                let core = (at..at + length).collect();
                // "No family history of diabetes": the family history is absent.
                let denied = |mention: &DraftMention| {
                    mention.choice == Choice::Absent
                        && (mention.first()..=mention.last()).contains(&at)
                };
                let choice = if drafts.iter().any(denied) {
                    Choice::Absent
                } else {
                    Choice::Present
                };
                drafts.push(DraftMention {
                    choice,
                    ..DraftMention::derived(*concept, core)
                });
            }
        }
    }

    /// Returns the subject at each token.
    fn persons_of(&self, reading: &Reading<'_>, names: &NamedPersons) -> Vec<SubjectAt> {
        // A clinician's note is about one patient throughout.
        let told_by_clinician = reading.marks.has_any(Mark::Patient);
        let mut now = Person::Nobody;
        let mut named = Person::Nobody;
        // The main subject: the first person named, and the token.
        let mut main = (Person::Nobody, 0);
        let mut spoken_of = vec![SubjectAt::NOBODY; reading.len()];
        let mut by_pronoun = false;
        for Range { start: at, end } in names.stretches() {
            let traits = reading.traits[at];
            if at > 0 && reading.sentence(at) != reading.sentence(at - 1) {
                now = Person::Nobody;
                // "My baby is thin. My mother feeds her. She does not cough": the pronoun refers to
                // the main subject again.
                if main.0 != Person::Nobody {
                    named = main.0;
                }
                // "His mother smokes. He coughs": in a clinician's note, the pronoun refers to the
                // patient again.
                if told_by_clinician && named != Person::Child {
                    named = Person::Nobody;
                }
            }
            // An animal is the subject only within its clause.
            if now == Person::Animal {
                now = Person::Nobody;
            }
            // "no contact with sick people, no cough": a new negation is about the patient again.
            let denies_anew =
                at > 0 && reading.clause(at) != reading.clause(at - 1) && reading.words[at] == "no";
            if now == Person::Other && denies_anew {
                now = Person::Nobody;
            }
            if reading.marks.has(at, Mark::Except) {
                now = Person::First;
            } else if let Some(NamedPerson { person, in_passing }) = names.at(at) {
                by_pronoun = person == Person::Third;
                now = match person {
                    Person::Third if named == Person::Nobody => Person::Nobody,
                    Person::Third => named,
                    Person::First if in_passing => now,
                    Person::First => Person::First,
                    // "34M, teacher, cough for two weeks": the patient's occupation.
                    Person::Other
                        if traits.has(Trait::OnlyAfter) && !self.is_owned(reading, at) =>
                    {
                        now
                    }
                    _ if self.is_aside(reading, at) => now,
                    Person::Animal if !self.animals.is_spoken_of(reading, at) => now,
                    // The patient remains the subject: "He and his brother both have diarrhoea",
                    // "the whole family including the patient".
                    _ if self.company.is_with_patient(reading, names, at) => now,
                    // "the child and her brother": the child remains the subject.
                    Person::Kin | Person::Other
                        if now == Person::Child && self.is_joined(reading, at) =>
                    {
                        now
                    }
                    Person::Kin if traits.has(Trait::Crowd) => Person::Kin,
                    Person::Kin if !self.is_owned(reading, at) && !is_told_of(reading, at) => {
                        Person::Child
                    }
                    person => person,
                };
                // "people" and "neighbours" are not the antecedent of "he" once another person was
                // named.
                let crowd = now == Person::Other && (named != Person::Nobody || in_passing);
                if !matches!(now, Person::First | Person::Nobody | Person::Animal) && !crowd {
                    named = now;
                    // "My sister's boy": the last person counts.
                    let is_first = main.0 == Person::Nobody || main.1 + 1 == at;
                    if is_first && matches!(now, Person::Child | Person::Kin | Person::Partner) {
                        main = (now, at);
                    }
                }
            }
            let person = now;
            let end = self.animals.end_of(reading, person, at..end);
            spoken_of[at..end].fill(SubjectAt { person, by_pronoun });
        }
        spoken_of
    }

    /// The persons named in a text.
    fn names(&self, reading: &Reading<'_>) -> NamedPersons {
        let turns = turns(reading);
        let mut names = NamedPersons {
            by_token: vec![None; reading.len()],
            turns,
        };
        // In reverse, because a possessive depends on the person after it.
        for n in (0..names.turns.len()).rev() {
            let at = names.turns[n];
            names.by_token[at] = self.person_at(reading, at).map(|person| NamedPerson {
                person,
                in_passing: person == Person::First
                    && (names.has_owned(reading, at) || reports(reading, at)),
            });
        }
        names.tell_guests_apart(reading);
        names
    }

    /// Returns the person whose name begins at a token.
    fn person_at(&self, reading: &Reading<'_>, at: usize) -> Option<Person> {
        if is_sex(reading, at) {
            return None;
        }
        let PersonWord { alone, longer } = reading.entries[at].person?;
        let person = match longer {
            Some(begun) => self.longest(begun, &reading.keys[at + 1..]),
            None => alone,
        };
        // "My late husband" is not the patient.
        let is_dead = at > 0 && reading.words[at - 1] == "late";
        match person {
            Some(Person::Partner) if is_dead => Some(Person::Other),
            _ => person,
        }
    }

    /// Returns the subject at each token of a narrative told by someone else: the patient, unless
    /// another person is named in the clause.
    fn persons_told_of(
        &self,
        reading: &Reading<'_>,
        names: &NamedPersons,
        narration: Narration<'_>,
        (sex, is_child): (Option<Sex>, bool),
    ) -> Vec<SubjectAt> {
        let mut spoken_of = vec![SubjectAt::NOBODY; reading.len()];
        let (mut now, mut named) = (Person::Nobody, Person::Nobody);
        // The last token that named the patient.
        let mut patient_at = None;
        for Range { start: at, end } in names.stretches() {
            let word = reading.words[at];
            let begins = at > 0 && reading.clause(at) != reading.clause(at - 1);
            let begins_sentence = at > 0 && !reading.same_sentence(at - 1, at);
            if begins_sentence || (begins && word == "no") {
                (now, named) = (Person::Nobody, Person::Nobody);
            }
            if now == Person::Animal {
                now = Person::Nobody;
            }
            let named_here = names.at(at);
            let in_passing = named_here.is_some_and(|name| name.in_passing);
            match named_here.map(|name| name.person) {
                None => {}
                Some(Person::Third) if pronoun_fits(reading, at, sex) => now = Person::Nobody,
                Some(Person::Third) => now = named,
                Some(Person::First) if in_passing => {}
                Some(Person::First) if self.pronouns.complains(reading, at) => now = Person::First,
                // "She told me the head aches": "me" does not change the subject.
                Some(Person::First) if word == "me" => {}
                Some(Person::First) => now = Person::Nobody,
                Some(person)
                    if narration.patient == Some(word) || (is_child && person == Person::Child) =>
                {
                    now = Person::Nobody;
                    patient_at = Some(at);
                }
                // The patient remains the subject: "My sister-in-law", "the child and her brother".
                Some(_)
                    if patient_at
                        .is_some_and(|n| n + 1 == at || self.is_joined_to(reading, n, at)) => {}
                Some(_) if self.is_aside(reading, at) => {}
                Some(Person::Animal) if !self.animals.is_spoken_of(reading, at) => {}
                Some(Person::Animal) => now = Person::Animal,
                Some(_) if self.company.is_with_patient(reading, names, at) => {}
                Some(person) => (now, named) = (person, person),
            }
            let by_pronoun = false;
            let person = now;
            let end = self.animals.end_of(reading, person, at..end);
            spoken_of[at..end].fill(SubjectAt { person, by_pronoun });
        }
        spoken_of
    }

    fn is_owned(&self, reading: &Reading<'_>, at: usize) -> bool {
        (at.saturating_sub(3)..at)
            .filter(|&n| reading.same_sentence(n, at) && !is_sex(reading, n))
            .any(|n| reading.traits[n].has(Trait::Owner))
            || reading
                .words
                .get(at + 1)
                // Swahili and other languages put "my" behind the noun.
                .is_some_and(|word| matches!(*word, "yangu" | "wangu" | "mi" | "na" | "m"))
            // "My wife and brother": the possessive counts for both.
            || (at > 0 && reading.words[at - 1] == "and")
    }

    fn is_joined(&self, reading: &Reading<'_>, at: usize) -> bool {
        (at.saturating_sub(2)..at).any(|n| reading.words[n] == "and")
    }

    /// Whether two persons are joined with only a joiner and a possessive in between: "The child
    /// and her brother".
    fn is_joined_to(&self, reading: &Reading<'_>, first: usize, other: usize) -> bool {
        let mut between = first + 1..other;
        other <= first + 4
            && reading.same_sentence(first, other)
            && between.clone().any(|n| reading.words[n] == "and")
            && between.all(|n| reading.words[n] == "and" || reading.traits[n].has(Trait::Owner))
    }

    /// Whether a person is only mentioned in passing: "bitten by the neighbour's dog", "quarrel
    /// with husband".
    fn is_aside(&self, reading: &Reading<'_>, at: usize) -> bool {
        // "Somebody stabbed me": the patient is the object.
        let objects =
            (at + 1..reading.len().min(at + 4)).take_while(|&n| reading.same_sentence(at, n));
        if objects
            .map(|n| reading.words[n])
            .any(|word| matches!(word, "me" | "him" | "us" | "am"))
        {
            return true;
        }
        if reports(reading, at) {
            return true;
        }
        let before = (at.saturating_sub(ASIDE_REACH)..at)
            .rev()
            .take_while(|&n| reading.same_sentence(n, at));
        // An age does not end the search: "Brought by his 12-year-old grandson".
        let mut is_aged = false;
        for n in before {
            let traits = reading.traits[n];
            if traits.has(Trait::Passive) {
                return !is_aged || reading.words[n] == "by";
            }
            if reading.tokens[n].is_number() || traits.has_any([Trait::Unit, Trait::SaysAge]) {
                is_aged |= !traits.has(Trait::Describing);
                continue;
            }
            // These words do not end the search either: "with his mother and her boyfriend".
            let plain = traits.has_any([Trait::Owner, Trait::Describing, Trait::Person])
                || matches!(reading.words[n], "a" | "an" | "one" | "and");
            if !plain {
                return false;
            }
        }
        false
    }
}

/// Returns the tokens at which the subject may change: a new clause, a word for a person, or the
/// rare "except me".
fn turns(reading: &Reading<'_>) -> Vec<usize> {
    if reading.marks.has_any(Mark::Except) {
        return (0..reading.len()).collect();
    }
    let mut turns = Vec::with_capacity(reading.len() / 2);
    turns.push(0);
    reading.each_of([Trait::Person, Trait::ClauseEnd], |at| {
        let names = reading.traits[at].has(Trait::Person);
        let turn = if names { at } else { at + 1 };
        if turns.last() != Some(&turn) {
            turns.push(turn);
        }
    });
    turns.pop_if(|turn| *turn == reading.len());
    turns
}

/// "34M": a man of 34, not the French word "m".
fn is_sex(reading: &Reading<'_>, at: usize) -> bool {
    at > 0 && reading.words[at] == "m" && reading.tokens[at - 1].is_number()
}

/// Whether a person only reports about the patient: "My mother says", "we saw".
fn reports(reading: &Reading<'_>, at: usize) -> bool {
    let next = reading.traits.get(at + 1);
    next.is_some_and(|traits| traits.has(Trait::Reporting)) && reading.same_sentence(at, at + 1)
}

/// Whether a relative without a possessive has a sentence of their own after the patient's: "Chest
/// pain. Father had hypertension".
fn is_told_of(reading: &Reading<'_>, at: usize) -> bool {
    let begins = at > 0 && !reading.same_sentence(at - 1, at);
    let begins_clause = at > 0 && reading.clause(at - 1) != reading.clause(at);
    let next = reading.words.get(at + 1);
    // A hereditary disease directly after it, as in a note: "Mother T2DM, on insulin".
    let inherits = || {
        reading
            .traits
            .get(at + 1)
            .is_some_and(|traits| traits.has(Trait::Inherited))
    };
    let told = |text: &&str| matches!(*text, "had" | "has" | "died" | "suffered" | "suffers");
    (begins && next.is_some_and(told)) || (begins_clause && inherits())
}

/// Whether it concerns an unborn child, which is reported for its mother.
fn is_of_unborn(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    let finding = concept.finding().map(|ix| base.finding(ix));
    finding.is_some_and(|finding| !finding.sex.allows(Sex::Male))
}

/// Whether a concept is an exposure or family history, which belongs to the patient even though
/// others are named in it.
fn is_about_others(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    match concept {
        ConceptRef::Risk(ix) => matches!(
            base.risk(ix).text.kind.as_str(),
            "family_history" | "exposure" | "social"
        ),
        _ => false,
    }
}
