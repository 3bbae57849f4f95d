//! What forms and telegrams write beside a name: "Conscious? No", "Passing urine: N", "FHS not heard", "BP ↑".
//!
//! The "no" of such a question is the danger, where that of "Convulsions?" denies one. A question counts only as the whole of
//! what is asked, and its answer only as a whole: "Difficulty in breathing: no" and "Breathing: no distress" are neither.

use std::ops::Range;
use std::sync::Arc;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::boxes::Boxes;
use super::figures::Figures;
use super::levels::Levels;
use super::marks::Mark;
use super::reading::Reading;
use super::spotted::Spotted;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::{FormWords, ScopeWords};

/// The words of forms, ready to use.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    names: PhraseSet<Noted>,
    /// Say no as a whole answer.
    noes: PhraseSet<()>,
    /// Say so of what was looked for: "not heard".
    lacking: PhraseSet<()>,
    /// Whole answers behind which the next question may begin.
    answers: PhraseSet<()>,
    /// What says no to one question alone, by its finding.
    own_answers: PhraseSet<ConceptRef>,
    /// May stand between a question and its mark: "has he passed urine today?".
    tails: PhraseSet<()>,
    /// May stand between one with answers of its own and those.
    sizes: PhraseSet<()>,
    /// May stand before what is asked.
    asking: PhraseSet<()>,
    levels: Levels,
}

/// What a name is of.
#[derive(Clone, Copy, Debug)]
enum Noted {
    Asked(Question),
    /// The number of a level.
    Level(usize),
}

/// A question whose "no" is a finding.
#[derive(Clone, Copy, Debug)]
struct Question {
    no: ConceptRef,
    /// "Breathing: N" is normal.
    n_is_normal: bool,
    /// Only answers of its own say no.
    has_answers: bool,
}

/// Words of the next question, and the sign behind it.
const QUESTION_MAX: usize = 5;
/// Tokens of a size and what goes with it.
const SIZE_MAX: usize = 8;
/// Words before what is asked: "has the mother been".
const ASKING_MAX: usize = 4;

impl Forms {
    pub(super) fn new(
        base: &KnowledgeBase,
        words: &FormWords,
        scope: &ScopeWords,
        figures: Arc<Figures>,
    ) -> Self {
        let mut names = PhraseSet::default();
        let mut own_answers = PhraseSet::default();
        for asked in &words.asked {
            let Some(no) = base.resolve(&asked.no) else {
                continue;
            };
            let noted = Noted::Asked(Question {
                no,
                n_is_normal: asked.n_is_normal,
                has_answers: !asked.answers.is_empty(),
            });
            for question in &asked.questions {
                names.add_phrase(question, noted);
            }
            for answer in &asked.answers {
                own_answers.add_phrase(answer, no);
            }
        }
        for (number, level) in words.level.iter().enumerate() {
            for name in &level.names {
                names.add_phrase(name, Noted::Level(number));
            }
        }
        Self {
            names,
            own_answers,
            tails: PhraseSet::of(&words.tails),
            sizes: PhraseSet::of(&words.sizes),
            noes: PhraseSet::of(&scope.noes),
            lacking: PhraseSet::of(&words.lacking),
            answers: PhraseSet::of(&words.whole_answers),
            asking: PhraseSet::of(&words.asking),
            levels: Levels::new(base, words, figures),
        }
    }

