//! Test results: "RDT positive", "malaria test came back negative", "tested positive for typhoid",
//! "creatinine 2.4 mg/dL", "CXR: right consolidation". The names of the tests and what they can
//! show come from the knowledge base; the phrasing of results is data.

use std::ops::Range;
use std::sync::Arc;

use lafiya_knowledge::{ConceptRef, KnowledgeBase, Person};
use lafiya_model::{Age, Choice};

use super::amounts::Units;
use super::covered_tokens::CoveredTokens;
use super::draft_mention::DraftMention;
use super::figures::Figures;
use super::marks::Mark;
use super::matches::Tokens;
use super::measures::{self, AGE_UNSAID};
use super::reading::Reading;
use super::surroundings::Written;
use super::traits::Trait;
use crate::fold::{self, Token};
use crate::phrases::PhraseSet;
use crate::words::Results;

/// The tests of a knowledge base, and the phrases for their results.
#[derive(Clone, Debug)]
pub(super) struct ResultReader {
    tests: PhraseSet<Test>,
    outcomes: PhraseSet<Choice>,
    /// What an abnormal test shows, with the tests that show it.
    shown: PhraseSet<ConceptRef>,
    not_shown: PhraseSet<()>,
    /// Words of reports that are findings of another body part when they are not part of a report.
    inside: PhraseSet<()>,
    ranges: PhraseSet<()>,
    before_number: PhraseSet<()>,
    between: PhraseSet<()>,
    joining: PhraseSet<()>,
    units: Units,
    figures: Arc<Figures>,
}

#[derive(Clone, Copy, Debug)]
struct Test {
    concept: ConceptRef,
    called: Called,
    /// Its result is a description of what is seen, not a word or a number.
    is_reported: bool,
    /// It is a blood test.
    of_blood: bool,
}

/// How a text refers to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    ByName,
    /// By an ambiguous abbreviation: counts only with a number and its unit.
    ByLetters,
    /// By what the test looks for: counts only directly next to its result.
    LookedFor,
}

/// The name of a test in a text: the tests with this name, and its tokens.
pub(super) struct TestName<'a> {
    tests: &'a [Test],
    tokens: Range<usize>,
}

/// All test names of a text, found once; most texts have none.
pub(super) type TestNames<'a> = Vec<TestName<'a>>;

/// A test named in the text.
struct NamedTest {
    test: Test,
    tokens: Range<usize>,
    outcome: Option<Choice>,
}

/// Sample ages at which limits may differ.
const AGES_PROBED: [Age; 6] = [
    Age::from_days(3),
    Age::from_months(6),
    Age::from_years(3),
    Age::from_years(10),
    Age::from_years(45),
    Age::from_years(70),
];
const CONFIDENCE: f64 = 0.95;
/// Confidence of a phrase that matches the words of the knowledge base exactly.
const WORD_FOR_WORD: f64 = 1.0;
/// What tokenization leaves of "+ve" and "-ve".
const VE: &str = "ve";
/// A result word that can also introduce a normal range.
const NORMAL: &str = "normal";
/// Relative offset applied to a number after "less than" or "more than", enough to fall on that
/// side of a limit.
const BEYOND: f64 = 0.001;
/// Maximum words before a test for a word that makes what follows a range: "normal potassium".
const LOOK_BACK: usize = 3;
/// Maximum words between a test and its result.
const BETWEEN_MAX: usize = 5;
/// Number of words after a test that are searched for what it shows.
const SHOWN_WITHIN: usize = 14;
/// The same limit if only what was looked for is named: "positive for malaria", "malaria was
/// positive".
const BESIDE_MAX: usize = 2;

