//! Measured values: "temp 39.5", "BP 180/110", "RR 60", "SpO2 88%".
//!
//! The value is returned as written, with its measure, together with the one finding that a
//! clinician would name. The limits come from the knowledge base.

use std::ops::Range;
use std::sync::Arc;

use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, KnowledgeBase, MeasureIx, Person};
use lafiya_model::{Age, Choice, Sex};
use smallvec::SmallVec;

use super::apart::{self, ApartWords, Name};
use super::concept_set::ConceptSet;
use super::degrees::Degrees;
use super::draft_mention::DraftMention;
use super::figures::{Figures, decimals_at, in_mm, is_complaint, plain, sum_at};
use super::known;
use super::matches::tokens;
use super::numbers;
use super::reading::Reading;
use super::results;
use super::surroundings::Written;
use super::traits::Trait;
use crate::phrases::{PhrasePrefix, PhraseSet};
use crate::words::{MeasureWords, Measures};

/// The measures of a knowledge base that the word list names.
#[derive(Clone, Debug)]
pub(super) struct MeasureReader {
    words: PhraseSet<NameMeaning>,
    after: PhraseSet<usize>,
    alone: PhraseSet<usize>,
    known: Vec<KnownMeasure>,
    pub(super) apart: ApartWords,
    degrees: Degrees,
    figures: Arc<Figures>,
    /// Findings that follow from blood values.
    of_blood: ConceptSet,
    /// Names of blood pressure that are used where people count in centimetres.
    in_centimetres: Vec<String>,
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug)]
enum NameMeaning {
    Measure(usize),
    /// A scale without a measure: values up to this limit mean the finding.
    Scale(f64, ConceptRef),
    /// Nothing about the patient.
    Nothing,
}

#[derive(Clone, Debug)]
struct KnownMeasure {
    concept: ConceptRef,
    range: Option<[f64; 2]>,
    /// The unit that the name implies.
    unit: Option<String>,
    finds: Vec<ConceptRef>,
    denies: Vec<ConceptRef>,
    normal: Option<[f64; 2]>,
    out_of: Option<u32>,
    out_of_said: bool,
    of_blood: bool,
    apart: bool,
    beside: bool,
    comes_and_goes: bool,
    pair: Option<[MeasureIx; 2]>,
}

impl KnownMeasure {
    /// Returns the number of tokens that name the whole scale: "7/10", "7 out of 10".
    fn scale_at(&self, words: &[&str], at: usize) -> Option<usize> {
        let whole = self.out_of?.to_string();
        let is = |n: usize, wanted: &str| words.get(at + n).is_some_and(|word| *word == wanted);
        if (is(0, "/") || is(0, "over")) && is(1, &whole) {
            Some(2)
        } else if is(0, "out") && is(1, "of") && is(2, &whole) {
            Some(3)
        } else {
            None
        }
    }
}

/// A number with its measure, its tokens and its text.
pub(super) struct Value {
    known: usize,
    pub first: usize,
    pub end: usize,
    text: String,
    /// The value converted by the knowledge base.
    pub read: Read,
    /// The name, if the value is separated from it.
    pub name: Option<Range<usize>>,
    /// Measured before the current value: yields a finding, but no value.
    pub earlier: bool,
    /// From another time, if there is a current value.
    pub gone: bool,
}

/// One number, or the two of a pair, each with its measure.
pub(super) type Read = SmallVec<[(ConceptRef, f64); 2]>;

/// Initial capacity: most texts have no more names of measures.
const NAMES: usize = 8;
/// Initial capacity: most texts have no more values.
const VALUES: usize = 16;
/// Initial capacity: values rarely lead to more findings.
const PRESENT: usize = 8;
/// The confidence in a value that cannot be right. It makes the reading not obvious.
const DOUBTFUL: f64 = 0.5;
/// Assumed age if none is given: an adult.
pub(super) const AGE_UNSAID: Age = Age::from_years(30);

