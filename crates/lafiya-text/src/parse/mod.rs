//! Parses free text: which concepts it mentions, whether the patient has them, how severe they are
//! and for how long.
//!
//! The steps, in order: fold and correct spelling (`reading`), find phrases (`lexicon`, `matches`),
//! share words among them (`compose`), parse numbers and medicines, apply negation, uncertainty,
//! condition, past and subject, then assign severity and duration.

mod allergies;
mod amounts;
mod animals;
mod answers;
mod apart;
mod bags;
mod begins;
mod boxes;
mod co_occurrence;
mod compose;
mod concept_set;
mod counted_time;
mod covered_tokens;
mod current_danger;
mod degrees;
mod denial_ends;
mod dictionary;
mod double_negation;
mod draft_mention;
mod durations;
mod endings;
mod excepted;
mod family_history_lines;
mod feared;
mod figures;
mod forms;
mod gestation;
mod history;
mod levels;
mod lexicon;
mod lists;
mod marks;
mod matches;
mod measures;
mod medicines;
mod narration;
mod numbers;
mod ordinal_time;
mod past;
mod persons;
mod plausible;
mod positional_negation;
mod postpartum;
mod reading;
mod recovery;
mod results;
mod scope;
mod severity;
mod shared_illness;
mod spelling;
mod subject;
mod surroundings;
mod tested;
mod time;
mod traits;
mod uncertainty;

use std::sync::Arc;

use jiff::civil::Date;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Choice, Severity, Sex};

use crate::canon::Canon;
use crate::fold::{self, Characters, Folded};
use crate::hash::FastMap;
use crate::words;
use allergies::AllergyReader;
use co_occurrence::CoOccurrence;
use compose::Composer;
use covered_tokens::CoveredTokens;
use dictionary::{Dictionary, Sources};
use draft_mention::DraftMention;
use figures::Figures;
use forms::Forms;
use gestation::Gestation;
use lexicon::Lexicon;
use marks::MarkWords;
use matches::{Choosing, Languages};
use measures::MeasureReader;
use medicines::MedicineReader;
use postpartum::Postpartum;
use reading::Reading;
use recovery::Recoveries;
use results::ResultReader;
use scope::Scope;
use severity::Grades;
use spelling::Spelling;
use subject::Subjects;
use surroundings::{Surroundings, Written};
use tested::Tested;
use time::Times;

/// What is known besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseContext {
    /// The patient's age. If it is missing, an age in the text is used.
    pub age: Option<Age>,
    /// The patient's sex.
    pub sex: Option<Sex>,
    /// The day the text was written, needed to convert "since Sunday" to a number of days.
    pub evaluated_at: Option<Date>,
}

/// A concept that the text mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The concept.
    pub concept: ConceptRef,
    /// Offset of the first character, counted in characters.
    pub start: usize,
    /// Offset after the last character.
    pub end: usize,
    /// The words as written.
    pub orth: String,
    /// Whether the patient has it.
    pub choice: Choice,
    /// The severity, if stated.
    pub severity: Option<Severity>,
    /// The duration in days, if it can be derived.
    pub duration_days: Option<u32>,
    /// A measured value as written, with its unit.
    pub value: Option<String>,
    /// How reliably the words mean the concept, from 0 to 1.
    pub confidence: f64,
}

/// The result of parsing a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// In text order; each concept once.
    pub mentions: Vec<Mention>,
    /// Tests with results in the text, in text order. Present means positive, or the test's
    /// equivalent.
    pub tests: Vec<Mention>,
    /// The age stated in the text; `None` if another one is already known.
    pub age: Option<Age>,
    /// True if something was found and nothing was guessed.
    pub obvious: bool,
}

/// The parser. Built once from a knowledge base, and only valid for that one.
#[derive(Clone, Debug)]
pub struct Parser {
    canon: Canon,
    spelling: Spelling,
    dictionary: Dictionary,
    lexicon: Lexicon,
    /// Cue words, mapped to the languages they indicate.
    languages: FastMap<String, Vec<String>>,
    marks: MarkWords,
    composer: Composer,
    company: CoOccurrence,
    measures: MeasureReader,
    medicines: MedicineReader,
    allergies: AllergyReader,
    results: ResultReader,
    surroundings: Surroundings,
    tested: Tested,
    gestation: Gestation,
    childbed: Postpartum,
    scope: Scope,
    subjects: Subjects,
    grades: Grades,
    forms: Forms,
    recoveries: Recoveries,
    times: Times,
}

