//! The word lists: readable files under `words/`, compiled into the binary and parsed once.
//!
//! A new phrasing is a data change here or in `knowledge/`. The files contain words, not rules.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// `same.toml`: words and phrases that mean the same.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Same {
    pub words: BTreeMap<String, Vec<String>>,
    pub phrases: BTreeMap<String, Vec<String>>,
    pub opposite: Vec<Opposite>,
}

/// Two words that are opposites.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opposite {
    pub sides: [String; 2],
}

/// `fillers.toml`: words without meaning of their own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fillers {
    pub fillers: Vec<String>,
    pub modifiers: Vec<String>,
    pub persons: Vec<String>,
    pub shorthand: Vec<String>,
    pub verbs: Vec<String>,
    pub nouns: Vec<String>,
    pub before_verbs: Vec<String>,
    pub abbreviations: Vec<String>,
    pub labels: Vec<String>,
    pub adjectives: Vec<String>,
    pub trades_after: Vec<String>,
    pub only_after: BTreeMap<String, Vec<String>>,
}

/// `scope.toml`: words that change the status of a finding, such as negations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScopeWords {
    pub negators: Vec<String>,
    pub opening_negators: Vec<String>,
    pub paired_negators: Vec<String>,
    pub before_paired: Vec<String>,
    pub frame_before: Vec<String>,
    pub frame_behind: Vec<String>,
    pub denials: Vec<String>,
    pub list_negators: Vec<String>,
    pub now: Vec<String>,
    pub not_negators: Vec<String>,
    pub after_negators: Vec<String>,
    pub before_after_negators: Vec<String>,
    pub behind_after_negators: Vec<String>,
    pub sought: Vec<String>,
    pub without: Vec<String>,
    pub moving: Vec<String>,
    pub unsaid: Vec<String>,
    pub untils: Vec<String>,
    pub befores: Vec<String>,
    pub so_far: Vec<String>,
    pub still_denied: Vec<String>,
    pub knowing: Vec<String>,
    pub mattering: Vec<String>,
    pub noes: Vec<String>,
    pub taking_back: Vec<String>,
    pub asking: Vec<String>,
    pub asking_first: Vec<String>,
    pub revivals: Vec<String>,
    pub own_endings: BTreeMap<String, Vec<String>>,
    pub list_openers: Vec<String>,
    pub tellings: Vec<String>,
    pub endings: Vec<String>,
    pub before_endings: Vec<String>,
    pub before_own_endings: Vec<String>,
    pub behind_own_endings: Vec<String>,
    pub helped_by: Vec<String>,
    pub of_several: Vec<String>,
    pub sequels: Vec<String>,
    pub turned_into: Vec<String>,
    pub turned_to: Vec<String>,
    pub echoes: Vec<String>,
    pub doubts: Vec<String>,
    pub doubt_ends: Vec<String>,
    pub doubt_goes_on: Vec<String>,
    pub hypotheticals: Vec<String>,
    pub fears: Vec<String>,
    pub questions: Vec<String>,
    pub pasts: Vec<String>,
    pub formers: Vec<String>,
    pub thens: Vec<String>,
    pub histories: Vec<String>,
    pub past_headings: Vec<String>,
    pub previous: Vec<String>,
    pub history_times: Vec<String>,
    pub other_pregnancies: Vec<String>,
    pub of_now: Vec<String>,
    pub age_leads: Vec<String>,
    pub age_units: Vec<String>,
    pub this_pregnancy: Vec<String>,
    pub never_again: Vec<String>,
    pub anew: Vec<String>,
    pub past_verbs: Vec<String>,
    pub begins: Vec<String>,
    pub barriers: Vec<String>,
    pub joiners: Vec<String>,
    pub alternatives: Vec<String>,
    pub statement_verbs: Vec<String>,
}