impl MeasureReader {
    pub(super) fn new(base: &KnowledgeBase, measures: &Measures, figures: Arc<Figures>) -> Self {
        let mut reader = Self {
            words: PhraseSet::default(),
            after: PhraseSet::default(),
            alone: PhraseSet::default(),
            known: Vec::new(),
            apart: ApartWords::new(measures),
            degrees: Degrees::new(measures),
            figures,
            of_blood: ConceptSet::default(),
            in_centimetres: measures.in_centimetres.clone(),
        };
        for entry in &measures.measure {
            reader.add(base, entry);
        }
        let of_blood = reader.known.iter().filter(|known| known.of_blood);
        reader.of_blood = of_blood.flat_map(|known| known.finds.clone()).collect();
        for name in &measures.not_ours {
            reader.words.add_phrase(name, NameMeaning::Nothing);
        }
        for scale in &measures.scale {
            let found = base.resolve(&scale.finds);
            let named = found.map_or(NameMeaning::Nothing, |concept| {
                NameMeaning::Scale(scale.most, concept)
            });
            for name in &scale.words {
                reader.words.add_phrase(name, named);
            }
        }
        reader
    }

    fn add(&mut self, base: &KnowledgeBase, entry: &MeasureWords) {
        let Some(concept) = base.resolve(&entry.id) else {
            return;
        };
        let number = self.known.len();
        self.known.push(KnownMeasure {
            concept,
            range: entry.range,
            unit: entry.unit.clone(),
            finds: known(base, &entry.finds),
            denies: known(base, &entry.denies),
            normal: entry.normal,
            out_of: entry.out_of,
            out_of_said: entry.out_of_said,
            of_blood: entry.of_blood,
            apart: entry.apart,
            beside: entry.beside,
            comes_and_goes: entry.comes_and_goes,
            pair: match concept {
                ConceptRef::Measure(ix) => base.measure(ix).pair,
                _ => None,
            },
        });
        for phrase in &entry.words {
            self.words.add_phrase(phrase, NameMeaning::Measure(number));
        }
        let lists = [
            (&entry.after, &mut self.after),
            (&entry.alone, &mut self.alone),
        ];
        for (list, set) in lists {
            for phrase in list {
                set.add_phrase(phrase, number);
            }
        }
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.vocabulary().chain(self.after.vocabulary())
    }