impl ResultReader {
    pub(super) fn new(base: &KnowledgeBase, words: &Results, figures: Arc<Figures>) -> Self {
        let mut tests = PhraseSet::default();
        let mut shown = PhraseSet::default();
        let is_reported = |concept: ConceptRef| {
            concept
                .lab()
                .is_some_and(|ix| !base.lab(ix).text.shows.is_empty())
        };
        let of_blood = |concept: ConceptRef| {
            concept
                .lab()
                .is_some_and(|ix| words.blood_categories.contains(&base.lab(ix).text.category))
        };
        let mut add = |name: &str, concept, called| {
            let test = Test {
                concept,
                called,
                is_reported: is_reported(concept),
                of_blood: of_blood(concept),
            };
            tests.add(&fold::words(name), test);
        };
        for ix in base.lab_indices() {
            let test = &base.lab(ix).text;
            if words.passed_over.contains(&test.id) {
                continue;
            }
            let names = [&test.name, &test.common_name];
            for name in names.into_iter().chain(&test.synonyms) {
                add(name, ConceptRef::Lab(ix), Called::ByName);
            }
            for phrase in &test.shows {
                shown.add(&fold::words(phrase), ConceptRef::Lab(ix));
            }
        }
        let lists = [
            (&words.also, Called::ByName),
            (&words.letters, Called::ByLetters),
            (&words.looked_for, Called::LookedFor),
        ];
        for (list, called) in lists {
            for test in list {
                if let Some(concept) = base.resolve(&test.test) {
                    test.names
                        .iter()
                        .for_each(|name| add(name, concept, called));
                }
            }
        }
        let mut outcomes = PhraseSet::default();
        for (phrases, choice) in [
            (&words.present, Choice::Present),
            (&words.absent, Choice::Absent),
        ] {
            for phrase in phrases {
                outcomes.add_phrase(phrase, choice);
            }
        }
        Self {
            tests,
            outcomes,
            shown,
            not_shown: PhraseSet::of(&words.not_shown),
            inside: PhraseSet::of(&words.inside),
            ranges: PhraseSet::of(&words.ranges),
            before_number: PhraseSet::of(&words.before_number),
            between: PhraseSet::of(&words.between),
            joining: PhraseSet::of(&words.joining),
            units: Units::new(words),
            figures,
        }
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        let told = self.outcomes.vocabulary().chain(self.shown.vocabulary());
        self.tests.vocabulary().chain(told)
    }

    /// Whether a word begins the name of a test.
    pub(super) fn begins_test(&self, key: u64) -> bool {
        self.tests.begun(key).is_some()
    }

    /// Whether a word begins a result.
    pub(super) fn begins_outcome(&self, key: u64) -> bool {
        self.outcomes.begun(key).is_some() || self.shown.begun(key).is_some()
    }