    /// Words that no other list has, for the speller.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.lacking, &self.asking];
        let listed = lists.into_iter().flat_map(PhraseSet::vocabulary);
        self.names.vocabulary().chain(listed)
    }

    /// Whether a word begins what a form asks for, or a name that an arrow may stand beside.
    pub(super) fn begins(&self, key: u64) -> bool {
        self.names.begun(key).is_some()
    }

    /// Adds what answers and arrows say; what was heard in the same words gives way.
    pub(super) fn apply(&self, (text, reading): (&str, &Reading<'_>), spotted: &mut Vec<Spotted>) {
        let mut made: Vec<Spotted> = Vec::new();
        reading.take_each_of([Trait::Noted], |at| {
            let (length, noted) = self.names.longest_at(&reading.keys, at)?;
            let name = at..at + length;
            let taken = made.last().map_or(0, |it| it.last() + 1);
            let told = noted.iter().find_map(|noted| match noted {
                Noted::Asked(question) => self.refused((text, reading), *question, name.clone()),
                Noted::Level(number) => {
                    let (level, name) = (*number, name.clone());
                    self.levels.told((text, reading), level, name, taken)
                }
            })?;
            let end = told.last() + 1;
            made.push(told);
            Some(end)
        });
        if made.is_empty() {
            return;
        }
        let holds =
            |made: &Spotted, it: &Spotted| made.first() <= it.first() && it.last() <= made.last();
        spotted.retain(|it| !made.iter().any(|made| holds(made, it)));
        spotted.extend(made);
        spotted.sort_by_key(Spotted::first);
    }

    /// What a question says that is answered with no. The answer is part of it, so that it denies nothing that follows.
    fn refused(
        &self,
        (text, reading): (&str, &Reading<'_>),
        question: Question,
        name: Range<usize>,
    ) -> Option<Spotted> {
        let end = match question.has_answers {
            true => self.own_no_behind(reading, question, name.end)?,
            false => self
                .ticked_no_behind((text, reading), name.end)
                .or_else(|| self.no_behind(reading, question, name.end))?,
        };
        let told = || Spotted::derived(question.no, (name.start..end).collect());
        self.heads(reading, name.start).then(told)
    }

    /// Where answers with boxes end of which the no is ticked: "able to drink: [ ] yes [x] no".
    fn ticked_no_behind(
        &self,
        (text, reading): (&str, &Reading<'_>),
        from: usize,
    ) -> Option<usize> {
        let word = |at: usize| reading.word(at);
        let from = from + self.tails.length_at(&reading.keys, from);
        let from = from + usize::from(matches!(word(from), "?" | ":"));
        let noes = &self.noes;
        let end = Boxes {
            text,
            reading,
            noes,
        }
        .ticked_no(from)?;
        let behind = reading.tokens.get(end);
        // "Conscious [x] No [ ]" has a box too many.
        let closes = behind.is_none_or(|it| it.is_sign() && word(end) != "[");
        closes.then_some(end)
    }

    /// Where a whole answer ends that says no.
    fn no_behind(&self, reading: &Reading<'_>, question: Question, from: usize) -> Option<usize> {
        let word = |at: usize| reading.word(at);
        let from = from + self.tails.length_at(&reading.keys, from);
        let led = matches!(word(from), "?" | ":" | "=" | "|" | "(" | "[");
        let mut at = from + usize::from(led);
        // "Conscious?: no", or with its answer on the next line.
        at += usize::from(led && matches!(word(at), ":" | "\n"));
        at += usize::from(matches!(word(at), "is" | "are" | "was" | "were"));
        let lacks = self.lacking.length_at(&reading.keys, at);
        let end = at + lacks.max(self.noes.length_at(&reading.keys, at));
        // A small "n" by itself is a slip.
        let is_letter = word(at) == "n" && end == at + 1;
        let says_no = !is_letter || (!question.n_is_normal && (led || reading.tokens[at].capitals));
        let closes = || match word(end) {
            "/" | "?" | "%" | "+" => false,
            _ => reading.tokens.get(end).is_none_or(|it| {
                it.is_sign()
                    || (lacks > 0 && reading.is_light(end))
                    || reading.marks.has_one_of(end, [Mark::Beginning, Mark::Now])
                    || (led && Self::asks_at(reading, end))
            }),
        };
        // "Conscious: no. of convulsions: 1".
        let counts = word(end) == "of" || (word(end) == "." && word(end + 1) == "of");
        (end > at && says_no && !counts && closes()).then_some(end)
    }

    /// The same where one question has answers of its own, behind a size: "pupils 6 mm, not reactive".
    fn own_no_behind(
        &self,
        reading: &Reading<'_>,
        question: Question,
        from: usize,
    ) -> Option<usize> {
        let mut at = from + usize::from(reading.words.get(from) == Some(&":"));
        while at < reading.len() && at - from <= SIZE_MAX {
            let answer = self.own_answers.longest_at(&reading.keys, at);
            if let Some((length, findings)) = answer {
                return findings.contains(&question.no).then_some(at + length);
            }
            let size = usize::from(reading.tokens[at].is_number());
            match size.max(self.sizes.length_at(&reading.keys, at)) {
                0 => return None,
                length => at += length,
            }
        }
        None
    }

    /// Whether the next question of a form begins here: "Conscious: no Breathing: no".
    fn asks_at(reading: &Reading<'_>, at: usize) -> bool {
        let near = at..reading.len().min(at + QUESTION_MAX);
        let mut words = near.skip_while(|at| reading.tokens[*at].is_word());
        let sign = words.next().filter(|sign| *sign > at);
        sign.is_some_and(|sign| matches!(reading.words[sign], "?" | ":" | "="))
    }

    /// Whether what is asked begins here, behind words such as "is the patient" at most: "fast breathing: no" asks for something
    /// else.
    fn heads(&self, reading: &Reading<'_>, name: usize) -> bool {
        let from = name.saturating_sub(ASKING_MAX);
        let leads = |at: &usize| self.asking.length_at(&reading.keys, *at) > 0;
        let asking = (from..name).rev().take_while(leads).count();
        let Some(before) = (name - asking).checked_sub(1) else {
            return true;
        };
        let token = reading.tokens[before];
        let is_sign = token.is_sign() && !matches!(reading.words[before], "/" | "+" | "&");
        is_sign || token.is_number() || self.answers.length_at(&reading.keys, before) > 0
    }
}