/// Initial capacity for findings from numbers and medicines.
const MADE: usize = 32;
/// From this confidence on, a mention is certain.
const SURE: f64 = 0.9;

impl Parser {
    /// Builds the parser for a knowledge base.
    pub fn build(base: &KnowledgeBase) -> Self {
        Self::build_over(base, |_| true)
    }

    /// Builds a parser with only the phrases that `keep` accepts, to measure how the cost grows
    /// with their number.
    pub fn build_over(base: &KnowledgeBase, keep: impl Fn(&str) -> bool) -> Self {
        let canon = Canon::new(&words::same(), &words::fillers());
        let lexicon = Lexicon::build(base, &canon, keep);
        let result_words = words::results();
        let measure_words = words::measures();
        let figures = Arc::new(Figures::new(&measure_words));
        let measures = MeasureReader::new(base, &measure_words, Arc::clone(&figures));
        let medicine_words = words::medicines();
        let medicines = MedicineReader::new(base, &medicine_words);
        let results = ResultReader::new(base, &result_words, Arc::clone(&figures));
        let (scope_words, person_words) = (words::scope(), words::persons());
        let (gestation_words, body_words) = (words::gestation(), words::body());
        let ignored = words::ignored();
        let scope = Scope::new((&scope_words, &ignored, &body_words), base);
        let marks = MarkWords::new(&scope_words, &person_words, &gestation_words);
        let subjects = Subjects::new(&person_words, &words::family(), base);
        let grades = Grades::new(&words::severity());
        let times = Times::new(&words::time());
        let forms = Forms::new(base, &words::forms(), &scope_words, figures);
        let mut languages: FastMap<String, Vec<String>> = FastMap::default();
        for (language, cues) in words::languages() {
            for cue in cues {
                languages.entry(cue).or_default().push(language.clone());
            }
        }
        let well = ignored.well.values().flatten().chain(&ignored.phrases);
        let well: Vec<String> = well.flat_map(|phrase| fold::words(phrase)).collect();
        // Words that no phrase of the knowledge base has, but that a step looks for. The spelling
        // corrector must not change them into other words.
        let others = measures
            .vocabulary()
            .chain(medicines.vocabulary())
            .chain(results.vocabulary())
            .chain(marks.vocabulary())
            .chain(scope.vocabulary())
            .chain(subjects.vocabulary())
            .chain(grades.vocabulary())
            .chain(forms.vocabulary())
            .chain(times.vocabulary())
            .chain(
                gestation_words
                    .ordinals
                    .values()
                    .flatten()
                    .map(String::as_str),
            )
            .chain(languages.keys().map(String::as_str))
            .chain(well.iter().map(String::as_str))
            .chain(canon.vocabulary());
        let spelling = Spelling::build(base, lexicon.vocabulary(), others);
        let composer = Composer::new(&body_words, &canon, base);
        let sources = Sources {
            canon: &canon,
            lexicon: &lexicon,
            composer: &composer,
            times: &times,
            languages: &languages,
            marks: &marks,
            scope: &scope,
            measures: &measures,
            medicines: &medicines,
            results: &results,
            subjects: &subjects,
            grades: &grades,
            forms: &forms,
        };
        Self {
            dictionary: Dictionary::build(&spelling, sources),
            composer,
            company: CoOccurrence::new(base, &body_words),
            canon,
            spelling,
            lexicon,
            languages,
            marks,
            measures,
            medicines,
            allergies: AllergyReader::new(base, &medicine_words.allergies),
            results,
            surroundings: Surroundings::new(&result_words),
            tested: Tested::new(&result_words),
            gestation: Gestation::new(base, &gestation_words),
            childbed: Postpartum::new(base, &gestation_words),
            scope,
            subjects,
            grades,
            forms,
            recoveries: Recoveries::new(base, &ignored),
            times,
        }
    }

