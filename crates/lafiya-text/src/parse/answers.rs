//! Answers in forms and short notes: "Convulsions? No.", "vomiting -, fever +", "cough N", "fever [
//! ]".
//!
//! A sign is an answer only directly after its finding and with nothing following it. A single
//! hyphen is not enough: it must come before a comma or be in brackets, or the text must use such
//! signs elsewhere.

use std::ops::Range;

use memchr::memchr;

use super::boxes::{Boxes, box_at};
use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use crate::fold::Token;
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The answer phrases, indexed.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    /// Phrases that mean no as a complete answer.
    noes: PhraseSet<()>,
    /// Words that form a question together with the findings it asks about.
    asking: PhraseSet<()>,
    /// Those that can start a question, which then covers the whole list of findings.
    openers: PhraseSet<()>,
    /// Phrases that retract a no: "no, it is worse".
    taking_back: PhraseSet<()>,
}

/// Maximum tokens from a counted finding to its count: "No of convulsions in the last 24 hours: 2".
const COUNT_WITHIN: usize = 8;

/// A text with the answer style it uses.
pub(super) struct Answered<'t, 'r> {
    text: &'t str,
    reading: &'t Reading<'r>,
    covered: &'t [bool],
    has_minus: bool,
    /// Whether some finding is answered with a plus, or with a minus that cannot be anything else.
    signed: bool,
    has_boxes: bool,
    /// Whether some box is ticked, so that empty boxes are informative.
    ticked: bool,
    asked: bool,
}

impl<'t, 'r> Answered<'t, 'r> {
    pub(super) fn of(
        text: &'t str,
        (reading, covered): (&'t Reading<'r>, &'t [bool]),
        drafts: &[DraftMention],
    ) -> Self {
        // Fast path: most texts have no hyphen, and few of the others have such signs.
        let has = |sign: u8| memchr(sign, text.as_bytes()).is_some();
        let has_minus = has(b'-') || (!text.is_ascii() && text.contains(['\u{2212}', '–', '—']));
        let has_boxes = has(b'[');
        let mut answered = Self {
            text,
            reading,
            covered,
            has_minus,
            signed: false,
            has_boxes,
            ticked: has_boxes
                && ["[x]", "[X]"]
                    .iter()
                    .any(|ticked_box| text.contains(ticked_box)),
            asked: has(b'?'),
        };
        answered.signed = has_minus && drafts.iter().any(|mention| answered.is_signed(mention));
        answered
    }

    fn word(&self, at: usize) -> &str {
        self.reading.word(at)
    }

    fn has_minus_before(&self, at: usize) -> bool {
        self.reading
            .gap_before(self.text, at)
            .contains(['-', '\u{2212}'])
    }

    /// Whether a plus follows a finding, or a minus directly before a comma or in brackets.
    fn is_signed(&self, mention: &DraftMention) -> bool {
        let next = mention.last() + 1;
        let at = next + usize::from(self.word(next) == "(");
        let plus = self.word(at) == "+"
            && (self.word(at + 1) == "+" || self.closes(at + 1) || self.is_hung_on(at));
        plus || self.minus_closed_by(mention, &[",", ")"])
    }

    /// Whether a sign belongs only to the word before it: "fever+ cough+", but neither "fever +
    /// cough" nor "fever+cough".
    fn is_hung_on(&self, sign: usize) -> bool {
        let tokens = &self.reading.tokens;
        !tokens[sign].spaced && tokens.get(sign + 1).is_none_or(|token| token.spaced)
    }

    /// Whether a minus follows a finding, directly followed by one of the signs.
    fn minus_closed_by(&self, mention: &DraftMention, signs: &[&str]) -> bool {
        let next = mention.last() + 1;
        let at = next + usize::from(matches!(self.word(next), "(" | ":" | "="));
        // A dash is a token of its own.
        let dash = usize::from(matches!(self.word(at), "–" | "—"));
        let is_minus = dash > 0 || self.has_minus_before(at);
        // Skips the "ve" of "Fever (-ve)".
        let behind = at + dash + usize::from(self.word(at + dash) == "ve");
        // "Chest pain -, 2 hours": a dash before a duration.
        let number = self.reading.tokens.get(behind + 1);
        let timed = self.word(behind) == "," && number.is_some_and(Token::is_number);
        is_minus && !timed && signs.contains(&self.word(behind))
    }

    /// Whether an answer ends before a token. "N.B." is not an answer.
    fn closes(&self, at: usize) -> bool {
        let spaced = |at: usize| self.reading.tokens.get(at).is_none_or(|token| token.spaced);
        match self.word(at) {
            "" | "," | ";" | "!" | ")" | "]" | "|" | "\n" => true,
            "." => spaced(at + 1) || self.word(at + 1) == "\n",
            _ => false,
        }
    }

    fn is_minus(&self, mention: &DraftMention) -> bool {
        self.has_minus
            && (self.minus_closed_by(mention, &[",", ")"]) || self.is_minus_beside_others(mention))
    }

    fn is_minus_beside_others(&self, mention: &DraftMention) -> bool {
        self.signed && self.minus_closed_by(mention, &[".", ";", "\n", ""])
    }

    /// Matches "Cough N", "suicidal ideation: N" and "convulsions: 0".
    fn is_letter_or_zero(&self, mention: &DraftMention) -> bool {
        let next = mention.last() + 1;
        let led = matches!(self.word(next), ":" | "=");
        let at = next + usize::from(led);
        let is_no = match self.word(at) {
            "n" => led || self.reading.tokens[at].capitals,
            "0" => led,
            _ => false,
        };
        (is_no && self.closes(at + 1)) || self.is_counted_none(mention)
    }

    /// Whether a finding is counted as zero: "No of convulsions since admission = 0". Any other
    /// count means that it is present.
    fn is_counted_none(&self, mention: &DraftMention) -> bool {
        let word = |back: usize| {
            mention
                .first()
                .checked_sub(back)
                .map_or("", |at| self.word(at))
        };
        let counts = word(1) == "of" && (word(2) == "no" || (word(2) == "." && word(3) == "no"));
        let behind = mention.last() + 1..self.reading.sentence_of(mention.last()).end;
        let behind = behind.take(COUNT_WITHIN);
        let number = |at: usize| self.word(at).parse::<u32>().ok();
        // "(24h): 0": the count follows the sign.
        let signed = || {
            let mut signs = behind.clone();
            signs.find(|at| matches!(self.word(*at), ":" | "="))
        };
        let count = || match signed() {
            Some(sign) => number(sign + 1),
            None => behind.clone().find_map(number),
        };
        counts && count().is_none_or(|count| count == 0)
    }

    /// Whether the box of a finding is empty: "fever [ ]" in a row with boxes after the findings,
    /// or "[ ] fever" in a row with boxes before them.
    fn is_unticked(&self, mention: &DraftMention) -> bool {
        let sentence = self.reading.sentence_of(mention.first());
        let is_stop = |at: &usize| matches!(self.word(*at), "." | "\n" | ";");
        let closing = sentence.clone().rev().find(|at| !is_stop(at));
        let begins = self.word(sentence.start) == "[";
        let ends = closing.is_some_and(|at| self.word(at) == "]");
        let form = (self.text, self.reading);
        let empty = |open: usize| box_at(form, open).is_some_and(|check_box| !check_box.ticked);
        let next = mention.last() + 1;
        let behind = next + usize::from(self.word(next) == ":");
        (ends && !begins && empty(behind))
            || (begins && !ends && mention.first() >= 2 && empty(mention.first() - 2))
    }
}

impl Answers {
    pub(super) fn new(words: &ScopeWords) -> Self {
        Self {
            noes: PhraseSet::of(&words.noes),
            asking: PhraseSet::of(&words.asking),
            openers: PhraseSet::of(&words.asking_first),
            taking_back: PhraseSet::of(&words.taking_back),
        }
    }

