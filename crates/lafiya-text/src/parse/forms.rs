//! What forms and terse notes write next to a name: "Conscious? No", "Passing urine: N", "FHS not
//! heard", "BP ↑".
//!
//! Here "no" is the danger sign, while for "Convulsions?" it is a negation. A question counts only
//! if it is the whole of what is asked, and an answer only if it is complete: "Difficulty in
//! breathing: no" and "Breathing: no distress" do not match.

use std::ops::Range;
use std::sync::Arc;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::boxes::Boxes;
use super::draft_mention::DraftMention;
use super::figures::Figures;
use super::levels::Levels;
use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::{FormWords, ScopeWords};

/// The phrases of forms, indexed.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    names: PhraseSet<Noted>,
    /// Phrases that mean no as a complete answer.
    noes: PhraseSet<()>,
    /// Phrases for something that was looked for and not found: "not heard".
    lacking: PhraseSet<()>,
    /// Complete answers after which the next question may begin.
    answers: PhraseSet<()>,
    /// Phrases that mean no for only one question, by its finding.
    own_answers: PhraseSet<ConceptRef>,
    /// Words that may come between a question and its question mark: "has he passed urine today?".
    tails: PhraseSet<()>,
    /// Words that may come between a question with its own answers and these answers.
    sizes: PhraseSet<()>,
    /// Words that may precede what is asked.
    asking: PhraseSet<()>,
    levels: Levels,
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug)]
enum Noted {
    Asked(Question),
    /// The index of a level.
    Level(usize),
}

/// A question for which "no" is a finding.
#[derive(Clone, Copy, Debug)]
struct Question {
    no: ConceptRef,
    /// "Breathing: N" means normal.
    n_is_normal: bool,
    /// Only its own answers mean no.
    has_answers: bool,
}

/// Maximum words of the next question, including the sign after it.
const QUESTION_MAX: usize = 5;
/// Maximum tokens of a size and the words around it.
const SIZE_MAX: usize = 8;
/// Maximum words before what is asked: "has the mother been".
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

    /// Returns words that no other list contains, for the spelling corrector.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.lacking, &self.asking];
        let listed = lists.into_iter().flat_map(PhraseSet::vocabulary);
        self.names.vocabulary().chain(listed)
    }

    /// Whether a word begins a question of a form, or a name that an arrow may accompany.
    pub(super) fn begins(&self, key: u64) -> bool {
        self.names.begun(key).is_some()
    }

    /// Adds the findings of answers and arrows. They replace findings recognised in the same words.
    pub(super) fn apply(
        &self,
        (text, reading): (&str, &Reading<'_>),
        drafts: &mut Vec<DraftMention>,
    ) {
        let mut made: Vec<DraftMention> = Vec::new();
        reading.take_each_of([Trait::Noted], |at| {
            let (length, noted) = self.names.longest_at(&reading.keys, at)?;
            let name = at..at + length;
            let taken = made.last().map_or(0, |mention| mention.last() + 1);
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
        let holds = |made: &DraftMention, mention: &DraftMention| {
            made.first() <= mention.first() && mention.last() <= made.last()
        };
        drafts.retain(|mention| !made.iter().any(|made| holds(made, mention)));
        drafts.extend(made);
        drafts.sort_by_key(DraftMention::first);
    }

    /// Returns the finding of a question that is answered with no. It covers the answer, so that
    /// the answer negates nothing that follows.
    fn refused(
        &self,
        (text, reading): (&str, &Reading<'_>),
        question: Question,
        name: Range<usize>,
    ) -> Option<DraftMention> {
        let end = match question.has_answers {
            true => self.own_no_behind(reading, question, name.end)?,
            false => self
                .ticked_no_behind((text, reading), name.end)
                .or_else(|| self.no_behind(reading, question, name.end))?,
        };
        let told = || DraftMention::derived(question.no, (name.start..end).collect());
        self.heads(reading, name.start).then(told)
    }

    /// Returns the end of a group of ticked answers where only the no is ticked: "able to drink: [
    /// ] yes [x] no".
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
        // "Conscious [x] No [ ]" has one box too many.
        let closes = behind.is_none_or(|behind| behind.is_sign() && word(end) != "[");
        closes.then_some(end)
    }

    /// Returns the end of a complete answer that means no.
    fn no_behind(&self, reading: &Reading<'_>, question: Question, from: usize) -> Option<usize> {
        let word = |at: usize| reading.word(at);
        let from = from + self.tails.length_at(&reading.keys, from);
        let led = matches!(word(from), "?" | ":" | "=" | "|" | "(" | "[");
        let mut at = from + usize::from(led);
        // "Conscious?: no", or an answer on the next line.
        at += usize::from(led && matches!(word(at), ":" | "\n"));
        at += usize::from(matches!(word(at), "is" | "are" | "was" | "were"));
        let lacks = self.lacking.length_at(&reading.keys, at);
        let end = at + lacks.max(self.noes.length_at(&reading.keys, at));
        // A lower-case "n" on its own is a typing error.
        let is_letter = word(at) == "n" && end == at + 1;
        let says_no = !is_letter || (!question.n_is_normal && (led || reading.tokens[at].capitals));
        let closes = || match word(end) {
            "/" | "?" | "%" | "+" => false,
            _ => reading.tokens.get(end).is_none_or(|token| {
                token.is_sign()
                    || (lacks > 0 && reading.is_light(end))
                    || reading.marks.has_one_of(end, [Mark::Beginning, Mark::Now])
                    || (led && Self::asks_at(reading, end))
            }),
        };
        // "Conscious: no. of convulsions: 1": here, "no." means number.
        let counts = word(end) == "of" || (word(end) == "." && word(end + 1) == "of");
        (end > at && says_no && !counts && closes()).then_some(end)
    }

    /// Returns the end of an answer that only this question has, after a size: "pupils 6 mm, not
    /// reactive".
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

    /// Whether the question begins here, preceded at most by words such as "is the patient". "Fast
    /// breathing: no" asks for something else.
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