/// `persons.toml`: words that show whom a sentence is about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonWords {
    pub first: Vec<String>,
    pub third: Vec<String>,
    pub he: Vec<String>,
    pub she: Vec<String>,
    pub introducing: Vec<String>,
    pub complaining: Vec<String>,
    pub children: Vec<String>,
    pub kin: Vec<String>,
    pub partners: Vec<String>,
    pub others: Vec<String>,
    pub except: Vec<String>,
    pub including: Vec<String>,
    pub animals: Vec<String>,
    pub stricken: Vec<String>,
    pub biting: Vec<String>,
    pub bites: BTreeMap<String, Vec<String>>,
    pub crowds: Vec<String>,
    pub reporting: Vec<String>,
    pub passive: Vec<String>,
    pub described: Vec<String>,
    pub possessives: Vec<String>,
    pub family_headings: Vec<String>,
    pub line_ends: Vec<String>,
    pub told_of_kin: Vec<String>,
    pub patient: Vec<String>,
}

/// One grade in `severity.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GradeWords {
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// `severity.toml`: words for severity.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeverityWords {
    pub amounts: Vec<String>,
    pub doings: Vec<String>,
    pub causes: Vec<String>,
    pub severe: GradeWords,
    pub moderate: GradeWords,
    pub mild: GradeWords,
}

/// Words by the number they mean.
pub(crate) type Numbered = BTreeMap<String, Vec<String>>;

/// `time.toml`: words for durations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeWords {
    pub units: Numbered,
    pub numbers: Numbered,
    pub moments: Numbered,
    pub unknown: Phrases,
    pub weekdays: Numbered,
    pub cues: TimeCues,
}

/// A list of phrases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Phrases {
    pub phrases: Vec<String>,
}

/// Words that may surround a time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeCues {
    pub leads: Vec<String>,
    pub tails: Vec<String>,
    pub not_durations: Vec<String>,
    pub not_leads: Vec<String>,
    pub events: Vec<String>,
    pub taking: Vec<String>,
    pub units_first: Vec<String>,
    pub before_aged: Vec<String>,
    pub ages: Vec<String>,
    pub ages_before: Vec<String>,
    pub aged: Vec<String>,
    pub grown: Vec<String>,
    pub newborn: Vec<String>,
    pub bringing: Vec<String>,
    pub elders: Vec<String>,
}

/// One entry of `measures.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeasureWords {
    pub id: String,
    pub words: Vec<String>,
    #[serde(default)]
    pub after: Vec<String>,
    #[serde(default)]
    pub alone: Vec<String>,
    pub range: Option<[f64; 2]>,
    pub unit: Option<String>,
    pub out_of: Option<u32>,
    #[serde(default)]
    pub out_of_said: bool,
    /// The value may be separated from the name.
    #[serde(default)]
    pub apart: bool,
    /// Abbreviations that count as its name only next to other values.
    #[serde(default)]
    pub beside: bool,
    /// A value from another time is still informative.
    #[serde(default)]
    pub comes_and_goes: bool,
    /// A blood test: a value from another fluid, from another day, or a target value is not the
    /// patient's current value.
    #[serde(default)]
    pub of_blood: bool,
    pub finds: Vec<String>,
    #[serde(default)]
    pub denies: Vec<String>,
    pub normal: Option<[f64; 2]>,
}

/// A scale that the knowledge base has no measure for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scale {
    pub words: Vec<String>,
    pub most: f64,
    pub finds: String,
}

/// `measures.toml`: numeric values as nurses write them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measures {
    pub links: Vec<String>,
    pub not_units: Vec<String>,
    pub written_units: BTreeMap<String, Vec<String>>,
    pub in_centimetres: Vec<String>,
    pub leading: Vec<String>,
    pub fresh: Vec<String>,
    pub other_times: Vec<String>,
    pub from: Vec<String>,
    pub to: Vec<String>,
    pub wished: Vec<String>,
    pub normals: Vec<String>,
    pub refuted: Vec<String>,
    pub conditions: Vec<String>,
    pub compared: Vec<String>,
    pub complaints: Vec<String>,
    pub not_ours: Vec<String>,
    pub warm: Vec<String>,
    pub turned: Vec<String>,
    pub places: Vec<String>,
    pub scale: Vec<Scale>,
    pub measure: Vec<MeasureWords>,
}

