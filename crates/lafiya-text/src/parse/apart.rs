//! Values apart from their name, and several values of one name: "they checked my sugar and found
//! 25", "GCS was 15 on arrival but has dropped to 10". The current value counts; an earlier value
//! of that day keeps its own meaning.

use std::ops::Range;

use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::measures::{MeasureReader, Value};
use super::reading::Reading;
use super::surroundings::Written;
use super::traits::Trait;
use crate::fold::Token;
use crate::phrases::PhraseSet;
use crate::words::Measures;

/// The phrases around values.
#[derive(Clone, Debug)]
pub(super) struct ApartWords {
    leading: PhraseSet<()>,
    fresh: PhraseSet<()>,
    other_times: PhraseSet<()>,
    from: PhraseSet<()>,
    to: PhraseSet<()>,
    wished: PhraseSet<()>,
    normals: PhraseSet<()>,
    refuted: PhraseSet<()>,
    conditions: PhraseSet<()>,
    compared: PhraseSet<()>,
    complaints: PhraseSet<()>,
}

/// The name of a measure in the text.
pub(super) struct Name {
    pub known: usize,
    pub tokens: Range<usize>,
    /// The value directly after it, by number.
    pub value: Option<usize>,
    /// Whether the patient's current value must follow here; not so after "previous Hb".
    pub own: bool,
}

/// When a value was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Now,
    Unsaid,
    AnotherTime,
}

/// Maximum tokens between a name, or a value, and the next value.
const REACH: usize = 14;
/// Maximum tokens before a name for a word that makes its value a target.
const WISHED_WITHIN: usize = 3;
/// Plausible range of a number pair that is taken as a blood pressure apart from its name.
const UPPER: std::ops::RangeInclusive<f64> = 40.0..=300.0;
const LOWER: std::ops::RangeInclusive<f64> = 15.0..=200.0;

impl ApartWords {
    pub(super) fn new(words: &Measures) -> Self {
        Self {
            leading: PhraseSet::of(&words.leading),
            fresh: PhraseSet::of(&words.fresh),
            other_times: PhraseSet::of(&words.other_times),
            from: PhraseSet::of(&words.from),
            to: PhraseSet::of(&words.to),
            wished: PhraseSet::of(&words.wished),
            normals: PhraseSet::of(&words.normals),
            refuted: PhraseSet::of(&words.refuted),
            conditions: PhraseSet::of(&words.conditions),
            compared: PhraseSet::of(&words.compared),
            complaints: PhraseSet::of(&words.complaints),
        }
    }

    /// Whether a value is a target and not measured: "target SpO2 94".
    pub(super) fn is_wished(&self, reading: &Reading<'_>, at: usize) -> bool {
        let from = at.saturating_sub(WISHED_WITHIN);
        let near = from.max(reading.sentence_of(at).start)..at;
        self.wished.begins_in(&reading.keys, near)
    }

    /// Whether the value of a name is the normal range: "normal RR 12-20".
    pub(super) fn is_normal_range(&self, reading: &Reading<'_>, name: usize, end: usize) -> bool {
        let from = name.saturating_sub(WISHED_WITHIN);
        let near = from.max(reading.sentence_of(name).start)..name;
        let joined = usize::from(reading.words.get(end) == Some(&"to"));
        let second = reading.tokens.get(end + joined);
        second.is_some_and(Token::is_number) && self.normals.begins_in(&reading.keys, near)
    }

    /// Whether a number is a limit and not a value: "if BP < 90 systolic".
    pub(super) fn is_limit(&self, reading: &Reading<'_>, at: usize) -> bool {
        let clause = reading.clause_of(at);
        let near = at.saturating_sub(WISHED_WITHIN).max(clause.start)..at;
        self.compared.begins_in(&reading.keys, near)
            && self.conditions.begins_in(&reading.keys, clause.start..at)
    }

    /// Whether a finding was recognised only in words that introduce a value: "Hb fell to 6.8".
    pub(super) fn leads(&self, reading: &Reading<'_>, mention: &DraftMention) -> bool {
        let leads = |at: &usize| self.leading.length_at(&reading.keys, *at) > 0;
        mention.core.iter().all(leads)
    }

    /// Whether a name is also the name of a complaint.
    fn complains(&self, reading: &Reading<'_>, name: &Range<usize>) -> bool {
        self.complaints.length_at(&reading.keys, name.start) >= name.len()
    }

    /// Whether nothing follows that a number could count: "found 25." and not "and 2 tablets".
    pub(super) fn closes(reading: &Reading<'_>, end: usize) -> bool {
        let Some(token) = reading.tokens.get(end) else {
            return true;
        };
        let marks = [Mark::Barrier, Mark::Joiner, Mark::Now, Mark::Statement];
        let is_other = matches!(reading.words[end], "/" | "%" | "+");
        (token.is_sign() && !is_other)
            || reading.is_light(end)
            || reading.marks.has_one_of(end, marks)
            || reading.traits[end].has(Trait::Moment)
    }
}

