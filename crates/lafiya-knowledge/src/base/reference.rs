//! References to medicines in texts: `{amoxicillin.pneumonia}` stands for the dose and
//! `{amoxicillin}` for the name. `<below 29 days: ...>` is text for some patients only. They are
//! found once, when the knowledge base is built.
//!
//! How a dose reads for a patient is decided by the engine; here it is rendered for nobody in
//! particular.

use std::collections::HashMap;
use std::ops::Range;

use lafiya_model::Phrase;

use super::index::{ConditionIx, DoseIx, MedicineIx};
use super::{KnowledgeBase, PhraseTable};
use crate::patient_group::groups;
use crate::schema::DoseWho;
use crate::{dose_words, schema};

/// A part of a text with references.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// Words, as a range of the text.
    Words(Range<u32>),
    /// The name of a medicine.
    Name(MedicineIx),
    /// A dose.
    Dose(DoseIx),
    /// Text for some patients only.
    Only(Box<DoseWho>, Box<[Segment]>),
}

/// The segments of every text that has references, by the number of its phrase.
#[derive(Clone, Debug, Default)]
pub(super) struct Templates(HashMap<u32, Box<[Segment]>>);

/// A reference as written: where it stands, the medicine without `m_`, and the dose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written<'a> {
    /// With its braces.
    pub(crate) range: Range<usize>,
    /// The medicine.
    pub(crate) medicine: &'a str,
    /// The dose; `None` for the name alone.
    pub(crate) dose: Option<&'a str>,
}

/// Returns the references in a text. Braces around anything else are no reference.
pub(crate) fn references(text: &str) -> impl Iterator<Item = Written<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text[from..].find('{')?;
            let end = start + 1 + text[start + 1..].find(['{', '}'])?;
            if !text[end..].starts_with('}') {
                from = end;
                continue;
            }
            from = end + 1;
            let inside = &text[start + 1..end];
            let (medicine, dose) = match inside.split_once('.') {
                Some((medicine, dose)) => (medicine, Some(dose)),
                None => (inside, None),
            };
            if is_slug(medicine) && dose.is_none_or(is_slug) {
                return Some(Written {
                    range: start..end + 1,
                    medicine,
                    dose,
                });
            }
        }
    })
}

fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !text.is_empty() && text.bytes().all(allowed)
}

impl KnowledgeBase {
    /// Returns the segments of a text, if it has references.
    #[inline]
    pub fn segments(&self, phrase: &Phrase) -> Option<&[Segment]> {
        if self.templates.0.is_empty() {
            return None;
        }
        self.templates
            .0
            .get(&phrase.number())
            .map(|template| &**template)
    }

    /// Returns a text with its references rendered for nobody in particular: names, and all rows of
    /// doses. `None` if it has no references.
    ///
    /// # Example
    ///
    /// ```
    /// let base = lafiya_knowledge::KnowledgeBase::from_content(Default::default());
    /// assert_eq!(base.in_general("Rest."), None);
    /// ```
    pub fn in_general(&self, text: &str) -> Option<String> {
        let segments = self.read_segments(text)?;
        let mut written = String::with_capacity(4 * text.len());
        self.push_in_general(&mut written, text, &segments);
        Some(written)
    }

    fn push_in_general(&self, written: &mut String, text: &str, segments: &[Segment]) {
        for segment in segments {
            let at = written.len();
            match segment {
                Segment::Words(range) => {
                    written.push_str(words(text, range));
                    continue;
                }
                Segment::Only(who, inner) => {
                    if at > 0 && !written.ends_with([' ', '(']) {
                        written.push(' ');
                    }
                    dose_words::push_who(written, who);
                    written.push_str(": ");
                    self.push_in_general(written, text, inner);
                }
                Segment::Name(ix) => written.push_str(&self.medicine(*ix).name_inside),
                Segment::Dose(ix) => {
                    let (medicine, dose) = self.dose_text(*ix);
                    let name = &medicine.name_inside;
                    dose_words::push_plain(written, name, &medicine.text, dose);
                }
            }
            capitalise(written, at);
        }
    }

    /// Like [`Self::in_general`], with the text itself if it has no references.
    pub fn in_general_or_same(&self, text: &str) -> String {
        self.in_general(text).unwrap_or_else(|| text.to_owned())
    }

    /// Returns the segments of any text; `None` if it is only words. An unknown reference, which
    /// the checks reject, becomes the words of its medicine.
    pub fn read_segments(&self, text: &str) -> Option<Vec<Segment>> {
        // Nearly all texts are only words, and every text is read when the base is loaded.
        if !has_marks(text) {
            return None;
        }
        let mut segments = Vec::new();
        let mut done = 0;
        for group in groups(text) {
            self.push_segments(&mut segments, text, done..group.range.start);
            let mut inner = Vec::new();
            self.push_segments(&mut inner, text, group.text);
            segments.push(Segment::Only(Box::new(group.who), inner.into()));
            done = group.range.end;
        }
        self.push_segments(&mut segments, text, done..text.len());
        let is_plain = segments
            .iter()
            .all(|segment| matches!(segment, Segment::Words(_)));
        (!is_plain).then_some(segments)
    }

