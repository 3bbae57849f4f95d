//! Scope rules: negation, uncertainty, condition and past. Each has a reach, and each reach has an
//! end.

mod backward;

use std::ops::Range;

use jiff::civil::Date;
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Age, Choice};

use super::answers::{Answered, Answers};
use super::begins::Begins;
use super::covered_tokens::CoveredTokens;
use super::current_danger;
use super::denial_ends::{DenialEnd, DenialEnds};
use super::double_negation;
use super::draft_mention::{DraftMention, Dropped};
use super::endings::{self, Endings};
use super::lists::{Item, bare_list_end, item_after, may_head_list};
use super::marks::Mark;
use super::past::{Past, PastFindings};
use super::positional_negation::PositionalNegation;
use super::reading::Reading;
use super::uncertainty::UncertaintyScope;
use crate::hash::{FastSet, set_of};
use crate::phrases::PhraseSet;
use crate::words::{BodyWords, Ignored, ScopeWords};

/// The phrases of the scope rules, indexed.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    triggers: PhraseSet<Trigger>,
    after_negators: PhraseSet<()>,
    /// Words that may come between a finding and a negation after it, and words that may follow
    /// such a negation.
    before_after_negators: PhraseSet<()>,
    behind_after_negators: PhraseSet<()>,
    /// "The cause of the bleeding was not found" does not negate the bleeding.
    sought: PhraseSet<()>,
    /// Phrases that negate what follows, but together with an earlier negation affirm it.
    without: PhraseSet<()>,
    /// Complaints, in canonical form.
    complaints: FastSet<String>,
    moving: PhraseSet<()>,
    unsaid: PhraseSet<()>,
    positional_negation: PositionalNegation,
    doubts: UncertaintyScope,
    denial_ends: DenialEnds,
    /// Verbs of knowing: negating the knowledge does not negate what is known.
    knowing: PhraseSet<()>,
    /// Phrases for what matters: "It is not the cough that worries me" does not negate the cough.
    mattering: PhraseSet<()>,
    /// Words that open a list without "or": "no cough, fever, night sweats".
    list_openers: PhraseSet<()>,
    /// Words that may come between a test and its result.
    tellings: PhraseSet<()>,
    answers: Answers,
    endings: Endings,
    /// Includes the danger signs, which count even if they are said to be over: a fit that stopped,
    /// a bleeding that ceased.
    past_findings: PastFindings,
}

/// The longest phrase wins; among equals, the first kind in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trigger {
    NotNegator,
    Echo,
    Doubt,
    Hypothetical,
    Denial,
    ListNegator,
    Negator,
}

/// Maximum unrelated words between a negation and what it negates.
const UNKNOWN_WORDS_MAX: usize = 2;
/// Maximum words from "it is not" to "that worries me".
const MATTER_REACH: usize = 7;
/// Maximum words of one item of a negated list.
const ITEM_WORDS_MAX: usize = 4;

impl Scope {
    pub(super) fn new(
        (words, ignored, body): (&ScopeWords, &Ignored, &BodyWords),
        base: &KnowledgeBase,
    ) -> Self {
        let mut triggers = PhraseSet::default();
        let lists = [
            (&words.not_negators, Trigger::NotNegator),
            (&words.echoes, Trigger::Echo),
            (&words.doubts, Trigger::Doubt),
            (&words.hypotheticals, Trigger::Hypothetical),
            (&words.denials, Trigger::Denial),
            (&words.list_negators, Trigger::ListNegator),
            (&words.negators, Trigger::Negator),
            (&words.unsaid, Trigger::Negator),
            (&words.opening_negators, Trigger::Negator),
            (&words.paired_negators, Trigger::Negator),
        ];
        for (list, trigger) in lists {
            for phrase in list {
                triggers.add_phrase(phrase, trigger);
            }
        }
        Self {
            triggers,
            after_negators: PhraseSet::of(&words.after_negators),
            before_after_negators: PhraseSet::of(&words.before_after_negators),
            behind_after_negators: PhraseSet::of(&words.behind_after_negators),
            sought: PhraseSet::of(&words.sought),
            without: PhraseSet::of(&words.without),
            complaints: set_of(&body.complaints),
            moving: PhraseSet::of(&words.moving),
            unsaid: PhraseSet::of(&words.unsaid),
            positional_negation: PositionalNegation::new(words),
            doubts: UncertaintyScope::new(words),
            denial_ends: DenialEnds::new(words),
            knowing: PhraseSet::of(&words.knowing),
            mattering: PhraseSet::of(&words.mattering),
            list_openers: PhraseSet::of(&words.list_openers),
            tellings: PhraseSet::of(&words.tellings),
            answers: Answers::new(words),
            endings: Endings::new(words, base),
            past_findings: PastFindings::new(base, ignored, words),
        }
    }