/// Finds the values that are separated from their name, and decides which of several is current.
pub(super) fn find(
    reader: &MeasureReader,
    reading: &Reading<'_>,
    written: &Written<'_>,
    names: &[Name],
    values: &mut Vec<Value>,
) {
    let mut added = Vec::new();
    for (n, name) in names.iter().enumerate() {
        let from = name
            .value
            .map_or(name.tokens.end, |value| values[value].end);
        let sentence = reading.sentence_of(name.tokens.start).end;
        // Fast path: most names are followed by their value, and no other number follows.
        if from >= sentence || reading.next_of(from, [Trait::Number]) >= sentence {
            continue;
        }
        if !reader.may_stand_apart(name.known) || reader.apart.complains(reading, &name.tokens) {
            continue;
        }
        let limit = limit(reader, (names, n), values, from).min(sentence);
        let scan = Scan {
            reader,
            reading,
            written,
            name,
            taken: values,
        };
        let later = scan.values(from..limit);
        if later.is_empty() {
            continue;
        }
        let mut all: Vec<&mut Value> = Vec::with_capacity(later.len() + 1);
        let first = added.len();
        added.extend(later);
        all.extend(name.value.and_then(|value| values.get_mut(value)));
        all.extend(&mut added[first..]);
        let text = (written.text, reading);
        reader.apart.settle(text, (reader, name), limit, all);
    }
    if !added.is_empty() {
        values.extend(added);
        values.retain(|value| !value.gone);
        values.sort_by_key(|value| value.first);
    }
}

/// Returns the limit for the values of a name: the next name of its kind, or for a single number
/// the next name of any kind.
fn limit(
    reader: &MeasureReader,
    (names, n): (&[Name], usize),
    values: &[Value],
    from: usize,
) -> usize {
    let pair = reader.is_pair(names[n].known);
    let mut others = names[n + 1..].iter();
    let next_name = others.find(|other| !pair || reader.is_pair(other.known));
    let next_name = next_name.map_or(usize::MAX, |name| name.tokens.start);
    let next_value = values.iter().find(|value| !pair && value.first >= from);
    next_name.min(next_value.map_or(usize::MAX, |value| value.first))
}

/// Scans the text after a name.
struct Scan<'a, 'r> {
    reader: &'a MeasureReader,
    reading: &'a Reading<'r>,
    written: &'a Written<'a>,
    name: &'a Name,
    taken: &'a [Value],
}

impl Scan<'_, '_> {
    fn values(&self, tokens: Range<usize>) -> Vec<Value> {
        let words = &self.reader.apart;
        let keys = &self.reading.keys;
        let pair = self.reader.is_pair(self.name.known);
        let (mut at, mut since) = (tokens.start, tokens.start);
        // A number directly after the name was parsed already, or is not a value.
        let mut led = self.name.value.is_none();
        let mut falls_from = false;
        let mut found = Vec::new();
        while at < tokens.end && at - since <= REACH {
            if self.reading.tokens[at].is_number() {
                match self.value_at(at, since, pair || led) {
                    Some(value) => {
                        falls_from = words.from.begins_in(&self.reading.keys, since..at);
                        (at, since) = (value.end, value.end);
                        found.push(value);
                    }
                    None => at += 1,
                }
                led = false;
                continue;
            }
            let refuted = words.refuted.length_at(keys, at);
            if refuted > 0
                && let Some(end) = self.number_end(at + refuted)
            {
                // "GCS not 15, it is 8": the value follows.
                (at, since, led) = (end, end, true);
                continue;
            }
            let arrow = usize::from(is_arrow((self.written.text, self.reading), at));
            let fresh = words.fresh.length_at(keys, at).max(arrow);
            if fresh > 0 {
                // "SpO2 target 94-98%, actual 80%": a target before it no longer counts.
                since = at;
            }
            let becomes = falls_from && words.to.length_at(keys, at) > 0;
            led |= fresh > 0 || becomes;
            let length = fresh.max(words.leading.length_at(keys, at));
            led &= length > 0;
            at += length.max(1);
        }
        found
    }

    /// Matches "98% yesterday, 80% today": after a value of another time, a separate item with a
    /// word for "now" directly after its number.
    fn is_told_now(&self, between: Range<usize>) -> bool {
        let (words, reading) = (&self.reader.apart, self.reading);
        let at = between.end;
        let parts = |at: usize| {
            reading.traits[at].has(Trait::ClauseEnd) || reading.marks.has(at, Mark::Joiner)
        };
        let is_now = |end: usize| words.fresh.length_at(&reading.keys, end) > 0;
        between.clone().next_back().is_some_and(parts)
            && words.other_times.begins_in(&reading.keys, between)
            && self.number_end(at).is_some_and(is_now)
    }

    /// Returns the end of a number that may be a value of the name.
    fn number_end(&self, at: usize) -> Option<usize> {
        let (reader, name) = (self.reader, self.name);
        let base = self.written.base;
        let token = self
            .reading
            .tokens
            .get(at)
            .filter(|token| token.is_number());
        let value = reader.number(self.reading, base, name.known, name.tokens.start, at);
        token.and(value).map(|place| place.end)
    }