    /// Finds the values and adds what they mean. A phrase that only named the measure is removed.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        drafts: &mut Vec<DraftMention>,
    ) {
        let base = written.base;
        self.drop_findings_of_names(reading, written, drafts);
        let values = self.values(reading, written, drafts);
        if values.is_empty() {
            return;
        }
        let person = person(base, written.patient, drafts);
        drafts.retain(|mention| {
            // Values do not overlap, so only the last one that begins before a finding can contain
            // it.
            let begun = values.partition_point(|value| value.first <= mention.first());
            let holder = begun.checked_sub(1).and_then(|n| values.get(n));
            holder.is_none_or(|value| mention.last() >= value.end)
        });
        for value in &values {
            if let Some(name) = &value.name {
                // "Hb fell to 6.8" is not a fall.
                let between = name.end..value.first;
                let leads = |mention: &DraftMention| {
                    between.contains(&mention.first()) && self.apart.leads(reading, mention)
                };
                drafts.retain(|mention| {
                    (mention.first() < name.start || mention.last() >= name.end) && !leads(mention)
                });
            }
        }
        for value in values {
            self.report(base, &person, value, drafts);
        }
    }

    /// Drops blood findings that were recognised in words about another fluid: "CSF: protein high,
    /// glucose low".
    fn drop_findings_of_names(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        drafts: &mut Vec<DraftMention>,
    ) {
        drafts.retain(|mention| {
            let is_blood = || written.surroundings.is_of_blood(reading, mention.first());
            !self.of_blood.contains(mention.concept) || is_blood()
        });
    }

    /// Returns all values in text order. Findings of scales without a measure are added to the
    /// findings.
    fn values(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        scaled: &mut Vec<DraftMention>,
    ) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(VALUES);
        let mut names: SmallVec<[Name; NAMES]> = SmallVec::new();
        reading.take_each_of([Trait::Measure, Trait::Number], |at| {
            let Some((named, length)) = self.name_at(reading, at) else {
                let value = self.unnamed_at(reading, written, at)?;
                let end = value.end;
                values.push(value);
                return Some(end);
            };
            let known = match named {
                NameMeaning::Measure(known) => known,
                NameMeaning::Scale(most, found) => {
                    let number = self.figures.past_links(reading, at + length)?;
                    let value = numbers::value_at(&reading.entries, number);
                    if value.is_some_and(|(value, _)| value <= most) {
                        scaled.push(DraftMention::derived(found, (at..=number).collect()));
                    }
                    return Some(number + 1);
                }
                NameMeaning::Nothing => return Some(at + length),
            };
            let tokens = at..at + length;
            let own = self.is_own(reading, written, known, at);
            let value = self.value_behind(reading, written, (known, own), tokens.clone());
            let end = value.as_ref().map_or(tokens.end, |value| value.end);
            names.push(Name {
                known,
                tokens,
                value: value.as_ref().map(|_| values.len()),
                own,
            });
            values.extend(value);
            Some(end)
        });
        apart::find(self, reading, written, &names, &mut values);
        if values.iter().any(|value| self.known[value.known].beside) {
            self.drop_lonely(reading, &mut values);
        }
        values
    }

    /// Drops ambiguous abbreviations without other values: "R 22" is a respiratory rate only next
    /// to other values.
    fn drop_lonely(&self, reading: &Reading<'_>, values: &mut Vec<Value>) {
        let sure = values
            .iter()
            .filter(|value| !self.known[value.known].beside);
        let sure: Vec<u32> = sure.map(|name| reading.sentence(name.first)).collect();
        values.retain(|value| {
            !self.known[value.known].beside || sure.contains(&reading.sentence(value.first))
        });
    }

    pub(super) fn may_stand_apart(&self, known: usize) -> bool {
        self.known[known].apart
    }

    /// Whether a value from another time counts besides the current one.
    pub(super) fn comes_and_goes(&self, known: usize) -> bool {
        self.known[known].comes_and_goes
    }

    pub(super) fn is_pair(&self, known: usize) -> bool {
        self.known[known].pair.is_some()
    }

    fn report(
        &self,
        base: &KnowledgeBase,
        person: &Person,
        value: Value,
        drafts: &mut Vec<DraftMention>,
    ) {
        let known = &self.known[value.known];
        let mut core = tokens(value.first..value.end);
        if let Some(name) = value.name {
            core = name.chain(core).collect();
        }
        let derived = |concept: ConceptRef, choice: Choice| DraftMention {
            derived: true,
            ..DraftMention::new(concept, core.clone(), choice, 1.0)
        };
        if !value.earlier {
            let confidence = if value.read.is_empty() { DOUBTFUL } else { 1.0 };
            drafts.push(DraftMention {
                value: Some(value.text),
                confidence,
                ..derived(known.concept, Choice::Present)
            });
        }
        // A value that cannot lead to a finding need not be derived.
        let read = value.read.iter().filter(|_| !known.finds.is_empty());
        let quantities =
            read.filter_map(|&(concept, number)| Some((base.quantity(concept)?, number)));
        let present: SmallVec<[ConceptRef; PRESENT]> = quantities
            .flat_map(|(quantity, number)| quantity.present(number, person))
            .collect();
        // One finding for a value: the first of the list in the data that applies.
        if let Some(&finding) = known.finds.iter().find(|find| present.contains(find)) {
            drafts.push(derived(finding, Choice::Present));
            return;
        }
        let normal = known.normal.is_some_and(|[low, high]| {
            value
                .read
                .first()
                .is_some_and(|&(_, number)| (low..=high).contains(&number))
        });
        // A value that was normal yesterday does not deny the finding today.
        if normal && !value.earlier {
            drafts.extend(
                known
                    .denies
                    .iter()
                    .map(|&deny| derived(deny, Choice::Absent)),
            );
        }
    }

    /// Returns the state after a word that begins the name of a measure.
    pub(super) fn begun(&self, key: u64) -> Option<PhrasePrefix> {
        self.words.begun(key)
    }

    /// Returns the measure whose name begins at a token, and the length of the name.
    fn name_at(&self, reading: &Reading<'_>, at: usize) -> Option<(NameMeaning, usize)> {
        let begun = reading.entries[at].measure?;
        let (length, known) = self.words.longest_with(begun, &reading.keys, at)?;
        Some((*known.first()?, length))
    }

    /// Whether what follows a name is the patient's value: not a target, and not from another
    /// fluid.
    fn is_own(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        known: usize,
        at: usize,
    ) -> bool {
        let own = !self.known[known].of_blood || written.surroundings.is_own(reading, at);
        own && !self.apart.is_wished(reading, at)
    }

    /// Returns the value directly after a name.
    fn value_behind(
        &self,
        reading: &Reading<'_>,
        written: &Written<'_>,
        (known, own): (usize, bool),
        name: Range<usize>,
    ) -> Option<Value> {
        let number_at = self.figures.past_links(reading, name.end)?;
        let KnownMeasure {
            of_blood, beside, ..
        } = self.known[known];
        if !own || (of_blood && written.in_time[number_at]) {
            return None;
        }
        let value = self.number(reading, written.base, known, name.start, number_at)?;
        if self.apart.is_normal_range(reading, name.start, value.end) {
            return None;
        }
        (!beside || is_listed(reading, &name, number_at, value.end)).then_some(value)
    }

    /// Returns a value that its unit identifies: "39 degrees", "28 breaths per minute".
    fn unnamed_at(&self, reading: &Reading<'_>, written: &Written<'_>, at: usize) -> Option<Value> {
        if !reading.tokens[at].is_number() {
            return None;
        }
        let (_, taken) = numbers::value_at(&reading.entries, at)?;
        let unit_at = at + taken;
        let after = self.after.longest_at(&reading.keys, unit_at);
        let alone = || self.alone.longest_at(&reading.keys, unit_at);
        let (length, [known, ..]) = after.or_else(alone)? else {
            return None;
        };
        // "38/40 c/o headache": not degrees.
        if is_complaint(reading, unit_at) || self.apart.is_limit(reading, at) {
            return None;
        }
        let mut value = self.number(reading, written.base, *known, at, at)?;
        value.end = value.end.max(unit_at + length);
        let number = value.read.first()?.1;
        let are_of_body =
            after.is_some() || self.degrees.are_of_body(reading, at..value.end, number);
        are_of_body.then_some(value)
    }

    /// Parses the number, with a second one after a slash or "over", and its unit.
    pub(super) fn number(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        known: usize,
        first: usize,
        at: usize,
    ) -> Option<Value> {
        let words = &reading.words;
        let sum = self.known[known].out_of.and_then(|_| sum_at(reading, at));
        let (number, taken) = match sum {
            Some(sum) => sum,
            None => numbers::value_at(&reading.entries, at)?,
        };
        let (number, taken) = match decimals_at(reading, at + taken) {
            Some(decimals) => (format!("{number}.{decimals}").parse().ok()?, taken + 2),
            None => (number, taken),
        };
        let mut end = at + taken;
        let mut text = plain(number);
        let mut read = Read::new();
        let concept = self.known[known].concept;
        let pair = self.known[known].pair;
        if let Some(pair) = pair {
            let over = words
                .get(end)
                .is_some_and(|word| matches!(*word, "/" | "over" | "by" | "on"));
            // A pair with one number is no value: half a blood pressure says nothing.
            let (second, length) = numbers::value_at(&reading.entries, end + 1).filter(|_| over)?;
            // In francophone notes "TA 12/8" means 120/80 mmHg.
            let in_cm = self
                .in_centimetres
                .iter()
                .any(|centimetre| centimetre == words[first]);
            // "12/8/2024" is a date.
            let another = words.get(end + 1 + length) == Some(&"/");
            let (number, second) = if in_cm && !another {
                in_mm(number, second)
            } else {
                (number, second)
            };
            text = format!("{}/{}", plain(number), plain(second));
            end += 1 + length;
            for (ix, number) in pair.into_iter().zip([number, second]) {
                let measure = ConceptRef::Measure(ix);
                read.push((measure, read_number(base, measure, number, "")?));
            }
        } else if let Some(length) = self.known[known].scale_at(words, end) {
            end += length;
        // Without its "/10" the number may be anything.
        } else if self.known[known].out_of_said {
            return None;
        } else if words.get(end) == Some(&"/") && !reading.tokens[end].spaced {
            // "3/7" is a time, never a value. A unit such as "/min" follows a space or letters.
            if reading
                .tokens
                .get(end + 1)
                .is_some_and(crate::fold::Token::is_number)
            {
                return None;
            }
        }
        if pair.is_none() {
            let (written, length) = self.figures.unit_at(reading, end);
            end += length;
            let unit = self.known[known].unit.as_deref().unwrap_or(written);
            if !unit.is_empty() {
                text.push(' ');
                text.push_str(unit);
            }
            match read_number(base, concept, number, unit) {
                Some(number) => read.push((concept, number)),
                // "saturation 9 %": the unit shows that the number is meant as the value. It is
                // kept, so that the client asks again, and nothing is derived from it.
                None if base.quantity(concept)?.takes_unit(written) => {}
                None => return None,
            }
        }
        // The range excludes bare numbers that mean something else. A unit shows what is meant.
        let is_meant = read.is_empty();
        let range = self.known[known].range.filter(|_| !is_meant);
        let within = range.is_none_or(|[low, high]| (low..=high).contains(&number));
        within.then_some(Value {
            known,
            first,
            end,
            text,
            read,
            name: None,
            earlier: false,
            gone: false,
        })
    }
}