    /// Returns the tests with results in the text. A test name that a finding in `drafts` covers
    /// is skipped ("pregnancy test positive" is already a pregnancy); `covered` are the covered
    /// tokens.
    pub(super) fn find(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        (names, covered): (TestNames<'_>, &CoveredTokens),
        drafts: &[DraftMention],
    ) -> Vec<DraftMention> {
        if !reading.has_any([Trait::Outcome, Trait::Number]) {
            return Vec::new();
        }
        let mut named = named(names, written, covered);
        if named.is_empty() {
            return Vec::new();
        }
        // In reverse: the outcome of a test may depend on that of the next.
        for n in (0..named.len()).rev() {
            let next = named
                .get(n + 1)
                .map(|name| (name.tokens.start, name.outcome));
            named[n].outcome = self.outcome(reading, &named[n], next);
        }
        let person = measures::person(written.base, written.patient, drafts);
        let mut results = Vec::new();
        named.retain(|name| written.surroundings.is_now(reading, name.tokens.start));
        let numbered: Vec<(usize, u32)> = named
            .iter()
            .filter(|name| self.number_behind(reading, name.tokens.end).is_some())
            .map(|name| (name.tokens.start, reading.sentence(name.tokens.start)))
            .collect();
        let mut behind = None;
        for name in named {
            // "AST and ALT 250 and 180": it is ambiguous which number belongs to which test.
            let shares = behind.is_some_and(|(test, end)| {
                test != name.test.concept && self.joins(reading, end..name.tokens.start)
            });
            behind = Some((name.test.concept, name.tokens.end));
            // "Urinalysis: leucocytes neg" is not about blood.
            let elsewhere = || {
                name.test.of_blood && !written.surroundings.is_of_blood(reading, name.tokens.start)
            };
            if let Some(choice) = name.outcome {
                if elsewhere() {
                    continue;
                }
                let core = name.tokens.collect();
                results.push(DraftMention::new(
                    name.test.concept,
                    core,
                    choice,
                    CONFIDENCE,
                ));
            } else if !shares {
                let place = (name.tokens.start, reading.sentence(name.tokens.start));
                let others = numbered.iter().filter(|other| **other != place);
                let listed = heads_item(reading, name.tokens.start)
                    && others.clone().any(|other| other.1 == place.1);
                self.measured(reading, written, (&person, listed), &name, &mut results);
            }
        }
        results
    }

    /// Drops uncertain findings in the opening words of a report ("CT of the head shows" is not a
    /// birth, "blood smear shows" is not bleeding). Also drops what a report describes inside the
    /// body if it has another meaning elsewhere: the "cavity" of a chest x-ray is not in a tooth,
    /// and the "collapse" of a vertebra is not fainting.
    pub(super) fn drop_findings_of_names(
        &self,
        reading: &Reading<'_>,
        names: &TestNames<'_>,
        drafts: &mut Vec<DraftMention>,
    ) {
        for TestName {
            tests,
            tokens: name,
        } in names
        {
            if !tests.first().is_some_and(|test| test.is_reported) {
                continue;
            }
            let mut end = name.end;
            while let length @ 1.. = self.between.length_at(&reading.keys, end) {
                end += length;
            }
            let opening = name.start..end;
            let sentence = reading.sentence_of(name.start);
            let report = end..sentence.end.min(end + SHOWN_WITHIN);
            drafts.retain(|mention| {
                let nearly = mention.confidence < WORD_FOR_WORD;
                let in_opening = || mention.core.iter().any(|at| opening.contains(at));
                let seen_inside = || {
                    let first = mention.first();
                    let shown = self.shown.longest_at(&reading.keys, first);
                    let by_test = |shown: &[ConceptRef]| {
                        tests.iter().any(|test| shown.contains(&test.concept))
                    };
                    report.contains(&first)
                        && mention.is_finding()
                        && shown.is_some_and(|(_, shown)| by_test(shown))
                        && self.inside.length_at(&reading.keys, first) >= mention.core.len()
                };
                !(nearly && in_opening() || seen_inside())
            });
        }
    }

    /// Returns the tests that a text names, with their tokens.
    pub(super) fn names(&self, reading: &Reading<'_>) -> TestNames<'_> {
        let mut names = TestNames::new();
        let mut at = reading.next_of(0, [Trait::Test]);
        while at < reading.len() {
            let mut behind = at + 1;
            if let Some((length, tests)) = self.tests.longest_at(&reading.keys, at) {
                behind = at + length;
                let tokens = at..behind;
                names.push(TestName { tests, tokens });
            }
            at = reading.next_of(behind, [Trait::Test]);
        }
        names
    }

    /// Adds what the number after a test means.
    fn measured(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        (person, listed): (&Person, bool),
        named: &NamedTest,
        results: &mut Vec<DraftMention>,
    ) {
        let NamedTest { test, tokens, .. } = named;
        let own = written.surroundings.is_own(reading, tokens.start);
        let before = &reading.words[tokens.start.saturating_sub(LOOK_BACK)..tokens.start];
        if test.called == Called::LookedFor || !own || before.contains(&NORMAL) {
            return;
        }
        let number = self.number_behind(reading, tokens.end);
        let Some((at, times)) = number.filter(|(at, _)| !written.in_time[*at]) else {
            return;
        };
        let begin = reading.tokens[at].bytes().start;
        let text = &written.text[begin..];
        let amount = self.units.amount(text, written.base, test.concept);
        // "Na 138, K 6.8": an abbreviation in a list of values needs no unit.
        let is_clear = listed || test.called != Called::ByLetters;
        let amount = amount.filter(|amount| amount.has_unit() || is_clear);
        let Some(amount) = amount else {
            return;
        };
        let amount = match is_below_zero(written.text, begin) {
            true => amount.below_zero(written.base, test.concept),
            false => amount,
        };
        let amount = amount.beyond(times);
        let Some((mut derived, length)) = amount.says(written.base, test.concept, person) else {
            return;
        };
        if written.patient.0.is_none() {
            // If the age is unknown, a finding is absent only if it would be absent at every age.
            let persons = AGES_PROBED.map(|age| Person { age, ..*person });
            let told = persons.map(|person| amount.says(written.base, test.concept, &person));
            let told = told.iter().flatten();
            derived.absent.retain(|concept| {
                told.clone()
                    .all(|(told, _)| !told.present.contains(concept))
            });
        }
        let within = |at: &usize| reading.tokens[*at].bytes().start < begin + length;
        let end = (at..reading.len()).take_while(within).last();
        let core: Tokens = tokens.clone().chain(at..=end.unwrap_or(at)).collect();
        let present = derived
            .present
            .into_iter()
            .map(|concept| (concept, Choice::Present));
        let absent = derived
            .absent
            .into_iter()
            .map(|concept| (concept, Choice::Absent));
        // Of the absences, only that of the test itself is kept: nobody would mention the other
        // findings that a value rules out.
        let absent = absent.filter(|(concept, _)| *concept == test.concept);
        for (concept, choice) in present.chain(absent) {
            results.push(DraftMention {
                derived: true,
                ..DraftMention::new(concept, core.clone(), choice, CONFIDENCE)
            });
        }
    }

    /// Whether only words that join two tests are in between.
    fn joins(&self, reading: &Reading<'_>, mut between: Range<usize>) -> bool {
        !between.is_empty()
            && between.all(|at| {
                let joins = self.joining.length_at(&reading.keys, at) > 0;
                joins || matches!(reading.words[at], "(" | ")")
            })
    }

    /// Returns the number after the name of a test, and its factor: "less than 100" is slightly
    /// below 100.
    fn number_behind(&self, reading: &Reading<'_>, from: usize) -> Option<(usize, f64)> {
        let (mut at, mut times) = (from, 1.0);
        while at < reading.len() && at - from <= BETWEEN_MAX {
            if reading.tokens[at].is_number() {
                return Some((at, times));
            }
            match reading.words[at] {
                "<" | "less" => times = 1.0 - BEYOND,
                ">" | "more" => times = 1.0 + BEYOND,
                _ => {}
            }
            let sign = usize::from(matches!(reading.words[at], ")" | "+"));
            let lengths = [
                sign,
                self.figures.link_at(reading, at),
                self.between.length_at(&reading.keys, at),
                self.before_number.length_at(&reading.keys, at),
            ];
            match lengths.into_iter().max()? {
                0 => return None,
                length => at += length,
            }
        }
        None
    }

    /// Returns the result of a test: stated after it, shared with the next test of a list, or
    /// stated directly before it.
    fn outcome(
        &self,
        reading: &Reading<'_>,
        named: &NamedTest,
        next: Option<(usize, Option<Choice>)>,
    ) -> Option<Choice> {
        let most = match named.test.called {
            Called::ByName => BETWEEN_MAX,
            Called::LookedFor => BESIDE_MAX,
            Called::ByLetters => return None,
        };
        let sentence = reading.sentence_of(named.tokens.start);
        let end = next.map_or(sentence.end, |(start, _)| start.min(sentence.end));
        let mut at = named.tokens.end;
        while at < end && at - named.tokens.end <= most {
            if let Some((choice, length)) = self.outcome_at(reading, at) {
                return self.later(reading, at + length..end).or(Some(choice));
            }
            match self.between.length_at(&reading.keys, at) {
                0 => break,
                length => at += length,
            }
        }
        if let Some((start, outcome @ Some(_))) = next
            && (named.tokens.end..start).all(|at| self.joining.length_at(&reading.keys, at) > 0)
        {
            return outcome;
        }
        let from = named
            .tokens
            .start
            .saturating_sub(BESIDE_MAX)
            .max(sentence.start);
        let before = (from..named.tokens.start).rev();
        let mut quiet = before.take_while(|at| {
            *at + 1 == named.tokens.start || self.between.length_at(&reading.keys, *at + 1) > 0
        });
        // A sign before a test belongs to what precedes it: "widal +, RDT". "+ve UPT" starts with
        // its own sign.
        let told_before = quiet.find_map(|at| {
            let signed = at > from && reading.words[at] == VE && reading.words[at - 1] == "+";
            let told = self.outcome_at(reading, if signed { at - 1 } else { at });
            let told = told.filter(|_| !reading.tokens[at].is_sign());
            told.map(|(choice, _)| choice)
        });
        told_before.or_else(|| {
            let shows = self.shows(reading, named.test.concept, named.tokens.end..end);
            shows.then_some(Choice::Present)
        })
    }

    /// Returns a current result that follows an earlier one: "negative last year, now reactive".
    pub(super) fn later(&self, reading: &Reading<'_>, behind: Range<usize>) -> Option<Choice> {
        let now = reading.marks.first(behind.clone(), Mark::Now)?;
        let mut at = now + 1;
        while at < behind.end {
            if let Some((choice, _)) = self.outcome_at(reading, at) {
                return Some(choice);
            }
            match self.between.length_at(&reading.keys, at) {
                0 => break,
                length => at += length,
            }
        }
        // The result may also precede the word for now: "Negative in January, positive now".
        let before = now.checked_sub(1).filter(|at| *at >= behind.start)?;
        self.outcome_at(reading, before).map(|(choice, _)| choice)
    }

    /// Whether a report names what the test shows when it is abnormal. Nothing after a negation
    /// counts: one "no" may negate a whole list. An absent sign does not make a test normal either.
    fn shows(&self, reading: &Reading<'_>, test: ConceptRef, behind: Range<usize>) -> bool {
        // "Chest x-ray and a lump in the neck" is a list, not a result.
        if self.joining.length_at(&reading.keys, behind.start) > 0 {
            return false;
        }
        for at in behind.take(SHOWN_WITHIN) {
            let shown = self.shown.longest_at(&reading.keys, at);
            if shown.is_some_and(|(_, tests)| tests.contains(&test)) {
                return true;
            }
            if self.not_shown.length_at(&reading.keys, at) > 0 {
                return false;
            }
        }
        false
    }

    fn is_range_at(&self, reading: &Reading<'_>, at: usize) -> bool {
        let number = reading.tokens.get(at).is_some_and(Token::is_number);
        number || self.ranges.length_at(&reading.keys, at) > 0
    }

    /// Returns the result that begins at a token, and its length.
    pub(super) fn outcome_at(&self, reading: &Reading<'_>, at: usize) -> Option<(Choice, usize)> {
        let (length, [choice, ..]) = self.outcomes.longest_at(&reading.keys, at)? else {
            return None;
        };
        let begins_range = reading.words[at] == NORMAL && self.is_range_at(reading, at + length);
        (!begins_range).then_some((*choice, length))
    }
}

/// Selects among tests that share a name: the one specific to the patient's age if there is one
/// ("bilirubin" of a newborn), or else the first.
fn of_age(tests: &[Test], written: &Written<'_>) -> Option<Test> {
    let own = || {
        let age = written.patient.0.filter(|_| tests.len() > 1)?;
        tests.iter().find(|test| {
            let ages = test.concept.lab().map(|ix| written.base.lab(ix).ages);
            ages.is_some_and(|ages| ages.contains(age) && !ages.contains(AGE_UNSAID))
        })
    };
    own().or(tests.first()).copied()
}

/// Whether a list item begins here: after a sign, after a number, or at the start of the text.
pub(super) fn heads_item(reading: &Reading<'_>, at: usize) -> bool {
    at == 0 || {
        let before = reading.tokens[at - 1];
        before.is_sign() || before.is_number()
    }
}

/// Whether a minus sign directly precedes a number, and no word precedes the minus sign, which
/// would make it a hyphen.
fn is_below_zero(text: &str, number: usize) -> bool {
    let before = text[..number].strip_suffix(['-', '−', '–']);
    before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}

/// Returns the names that no finding covers, each with the test that fits the age.
fn named(names: TestNames<'_>, written: &Written<'_>, covered: &CoveredTokens) -> Vec<NamedTest> {
    let is_free =
        |test_name: &TestName<'_>| !covered.tokens()[test_name.tokens.clone()].contains(&true);
    let free = names.into_iter().filter(is_free);
    let named = free.filter_map(|TestName { tests, tokens }| {
        Some(NamedTest {
            test: of_age(tests, written)?,
            tokens,
            outcome: None,
        })
    });
    named.collect()
}