    /// Whether a word begins a negation of what precedes it.
    pub(super) fn begins_after_negator(&self, key: u64) -> bool {
        self.after_negators.begun(key).is_some() || self.positional_negation.begins_frame(key)
    }

    /// Returns words that no other list contains, for the spelling corrector.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        [&self.after_negators, &self.sought, &self.knowing]
            .into_iter()
            .flat_map(PhraseSet::vocabulary)
    }

    /// Applies all scope rules to the findings of a text.
    pub(super) fn apply(
        &self,
        (text, reading, in_time): (&str, &Reading<'_>, &[bool]),
        covered: &CoveredTokens,
        (age, today): (Option<Age>, Option<Date>),
        drafts: &mut [DraftMention],
    ) {
        let begins = Begins::of(reading, drafts);
        self.forward((reading, in_time), (&begins, covered.tokens()), drafts);
        let answered = Answered::of(text, (reading, covered.tokens()), drafts);
        let past = Past::of(reading, age, self.past_findings.last_past_year(today));
        for mention in drafts.iter_mut() {
            self.backward(reading, (&begins, covered.tokens()), mention);
            if (mention.well || !mention.derived) && self.answers.deny(&answered, mention) {
                self.answer_no(reading, mention);
            }
            if let Some(past) = &past {
                past.drop(reading, &self.past_findings, mention);
            }
            let first = mention.first();
            let queried =
                first > 0 && reading.words[first - 1] == "?" && !reading.tokens[first].spaced;
            if queried && !mention.derived {
                mention.choice = Choice::Unknown;
            }
        }
        current_danger::note(reading, &self.past_findings.dangers, drafts);
        self.share(reading, covered.tokens(), drafts);
    }

    /// Applies the answer "no": a finding is then absent, and an ability that is asked about is
    /// then missing.
    fn answer_no(&self, reading: &Reading<'_>, mention: &mut DraftMention) {
        if mention.well && endings::tells_end(reading, mention) {
            // "Has the bleeding stopped? No.": the bleeding is present.
            mention.choice = Choice::Present;
        } else if mention.well {
            self.refuse(mention);
        } else {
            mention.choice = Choice::Absent;
        }
    }

    /// Handles two findings that are negated or over together: "Kernig's and Brudzinski's
    /// negative", "the fever and headache are gone".
    fn share(&self, reading: &Reading<'_>, covered: &[bool], drafts: &mut [DraftMention]) {
        for n in (1..drafts.len()).rev() {
            let (before, rest) = drafts.split_at_mut(n);
            let (mention, next) = (&mut before[n - 1], &rest[0]);
            let may_share = mention.choice == Choice::Present
                && next.choice == Choice::Absent
                && !mention.derived
                && !next.derived
                && mention.last() < next.first();
            if !may_share {
                continue;
            }
            let between = mention.last() + 1..next.first();
            let joins = |at: usize| {
                reading.marks.has(at, Mark::Joiner)
                    || self.before_after_negators.length_at(&reading.keys, at) > 0
                    || reading.is_light(at)
            };
            let joined = reading.same_sentence(mention.last(), next.first())
                && reading.marks.first(between.clone(), Mark::Joiner).is_some()
                && reading
                    .marks
                    .first(between.clone(), Mark::Trigger)
                    .is_none()
                && between.clone().all(joins);
            let is_danger = self.past_findings.dangers.contains(mention.concept);
            if joined
                && (mention.concept == next.concept
                    || (!is_danger && self.endings.end_together((reading, covered), mention, next)))
            {
                mention.choice = Choice::Absent;
            }
        }
    }

    fn forward(
        &self,
        (reading, in_time): (&Reading<'_>, &[bool]),
        (begins, covered): (&Begins, &[bool]),
        drafts: &mut [DraftMention],
    ) {
        let tokens = (begins, covered);
        let next = |from: usize| reading.marks.next(from, Mark::Trigger);
        let mut at = next(0);
        while at < reading.len() {
            // "I do not feel the baby move" is a finding whose phrase contains its own "not".
            let found = self.triggers.longest_at(&reading.keys, at);
            let found = found.filter(|(length, kinds)| {
                let denies = |n: usize| reading.forms[reading.unit_of(n)].denies;
                // "No dey cough": the finding covers "dey", but not "no".
                let is_phrase =
                    (at..at + length).any(|n| covered[n] && denies(n) && reading.words[n] != "dey");
                let is_echo = kinds.contains(&Trigger::Echo);
                let its_own = || covered[at + length - 1] || self.goes_on(reading, at + length);
                self.positional_negation.denies_at(reading, at)
                    && !(covered[at] || is_phrase || (is_echo && its_own()))
            });
            let Some((length, kinds)) = found else {
                at = next(at + 1);
                continue;
            };
            let mut after = at + length;
            // "not sure if": the "if" belongs to the uncertainty.
            let doubt = kinds.contains(&Trigger::Doubt);
            if doubt
                && reading
                    .words
                    .get(after)
                    .is_some_and(|word| matches!(*word, "if" | "whether"))
            {
                after += 1;
            }
            // "Cannot say she has no fever", "it is not that he has no cough": the negated finding
            // becomes unknown.
            let is_unsaid = || self.unsaid.length_at(&reading.keys, at) == length;
            if (doubt || is_unsaid())
                && let Some(behind) = self.denial_right_behind(reading, covered, after)
            {
                self.doubt(reading, drafts, behind);
                at = next(behind);
                continue;
            }
            let denies = || kinds.iter().all(|kind| *kind >= Trigger::Denial);
            let goes_on = |comma: usize| self.list_ends_in_or(reading, comma);
            if let Some((until, up_to)) =
                self.denial_ends
                    .end_after((reading, in_time, covered), after, goes_on)
                && denies()
            {
                if up_to == DenialEnd::ThisDay {
                    let is_denied = |mention: &&mut DraftMention| {
                        (at + 1..until).contains(&mention.first()) && !mention.derived
                    };
                    for mention in drafts.iter_mut().filter(is_denied) {
                        mention.choice = Choice::Unknown;
                    }
                }
                at = next(until);
                continue;
            }
            // "I have not gone down in weight": the "gone" belongs to the finding.
            let swallowed = length > 1 && (at + 1..after).any(|n| covered[n]);
            if kinds.contains(&Trigger::Negator) {
                if let Some(behind) = self.denies_no_finding(reading, (at, after)) {
                    at = next(behind);
                    continue;
                }
                if self.without.length_at(&reading.keys, at) == length
                    && let Some(denial) = double_negation::taken_back(reading, covered, drafts, at)
                {
                    let is_complaint = |at: usize| {
                        self.complaints
                            .contains(reading.units[reading.unit_of(at)].form)
                    };
                    let is_moving = |at: usize| self.moving.length_at(&reading.keys, at) > 0;
                    double_negation::state(drafts, (denial, at), is_complaint, is_moving);
                    at = next(after);
                    continue;
                }
            }
            match kinds.iter().min() {
                Some(Trigger::NotNegator) if swallowed => {
                    after = at + 1;
                    self.deny(reading, (tokens, drafts), (after, after), Trigger::Negator);
                }
                Some(Trigger::Echo) if self.echo(reading, drafts, at, after) => {}
                Some(Trigger::Echo) => {
                    self.deny(
                        reading,
                        (tokens, drafts),
                        (at + 1, at + 1),
                        Trigger::Negator,
                    );
                }
                // "Attacks, maybe three a week, in which my heart pounds": only the count is
                // uncertain.
                Some(Trigger::Doubt) if is_count(reading, after) => {}
                Some(Trigger::Doubt) => self.doubt(reading, drafts, after),
                // "If I lie flat, sour water comes up": what follows the comma does happen.
                Some(Trigger::Hypothetical)
                    if matches!(reading.words[at], "if" | "si" | "se")
                        && reading.clause_of(at).start == at =>
                {
                    let clause = reading.clause_of(at);
                    for mention in drafts.iter_mut() {
                        if clause.contains(&mention.first()) && !mention.derived {
                            mention.dropped = Some(Dropped::Hypothetical);
                        }
                    }
                }
                Some(Trigger::Hypothetical) => {
                    self.reach(reading, drafts, after, |mention| {
                        mention.dropped = Some(Dropped::Hypothetical);
                    });
                }
                Some(&trigger) if trigger >= Trigger::Denial => {
                    self.deny(reading, (tokens, drafts), (at + 1, after), trigger);
                }
                _ => {}
            }
            at = next(after);
        }
    }

    /// Returns the end of a negation that directly follows an uncertainty, with only light words in
    /// between.
    fn denial_right_behind(
        &self,
        reading: &Reading<'_>,
        covered: &[bool],
        from: usize,
    ) -> Option<usize> {
        let marks = [Mark::Statement, Mark::StatementVerb];
        let says_nothing = |at: &usize| {
            let is_plain = reading.is_light(*at) || reading.marks.has_one_of(*at, marks);
            is_plain && !reading.tokens[*at].is_sign() && !reading.marks.has(*at, Mark::Trigger)
        };
        let at = from + (from..reading.len()).take_while(says_nothing).count();
        let found = self.triggers.longest_at(&reading.keys, at);
        let (length, kinds) = found.filter(|_| at < reading.len() && !covered[at])?;
        let denies = kinds.iter().all(|kind| *kind >= Trigger::Denial);
        denies.then_some(at + length)
    }

    /// Returns the end of a negation that applies to something other than findings: "I did not know
    /// that the headache is dangerous", "it is not the cough that worries me".
    fn denies_no_finding(
        &self,
        reading: &Reading<'_>,
        (at, after): (usize, usize),
    ) -> Option<usize> {
        let word = |at: usize| reading.word(at);
        let knowing = self.knowing.length_at(&reading.keys, after);
        // "She does not know of any fever" does negate the fever.
        if knowing > 0 && !matches!(word(after + knowing), "of" | "any") {
            return Some(after + knowing);
        }
        // "There is no vomiting that worries me" does negate the vomiting.
        let of_it =
            at > 0 && matches!(word(at - 1), "its" | "is" | "was" | "s" | "it") && word(at) != "no";
        if !of_it && word(after - 1) != "be" {
            return None;
        }
        let clause = reading.clause_of(at).end.min(after + MATTER_REACH);
        (after..clause).find(|&at| self.mattering.length_at(&reading.keys, at) > 0)
    }

    /// Handles "... but not today": negates the last finding, if no finding follows in the clause.
    fn echo(
        &self,
        reading: &Reading<'_>,
        drafts: &mut [DraftMention],
        at: usize,
        after: usize,
    ) -> bool {
        let clause_end = reading.clause_of(at).end;
        if drafts
            .iter()
            .any(|mention| (after..clause_end).contains(&mention.first()))
        {
            return false;
        }
        let near = |mention: &&mut DraftMention| {
            mention.last() < at && reading.sentence(mention.last()) + 1 >= reading.sentence(at)
        };
        match drafts
            .iter_mut()
            .filter(near)
            .max_by_key(|mention| mention.last())
        {
            Some(last) => {
                last.choice = Choice::Absent;
                last.dropped = None;
                true
            }
            None => false,
        }
    }

    /// Whether a negation that ends here continues into something else: "I don't." refers to the
    /// last finding, "she doesn't look at me" does not.
    fn goes_on(&self, reading: &Reading<'_>, after: usize) -> bool {
        let last = self.triggers.longest_at(&reading.keys[..after], after - 1);
        let ends_in_denial = last.is_some_and(|(_, kinds)| kinds.contains(&Trigger::Negator));
        let is_followed = after < reading.len() && !reading.tokens[after].is_sign();
        ends_in_denial && is_followed
    }

    /// Applies `turn` to everything up to the end of the sentence, a barrier or a new statement:
    /// "maybe it was the food, she vomits", "if I eat, I vomit".
    fn reach(
        &self,
        reading: &Reading<'_>,
        drafts: &mut [DraftMention],
        from: usize,
        turn: impl Fn(&mut DraftMention),
    ) {
        let reach = reach_of(reading, from);
        for mention in drafts
            .iter_mut()
            .filter(|mention| !mention.derived && reach.contains(&mention.first()))
        {
            turn(mention);
        }
    }

    /// Marks everything that an uncertainty governs as unknown. After the comma or colon of an
    /// uncertain disease, the observations are certain.
    fn doubt(&self, reading: &Reading<'_>, drafts: &mut [DraftMention], from: usize) {
        let goes_on = |comma: usize| self.list_ends_in_or(reading, comma);
        let reach = reach_of(reading, from);
        let reach = self.doubts.governed(reading, drafts, reach, goes_on);
        for mention in drafts
            .iter_mut()
            .filter(|mention| !mention.derived && reach.contains(&mention.first()))
        {
            mention.choice = Choice::Unknown;
        }
    }

    /// Negates the first finding after a negation, and the following ones of a list. The finding
    /// may begin inside the negation phrase itself ("no history of allergy" contains "history of
    /// allergy"): `inside` is the first possible token, `from` the one after the phrase.
    fn deny(
        &self,
        reading: &Reading<'_>,
        ((begins, covered), drafts): ((&Begins, &[bool]), &mut [DraftMention]),
        (inside, from): (usize, usize),
        trigger: Trigger,
    ) {
        let mut at = inside;
        let mut unknown_words = 0;
        let mut reached = false;
        let mut list_end = 0;
        let opens_list = || {
            trigger == Trigger::Negator
                && self.list_openers.length_at(&reading.keys, inside - 1) > 0
                // "No known allergies, diabetic, hypertensive" negates only the allergies.
                && reading.words.get(inside) != Some(&"known")
        };
        let sentence = reading.sentence_of(from.min(reading.len() - 1));
        while sentence.contains(&at) {
            // "I no dey cough and I dey vomit": a new statement is not negated.
            if reached && at >= from && reading.marks.has(at, Mark::Statement) {
                return;
            }
            if begins.any(at) {
                // "No smell and no taste": the second has its own negation, which is part of a
                // present finding.
                if at >= from && reading.forms[reading.unit_of(at)].denies {
                    return;
                }
                if begins.at(at).any(|n| drafts[n].well) {
                    // "Not eating well" means the opposite of "eating well"; after a comma or a
                    // colon, "eats well" is a statement of its own.
                    let is_item = at > 0 && reading.tokens[at - 1].is_sign();
                    if !reached && at <= from && !is_item {
                        self.deny_well(drafts, begins, at);
                    }
                    return;
                }
            }
            if let Some(mut end) = deny_at(drafts, begins, at) {
                // A finding that shares a word with it is negated as well.
                let mut inner = at + 1;
                while inner < end {
                    end = deny_at(drafts, begins, inner).map_or(end, |ends| ends.max(end));
                    inner += 1;
                }
                at = end;
                reached = true;
                continue;
            }
            if at < from {
                at += 1;
                continue;
            }
            // "She is never without headache": what follows belongs to the other negation.
            if reading.marks.has(at, Mark::Trigger) && self.without.length_at(&reading.keys, at) > 0
            {
                return;
            }
            if reached && at >= list_end && may_head_list(reading, at) && opens_list() {
                list_end = bare_list_end(reading, covered, at).unwrap_or_default();
            }
            if at < list_end {
                at += 1;
                continue;
            }
            match item_after(reading, covered, at) {
                Some(Item::Statement) => return,
                Some(Item::Finding) if trigger == Trigger::Denial => {}
                _ if self.ends_denial(reading, at, trigger, reached) => return,
                _ => {}
            }
            let plain = reading.marks.has(at, Mark::Joiner)
                || reading.words[at] == ","
                || reading.is_light(at);
            if !plain {
                // "no weakness of hand or leg": an unknown item followed by another one. A list
                // introduced by a negation verb ("denies ...") may contain longer items.
                let item_words = match trigger {
                    Trigger::Denial | Trigger::ListNegator => ITEM_WORDS_MAX + 2,
                    _ => 3,
                };
                let listed = (at + 1..(at + item_words).min(reading.len())).any(|n| {
                    reading.marks.has(n, Mark::Alternative)
                        || (reading.words[n] == "," && self.list_ends_in_or(reading, n))
                });
                unknown_words += usize::from(!listed);
                if (reached && !listed) || unknown_words > UNKNOWN_WORDS_MAX {
                    return;
                }
            }
            at += 1;
        }
    }

    /// Negates an ability: a patient who is not well in some respect has the finding. Danger signs
    /// are excluded: "not alert" is not a coma.
    fn deny_well(&self, drafts: &mut [DraftMention], begins: &Begins, at: usize) {
        for n in begins.at(at) {
            self.refuse(&mut drafts[n]);
        }
    }

    fn refuse(&self, mention: &mut DraftMention) {
        if self.past_findings.dangers.contains(mention.concept) {
            mention.dropped = Some(Dropped::Hypothetical);
        } else {
            mention.choice = Choice::Present;
        }
    }

    fn ends_denial(
        &self,
        reading: &Reading<'_>,
        at: usize,
        trigger: Trigger,
        reached: bool,
    ) -> bool {
        let words = &reading.words;
        if reading.marks.has(at, Mark::Barrier) {
            return true;
        }
        if words[at] == "," {
            let list = self.list_ends_in_or(reading, at);
            return !(list || (reached && trigger <= Trigger::ListNegator));
        }
        // A joiner followed by a verb ends the negation: "Denies fever and has chest pain".
        let says_more = at > 0
            && reading.marks.has(at, Mark::StatementVerb)
            && reading.marks.has(at - 1, Mark::Joiner);
        let ends = [Mark::Statement, Mark::Trigger];
        reached && (says_more || reading.marks.has_one_of(at, ends))
    }

    /// Whether the items after a comma belong to the list because an "or" joins one of them: "no
    /// fever, cough or rash". An item has few words, and none that begins a statement.
    fn list_ends_in_or(&self, reading: &Reading<'_>, comma: usize) -> bool {
        let mut item = 0;
        for at in comma + 1..reading.sentence_of(comma).end {
            if reading.marks.has(at, Mark::Alternative) {
                return true;
            }
            let states = reading.marks.has(at, Mark::Statement)
                || reading.marks.has(at, Mark::Barrier)
                || reading.marks.has(at, Mark::Trigger);
            // "three or four times" is not a list.
            if states || item > ITEM_WORDS_MAX || reading.tokens[at].is_number() {
                return false;
            }
            item = if reading.words[at] == "," {
                0
            } else {
                item + 1
            };
        }
        false
    }
}

/// Returns the tokens up to the end of the sentence, a barrier or a new statement.
fn reach_of(reading: &Reading<'_>, from: usize) -> Range<usize> {
    if from >= reading.len() {
        return from..from;
    }
    let end = reading.sentence_of(from).end;
    let stop = reading.marks.first(from..end, Mark::Barrier).unwrap_or(end);
    let states_anew =
        |at: &usize| reading.words[*at] == "," && reading.marks.has(at + 1, Mark::Statement);
    from..(from..stop).find(states_anew).unwrap_or(stop)
}

/// Negates the findings that begin at a token. Returns the token after them.
fn deny_at(drafts: &mut [DraftMention], begins: &Begins, at: usize) -> Option<usize> {
    let here = begins.at(at).map(|n| {
        let mention = &mut drafts[n];
        if !mention.derived {
            mention.choice = Choice::Absent;
        }
        mention.last() + 1
    });
    here.max()
}

/// Whether there is a number at this token, as digits or as a word; "a" does not count.
fn is_count(reading: &Reading<'_>, at: usize) -> bool {
    let entry = reading.entries.get(at);
    entry.is_some_and(|entry| {
        let is_article = entry.word.text.len() <= 2 && !reading.tokens[at].is_number();
        entry.number.is_some() && !is_article
    })
}