/// Matches "P 88, R 22, T 37": an abbreviation at the start of an item, directly followed by its
/// number, with nothing after it that the number counts.
fn is_listed(reading: &Reading<'_>, name: &Range<usize>, number: usize, end: usize) -> bool {
    let mut joined = name.end..number;
    let is_plain = joined.len() <= 1 && joined.all(|at| reading.tokens[at].is_sign());
    results::heads_item(reading, name.start) && is_plain && ApartWords::closes(reading, end)
}

/// Converts a number to the unit of its measure; `None` if it is not a plausible value.
fn read_number(base: &KnowledgeBase, concept: ConceptRef, number: f64, unit: &str) -> Option<f64> {
    let quantity = base.quantity(concept).filter(|_| number.is_finite())?;
    quantity.read_number(number, unit).ok()
}

/// Returns the person whose limits apply to a value, from the given data and the text.
pub(super) fn person(
    base: &KnowledgeBase,
    (age, sex): (Option<Age>, Option<Sex>),
    drafts: &[DraftMention],
) -> Person {
    let state = drafts
        .iter()
        .filter(|mention| mention.choice == Choice::Present)
        .filter_map(|mention| base.risk(mention.concept.risk()?).state)
        // Pregnancy before the weeks after birth, as in the engine.
        .min_by_key(|state| *state != State::Pregnant);
    Person {
        age: age.unwrap_or(AGE_UNSAID),
        sex: sex.unwrap_or(Sex::Other),
        state,
    }
}