    fn sources(&self) -> Sources<'_> {
        Sources {
            canon: &self.canon,
            lexicon: &self.lexicon,
            composer: &self.composer,
            times: &self.times,
            languages: &self.languages,
            marks: &self.marks,
            scope: &self.scope,
            measures: &self.measures,
            medicines: &self.medicines,
            results: &self.results,
            subjects: &self.subjects,
            grades: &self.grades,
            forms: &self.forms,
        }
    }

    /// Parses a text. The knowledge base must be the one the parser was built from.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Choice;
    /// use lafiya_text::{ParseContext, Parser};
    ///
    /// let base = lafiya_content::load()?;
    /// let parser = Parser::build(&base);
    /// let parsed = parser.parse(&base, "fever for 3 days, no cough", &ParseContext::default());
    /// let read: Vec<_> = parsed.mentions.iter().map(|mention| {
    ///     (base.id_of(mention.concept), mention.choice, mention.duration_days)
    /// }).collect();
    /// assert_eq!(read[0], ("s_fever", Choice::Present, Some(3)));
    /// assert_eq!(read[1], ("s_cough", Choice::Absent, None));
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
    pub fn parse(&self, base: &KnowledgeBase, text: &str, context: &ParseContext) -> Parsed {
        let mut folded = Folded::of(text);
        let mut tokens = folded.tokens();
        self.canon.without_points(&mut tokens);
        let met = self
            .dictionary
            .look_up((&folded, &tokens), &self.spelling, self.sources());
        let reading = Reading::new(tokens, &met, self.sources());
        let mut told = self.times.find(&reading, context.age, context.evaluated_at);
        let mut in_time = vec![false; reading.len()];
        let places = told.times.iter().map(|time| time.first..time.end);
        for place in places.chain(told.others.iter().cloned()) {
            in_time[place].fill(true);
        }
        // If the age is known in whole years, the text may still supply the months.
        let is_finer = |told: &Age| {
            let years = told.years();
            context
                .age
                .is_none_or(|known| known == Age::from_years(years))
        };
        let told_age = told.age.filter(is_finer);
        let age = told_age.or(context.age);
        let choosing = Choosing {
            times: in_time,
            base,
            lexicon: &self.lexicon,
            sex: context.sex,
            // An age that only the text states may belong to another person.
            age: age.filter(|_| context.age.is_some()),
            languages: Languages::of(&reading, &self.languages),
        };
        // The order of the steps below matters: each relies on the findings and marks of those
        // before it.
        let mut found = matches::find(&reading, &choosing);
        self.composer.apply(&reading, &choosing, &mut found);

        let mut drafts: Vec<DraftMention> = Vec::with_capacity(found.len() + MADE);
        for matched in found {
            DraftMention::enter(matched, &mut drafts);
        }
        // Before negation: a form such as "Fever: no" says of a finding whether it is there.
        self.forms.apply((text, &reading), &mut drafts);
        // Before the measures: the name of a test may contain the name of a finding.
        let test_names = self.results.names(&reading);
        self.results
            .drop_findings_of_names(&reading, &test_names, &mut drafts);
        self.tested
            .apply(&reading, base, &self.results, &mut drafts);
        let written = Written {
            text,
            base,
            patient: (age, context.sex),
            in_time: &choosing.times,
            surroundings: &self.surroundings,
        };
        self.measures.apply(&reading, &written, &mut drafts);
        self.medicines.apply(&reading, base, &mut drafts);
        self.medicines.reasons(&reading, &mut drafts);
        self.medicines.overdose(&reading, &mut drafts);
        // How far a negation reaches depends on the words that findings cover, so the findings of
        // all readers must be there.
        let mut covered = CoveredTokens::of(&reading, &drafts);
        self.scope.apply(
            (text, &reading, &choosing.times),
            &covered,
            (age, context.evaluated_at),
            &mut drafts,
        );
        // After negation, because it corrects what was denied and then tested again.
        Tested::retell(&reading, base, &self.results, &mut drafts);
        feared::drop(&reading, base, &mut drafts);
        self.allergies.drop((text, &reading), base, &mut drafts);
        self.gestation
            .apply(&reading, base, (age, context.sex), &mut told, &mut drafts);
        covered.note(&drafts);
        let named = (test_names, &covered);
        let results = self.results.find(&reading, &written, named, &drafts);
        drafts.extend(results);
        let patient = (age, context.sex);
        self.subjects.apply(&reading, base, patient, &mut drafts);
        // A test result has no duration and no severity.
        let tests = drafts.extract_if(.., |mention| mention.concept.lab().is_some());
        let tests: Vec<DraftMention> = tests.collect();
        if !tests.is_empty() {
            covered.recount();
        }
        covered.note(&drafts);
        self.grades.apply(&reading, &covered, &mut drafts);
        self.recoveries.apply(&mut drafts);
        self.company.apply(&mut drafts);
        self.childbed.apply(&reading, &told, patient, &mut drafts);
        let times = (&self.times, told.times.as_slice());
        // Durations come last, when it is decided which findings the patient has.
        durations::attach(&reading, times, &covered, &mut drafts);
        let is_doubted =
            plausible::drop_implausible(base, context.age, &told.gestations, &mut drafts);
        let mentions = mentions(text, &reading, drafts);
        let obvious = !is_doubted
            && !mentions.is_empty()
            && mentions
                .iter()
                .all(|mention| mention.confidence >= SURE && mention.choice != Choice::Unknown);
        Parsed {
            mentions,
            tests: self::mentions(text, &reading, tests),
            age: told_age,
            obvious,
        }
    }
}