    fn value_at(&self, at: usize, since: usize, may_be: bool) -> Option<Value> {
        let (reader, reading) = (self.reader, self.reading);
        let is_taken = |value: &Value| (value.first..value.end).contains(&at);
        let told_now = self.is_told_now(since..at);
        let may_be = may_be || told_now;
        if !may_be || self.written.in_time[at] || self.taken.iter().any(is_taken) {
            return None;
        }
        let words = &reader.apart;
        let is_fresh = || told_now || words.is_fresh_in((self.written.text, reading), since..at);
        let is_wish =
            words.wished.begins_in(&reading.keys, since..at) || words.is_limit(reading, at);
        if is_wish || !(self.name.own || is_fresh()) {
            return None;
        }
        let base = self.written.base;
        let start = self.name.tokens.start;
        let mut value = reader.number(reading, base, self.name.known, start, at)?;
        value.first = at;
        value.name = Some(self.name.tokens.clone());
        let fits = match value.read.as_slice() {
            [(_, upper), (_, lower)] => {
                UPPER.contains(upper) && LOWER.contains(lower) && upper > lower
            }
            _ => ApartWords::closes(reading, value.end),
        };
        fits.then_some(value)
    }
}

impl ApartWords {
    /// Selects the value of a name with several: the last one stated as current, or else the first.
    fn settle(
        &self,
        (text, reading): (&str, &Reading<'_>),
        (reader, name): (&MeasureReader, &Name),
        limit: usize,
        mut values: Vec<&mut Value>,
    ) {
        let ends: Vec<(usize, usize)> = values
            .iter()
            .map(|value| (value.first, value.end))
            .collect();
        let mut lead = reading.clause_of(name.tokens.start).start;
        let (mut falls_from, mut behind) = (false, lead);
        let mut whens = Vec::with_capacity(ends.len());
        for (n, (first, end)) in ends.iter().enumerate() {
            let next = ends.get(n + 1).map_or(limit, |(next, _)| *next);
            let parted = self.parted(reading, *end..next);
            let becomes = (falls_from && self.to.begins_in(&reading.keys, behind..*first))
                || (n > 0 && (behind..*first).any(|at| is_arrow((text, reading), at)));
            falls_from = self.from.begins_in(&reading.keys, lead..*first);
            whens.push(match becomes {
                true => When::Now,
                false => self.when(reading, lead..*first, *end..parted),
            });
            (lead, behind) = (parted, *end);
        }
        let now = whens.iter().rposition(|when| *when == When::Now);
        let told = now.unwrap_or_default();
        for (n, value) in values.iter_mut().enumerate() {
            value.earlier = n != told;
            let is_over = now.is_some() && !reader.comes_and_goes(name.known);
            value.gone = is_over && whens[n] == When::AnotherTime;
        }
    }

    fn is_fresh_in(&self, (text, reading): (&str, &Reading<'_>), mut among: Range<usize>) -> bool {
        self.fresh.begins_in(&reading.keys, among.clone())
            || among.any(|at| is_arrow((text, reading), at))
    }

    /// Returns the boundary between the words about one value and the words that introduce the
    /// next.
    fn parted(&self, reading: &Reading<'_>, between: Range<usize>) -> usize {
        let parts =
            |at: &usize| reading.words[*at] == "but" || reading.traits[*at].has(Trait::ClauseEnd);
        let is_fresh = |at: &usize| self.fresh.length_at(&reading.keys, *at) > 0;
        // "80% today": a word for "now" at the end of a clause belongs to the value before it.
        // "3.1, after 8" starts another value.
        let start = between.start;
        let now = start + self.fresh.length_at(&reading.keys, start);
        let is_said_before = !between.clone().take(1).any(|at| parts(&at));
        // "5.0 now 9.2": the word introduces the next value.
        let leads = || {
            reading
                .tokens
                .get(between.end)
                .is_some_and(Token::is_number)
        };
        let closes = if now < between.end {
            parts(&now)
        } else {
            !leads()
        };
        let ends = is_said_before && closes;
        let between = if ends { now.min(between.end) } else { start }..between.end;
        let parted = between.clone().find(parts);
        let parted = parted.or_else(|| between.clone().find(is_fresh));
        parted.unwrap_or(between.end)
    }

    fn when(&self, reading: &Reading<'_>, lead: Range<usize>, tail: Range<usize>) -> When {
        let told = |phrases: &PhraseSet<()>| {
            phrases.begins_in(&reading.keys, lead.clone())
                || phrases.begins_in(&reading.keys, tail.clone())
        };
        if told(&self.fresh) {
            When::Now
        } else if told(&self.other_times) {
            When::AnotherTime
        } else {
            When::Unsaid
        }
    }
}

/// Matches the arrow in "BP 130/80 -> 80/50" in the text, because hyphens are not tokens.
fn is_arrow((text, reading): (&str, &Reading<'_>), at: usize) -> bool {
    match reading.words[at] {
        "→" => true,
        ">" => {
            reading.gap_before(text, at).ends_with('-') || (at > 0 && reading.words[at - 1] == "=")
        }
        _ => false,
    }
}