    fn push_segments(&self, segments: &mut Vec<Segment>, text: &str, part: Range<usize>) {
        let mut done = part.start;
        for written in references(&text[part.clone()]) {
            let range = part.start + written.range.start..part.start + written.range.end;
            let known = self.find_medicine(written.medicine).and_then(|ix| {
                let Some(id) = written.dose else {
                    return Some(Segment::Name(ix));
                };
                self.find_dose(ix, id).map(Segment::Dose)
            });
            push_words(segments, done..range.start);
            segments.push(known.unwrap_or_else(|| {
                let start = range.start + 1;
                Segment::Words(start as u32..(start + written.medicine.len()) as u32)
            }));
            done = range.end;
        }
        push_words(segments, done..part.end);
    }

    /// Returns the contents of a condition's file with its references rendered for nobody in
    /// particular.
    pub fn condition_in_general(&self, text: &schema::Condition) -> schema::Condition {
        let mut text = text.clone();
        let treatment = &mut text.treatment;
        let advice = [
            &mut treatment.first_line,
            &mut treatment.alternative,
            &mut treatment.pregnancy,
            &mut treatment.children,
        ];
        let advice = advice.into_iter().flatten().map(|advice| &mut advice.text);
        let referral = text.referral.iter_mut();
        let referral = referral.flat_map(|text| {
            text.criteria
                .iter_mut()
                .chain(&mut text.pre_referral_actions)
        });
        let signs = text.watch_for.iter_mut();
        let signs =
            signs.flat_map(|sign| [&mut sign.sign, &mut sign.escalates_to, &mut sign.action]);
        let tests = text
            .investigation
            .iter_mut()
            .map(|test| &mut test.interpretation);
        let phrases = advice
            .chain(&mut treatment.immediate_actions)
            .chain(&mut treatment.supportive_care)
            .chain(treatment.avoid.iter_mut().map(|avoid| &mut avoid.text))
            .chain(referral)
            .chain(signs)
            .chain(tests);
        for phrase in phrases {
            if let Some(rendered) = self.in_general(phrase) {
                *phrase = rendered.into();
            }
        }
        text
    }

    /// Renders the references in the texts for patients, which are the same for everybody.
    pub(super) fn render_education(&mut self) {
        for place in 0..self.conditions.len() {
            let written = &self.conditions[place].text.education;
            if !crate::prose::of_education(written).any(has_marks) {
                continue;
            }
            let mut education = written.clone();
            let lists = [
                &mut education.symptoms,
                &mut education.prevention,
                &mut education.home_care,
                &mut education.key_facts,
            ];
            let single = [
                &mut education.overview,
                &mut education.treatment_overview,
                &mut education.when_to_seek_care,
            ];
            for text in lists.into_iter().flatten().chain(single) {
                if let Some(rendered) = self.in_general(text) {
                    *text = rendered;
                }
            }
            let written = std::mem::replace(&mut self.conditions[place].text.education, education);
            let ix = ConditionIx::at(place);
            self.education_as_written.insert(ix, written);
        }
    }

    /// Finds the references in all phrases.
    pub(super) fn read_templates(&self, phrase_table: &PhraseTable) -> Templates {
        let phrases = (1..).zip(phrase_table.phrases());
        let read =
            phrases.filter_map(|(number, text)| Some((number, self.read_segments(text)?.into())));
        Templates(read.collect())
    }
}

/// Whether a text may have references or parts for some patients. A search for a single character
/// is faster than one for either.
fn has_marks(text: &str) -> bool {
    text.contains('{') || text.contains('<')
}

fn push_words(segments: &mut Vec<Segment>, range: Range<usize>) {
    if !range.is_empty() {
        segments.push(Segment::Words(range.start as u32..range.end as u32));
    }
}

/// Returns the words of a segment in its text.
pub fn words<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    let range = range.start as usize..range.end as usize;
    text.get(range).unwrap_or_default()
}

/// Gives what was written from a place on a capital letter, if it starts a sentence.
pub fn capitalise(text: &mut String, at: usize) {
    if !dose_words::starts_sentence(&text[..at]) {
        return;
    }
    let Some(first) = text[at..].chars().next() else {
        return;
    };
    if first.is_ascii_lowercase() {
        let capital = first.to_ascii_uppercase().to_string();
        text.replace_range(at..at + 1, &capital);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_references_are_found() {
        let found = |text: &'static str| -> Vec<(&str, Option<&str>)> {
            references(text)
                .map(|reference| (reference.medicine, reference.dose))
                .collect()
        };
        assert_eq!(
            found("{a_b.c1} and {a}."),
            [("a_b", Some("c1")), ("a", None)]
        );
        assert_eq!(found("{A.b} {a.B} { a } {} {a.} {{a}} {a"), [("a", None)]);
        assert_eq!(found("no braces"), []);
    }
}