/// Resolves the ids of a list that exist in a knowledge base.
fn known<C: FromIterator<ConceptRef>>(base: &KnowledgeBase, ids: &[String]) -> C {
    ids.iter().filter_map(|id| base.resolve(id)).collect()
}

/// Returns each concept once, in text order.
fn mentions(text: &str, reading: &Reading<'_>, mut drafts: Vec<DraftMention>) -> Vec<Mention> {
    drafts.retain(|mention| mention.dropped.is_none());
    // Fast path: most texts contain no test.
    if drafts.is_empty() {
        return Vec::new();
    }
    // The index at which each concept was first found; later ones are merged into it.
    let mut places: FastMap<ConceptRef, usize> = FastMap::default();
    places.reserve(drafts.len());
    let mut kept: Vec<usize> = Vec::with_capacity(drafts.len());
    for n in 0..drafts.len() {
        let (before, rest) = drafts.split_at_mut(n);
        let place = *places.entry(rest[0].concept).or_insert(n);
        if place < n {
            merge(&mut before[place], &mut rest[0]);
        } else {
            kept.push(n);
        }
    }
    // Nearly sorted already: findings made from numbers come after the others.
    kept.sort_by_key(|&n| drafts[n].ends);
    let mut characters = Characters::of(text);
    kept.into_iter()
        .map(|n| mention((text, &mut characters), reading, &mut drafts[n]))
        .collect()
}

/// Merges two findings of the same concept: present outweighs absent, and missing details are
/// filled in.
fn merge(known: &mut DraftMention, again: &mut DraftMention) {
    // "No fever now" after "fever" describes the patient today, so it outweighs; a finding that is
    // only the reason for a medicine weighs less.
    let rank = |mention: &DraftMention| match mention.choice {
        Choice::Absent if mention.now => -1,
        Choice::Present if !mention.reason => 0,
        Choice::Absent => 1,
        Choice::Present => 2,
        Choice::Unknown => 3,
    };
    let severity = known.severity.or(again.severity);
    let duration = known
        .duration
        .filter(|duration| duration.0.is_some())
        .or(again.duration)
        .or(known.duration);
    if rank(again) < rank(known) {
        // Swapped and not copied: the kept one stays at the place of its first mention, which the
        // caller has noted.
        std::mem::swap(known, again);
    }
    if known.choice == Choice::Present {
        known.severity = severity;
        known.duration = duration;
    }
}

fn mention(
    (text, characters): (&str, &mut Characters<'_>),
    reading: &Reading<'_>,
    mention: &mut DraftMention,
) -> Mention {
    let (first, last) = (
        reading.tokens[mention.first()],
        reading.tokens[mention.last()],
    );
    let place = first.bytes().start..last.bytes().end;
    let present = mention.choice == Choice::Present;
    Mention {
        concept: mention.concept,
        start: characters.before(place.start),
        end: characters.before(place.end),
        orth: text[place].to_owned(),
        choice: mention.choice,
        severity: mention.severity.filter(|_| present),
        duration_days: mention
            .duration
            .and_then(|duration| duration.0)
            .filter(|_| present),
        value: mention.value.take(),
        confidence: mention.confidence,
    }
}