    /// Whether the text answers a finding with no.
    pub(super) fn deny(&self, text: &Answered<'_, '_>, mention: &DraftMention) -> bool {
        (mention.well && self.is_no_behind_colon(text, mention.last() + 1))
            || text.is_minus(mention)
            || text.is_letter_or_zero(mention)
            || (text.ticked && text.is_unticked(mention))
            || (text.has_boxes && self.is_ticked_no(text, mention))
            || (text.asked && self.is_asked_in_vain(text, mention))
    }

    /// Whether a complete answer at this token is a no.
    pub(super) fn is_no(&self, reading: &Reading<'_>, at: usize) -> bool {
        let length = self.noes.length_at(&reading.keys, at);
        let behind = reading.tokens.get(at + length);
        length > 0 && behind.is_none_or(Token::is_sign)
    }

    /// Matches "Convulsions [ ] Yes [x] No", but not "fever [x] No cough", where fever is ticked.
    fn is_ticked_no(&self, answered: &Answered<'_, '_>, mention: &DraftMention) -> bool {
        let next = mention.last() + 1;
        let from = next + usize::from(answered.word(next) == ":");
        let boxes = Boxes {
            text: answered.text,
            reading: answered.reading,
            noes: &self.noes,
        };
        let end = boxes.ticked_no(from);
        end.is_some_and(|end| answered.closes(end))
    }

    fn is_no_behind_colon(&self, text: &Answered<'_, '_>, at: usize) -> bool {
        matches!(text.word(at), ":" | "=") && self.is_no(text.reading, at + 1)
    }

    /// Matches "Any fever, cough or vomiting? No." A question about something else ("did he take
    /// anything for the fever?") contains other words besides the findings.
    fn is_asked_in_vain(&self, text: &Answered<'_, '_>, mention: &DraftMention) -> bool {
        let reading = text.reading;
        let sentence = reading.sentence_of(mention.last());
        let asked = sentence.end - 1;
        if !self.is_answered_no(text, asked) {
            return false;
        }
        // "Can he drink or suck? No." negates the ability, whatever else was asked.
        if mention.well {
            return true;
        }
        let is_whole = self.openers.length_at(&reading.keys, sentence.start) > 0;
        // "She has fever, any cough? No.": only the last part is the question.
        let from = if is_whole {
            sentence.start
        } else {
            reading.clause_of(asked).start
        };
        mention.first() >= from && self.asks_for_findings(text, from..asked)
    }

    /// Whether a question ends here and is answered with a no that is not retracted: "no, worse".
    fn is_answered_no(&self, text: &Answered<'_, '_>, asked: usize) -> bool {
        let reading = text.reading;
        let answer = asked + 1 + usize::from(text.word(asked + 1) == "\n");
        if text.word(asked) != "?" || !self.is_no(reading, answer) {
            return false;
        }
        let rest = answer + 1..reading.sentence_of(answer).end;
        !self.taking_back.begins_in(&reading.keys, rest)
    }

    fn asks_for_findings(&self, text: &Answered<'_, '_>, question: Range<usize>) -> bool {
        let Answered {
            reading, covered, ..
        } = text;
        let mut at = question.start;
        while at < question.end {
            let plain =
                covered[at] || reading.words[at] == "," || reading.marks.has(at, Mark::Alternative);
            let length = self.asking.length_at(&reading.keys, at);
            if !plain && length == 0 {
                return false;
            }
            at += length.max(1);
        }
        true
    }
}