/// One entry of `medicines.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MedicineWords {
    pub names: Vec<String>,
    pub implies: Vec<String>,
    #[serde(default)]
    pub stopped: Vec<String>,
}

/// `medicines.toml`: what a medicine implies about the patient who takes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Medicines {
    pub medicine: Vec<MedicineWords>,
    pub stopping: Stopping,
    pub reasons: Reasons,
    pub overdose: Overdose,
    pub allergies: Allergies,
}

/// What the patient cannot take, such as allergens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allergies {
    pub risks: Vec<String>,
    pub leads: Vec<String>,
    pub taken: Vec<String>,
    pub none: Vec<String>,
}

/// How many tablets at once count as an overdose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Overdose {
    pub finding: String,
    pub least: f64,
    pub most: f64,
    pub swallowing: Vec<String>,
    pub counted: Vec<String>,
}

/// Words for having stopped a medicine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stopping {
    pub words: Vec<String>,
}

/// A purpose for which a medicine is taken.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reasons {
    pub words: Vec<String>,
}

/// `family.toml`: diseases of relatives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Family {
    pub diseases: BTreeMap<String, Vec<String>>,
}

/// `body.toml`: parts of the body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodyWords {
    pub nowhere: Vec<String>,
    pub exceptions: Vec<String>,
    pub parts: Vec<String>,
    pub complaints: Vec<String>,
    pub topic: Vec<Topic>,
    pub company: Vec<CoOccurrence>,
}

/// Findings that have another meaning in combination with others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoOccurrence {
    pub findings: Vec<String>,
    pub beside: Vec<String>,
    pub means: String,
}

/// The topic that findings set for what follows: a body part and its complaints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Topic {
    pub findings: Vec<String>,
    pub part: String,
    pub complaints: Vec<String>,
}

/// `gestation.toml`: how far along a pregnancy is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GestationWords {
    pub pregnancy: String,
    pub behind: Vec<String>,
    pub before: Vec<String>,
    pub before_two: Vec<String>,
    pub between: Vec<String>,
    pub not_weeks: Vec<String>,
    pub at_birth: Vec<String>,
    pub back_then: Vec<String>,
    pub mother: Vec<String>,
    pub midwifery: Vec<String>,
    pub pregnant: Vec<String>,
    pub in_weeks: Vec<String>,
    pub having: Vec<String>,
    pub lasting: Vec<String>,
    pub scores: Vec<String>,
    pub children: Vec<String>,
    pub weeks_signs: Vec<String>,
    pub ordinals: Numbered,
    pub ordinal_signs: Vec<String>,
    pub ordinal_links: Vec<String>,
    pub childbed: String,
    pub births: Vec<String>,
    pub stage: Vec<Stage>,
    pub born_early: Stage,
    pub narrower: Vec<Narrower>,
}

/// A finding that has a narrower meaning in certain weeks of a pregnancy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Narrower {
    pub with: Vec<String>,
    #[serde(default)]
    pub weeks_from: u32,
    pub weeks_below: u32,
    pub id: String,
}

/// A stage of a pregnancy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stage {
    pub id: String,
    pub weeks_below: u32,
}

/// `ignore.toml`: phrases that are not a finding, or mean its absence.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ignored {
    pub phrases: Vec<String>,
    pub excluded: Vec<String>,
    pub as_written: Vec<String>,
    pub condition_words: Vec<String>,
    pub both: BTreeMap<String, [String; 2]>,
    pub besides: Vec<Besides>,
    pub well: BTreeMap<String, Vec<String>>,
    pub over: BTreeMap<String, String>,
    pub was: BTreeMap<String, String>,
}

/// What a finding's phrase also implies if it contains one of certain words.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Besides {
    pub says: String,
    pub words: Vec<String>,
    pub findings: Vec<String>,
}

/// `results.toml`: how test results are phrased.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Results {
    pub present: Vec<String>,
    pub absent: Vec<String>,
    pub not_yet: Vec<String>,
    pub another_day: Vec<String>,
    pub not_shown: Vec<String>,
    pub inside: Vec<String>,
    pub ranges: Vec<String>,
    pub not_blood: Vec<String>,
    pub blood: Vec<String>,
    pub samples: Vec<String>,
    pub named_blood: Vec<String>,
    pub blood_categories: Vec<String>,
    pub testing: Vec<String>,
    pub testing_before: Vec<String>,
    pub told_known: Vec<String>,
    pub before_number: Vec<String>,
    pub between: Vec<String>,
    pub joining: Vec<String>,
    pub passed_over: Vec<String>,
    /// Units as the knowledge base spells them, with alternative spellings.
    pub units: BTreeMap<String, Vec<String>>,
    /// Words after a number that make it a unit or a dose.
    pub unit_words: Vec<String>,
    /// Abbreviations of tests that are ambiguous without a number and its unit.
    pub letters: Vec<LookedFor>,
    /// Further names of tests, some of them shared with a test for another age group.
    pub also: Vec<LookedFor>,
    pub looked_for: Vec<LookedFor>,
}

/// What people say instead of the name of a test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LookedFor {
    pub names: Vec<String>,
    pub test: String,
}

/// `sexes.toml`: tests and measures that apply to one sex.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sexes {
    pub female: Vec<String>,
    pub male: Vec<String>,
}

/// `forms.toml`: what forms and terse notes write next to a name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormWords {
    pub lacking: Vec<String>,
    pub whole_answers: Vec<String>,
    pub asking: Vec<String>,
    pub tails: Vec<String>,
    pub sizes: Vec<String>,
    pub up: Vec<String>,
    pub down: Vec<String>,
    pub changes: Vec<String>,
    pub asked: Vec<Asked>,
    pub level: Vec<Level>,
}

/// Questions for which "no" is a finding.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    pub questions: Vec<String>,
    pub no: String,
    /// Answers that mean no, if not every "no" counts.
    #[serde(default)]
    pub answers: Vec<String>,
    /// A lone "N" is then not an answer, because it means normal.
    #[serde(default)]
    pub n_is_normal: bool,
}

/// What arrows and plus signs next to a name mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Level {
    pub names: Vec<String>,
    pub up: Option<String>,
    pub down: Option<String>,
    /// One or more plus signs.
    pub plus: Option<String>,
    /// Three or more plus signs.
    pub many: Option<String>,
}

/// `languages.toml`: words that identify a language.
pub(crate) type Languages = BTreeMap<String, Vec<String>>;

macro_rules! files {
    ($($name:ident: $file:literal -> $shape:ty;)+) => {
        $(pub(crate) fn $name() -> $shape {
            read($file, include_str!(concat!("words/", $file)))
        })+
    };
}

files! {
    same: "same.toml" -> Same;
    fillers: "fillers.toml" -> Fillers;
    scope: "scope.toml" -> ScopeWords;
    persons: "persons.toml" -> PersonWords;
    severity: "severity.toml" -> SeverityWords;
    time: "time.toml" -> TimeWords;
    measures: "measures.toml" -> Measures;
    medicines: "medicines.toml" -> Medicines;
    family: "family.toml" -> Family;
    body: "body.toml" -> BodyWords;
    gestation: "gestation.toml" -> GestationWords;
    sexes: "sexes.toml" -> Sexes;
    results: "results.toml" -> Results;
    ignored: "ignore.toml" -> Ignored;
    forms: "forms.toml" -> FormWords;
    languages: "languages.toml" -> Languages;
}

/// Parses a word list. The files are compiled in and every test that builds a parser reads them, so
/// a broken file cannot ship.
fn read<T: DeserializeOwned>(name: &str, text: &str) -> T {
    match toml::from_str(text) {
        Ok(words) => words,
        Err(error) => panic!("words/{name} does not read: {error}"),
    }
}
