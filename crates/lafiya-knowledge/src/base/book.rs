//! The book of a base: the longer texts that answers are made of, each under its number. A stored
//! document names them by number, so whoever stores documents keeps the book beside them.

use lafiya_model::Phrase;

use crate::schema::{Advice, Condition, Content, Source};

/// The phrases of a base by their numbers, which count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// All of them, one behind the other.
    words: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Book {
    /// The phrase of a number.
    pub fn phrase(&self, number: u32) -> Option<&str> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.words.get(start..end)
    }

    /// All phrases in the order of their numbers.
    pub fn phrases(&self) -> impl Iterator<Item = &str> {
        (1..=self.ends.len()).filter_map(|number| self.phrase(number as u32))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn enter(&mut self, phrase: &mut Phrase) {
        if phrase.is_empty() {
            return;
        }
        self.words.push_str(phrase);
        self.ends.push(self.words.len());
        phrase.enter(self.ends.len() as u32);
    }
}

impl<'a> FromIterator<&'a str> for Book {
    fn from_iter<T: IntoIterator<Item = &'a str>>(phrases: T) -> Self {
        let mut book = Self::default();
        for words in phrases {
            book.words.push_str(words);
            book.ends.push(book.words.len());
        }
        book
    }
}

/// Numbers the phrases of the content, and of the sources as they are cited: `Title, publisher, year`.
pub(super) fn bind(content: &mut Content) -> (Book, Vec<Phrase>) {
    let mut book = Book::default();
    // First, since a citation has room for small numbers only.
    let cited = |source: &Source| {
        let Source {
            title,
            publisher,
            year,
            ..
        } = source;
        let mut line = Phrase::from(format!("{title}, {publisher}, {year}"));
        book.enter(&mut line);
        line
    };
    let citations = content.sources.iter().map(cited).collect();
    for level in &mut content.triage.level {
        book.enter(&mut level.description);
        book.enter(&mut level.recommended_action);
    }
    for rule in &mut content.rules {
        book.enter(&mut rule.says);
        book.enter(&mut rule.effect.action);
    }
    for score in &mut content.scores {
        book.enter(&mut score.says);
    }
    for finding in &mut content.findings {
        finding.danger.iter_mut().for_each(|it| book.enter(it));
        book.enter(&mut finding.question);
        book.enter(&mut finding.caregiver_question);
        book.enter(&mut finding.explanation);
    }
    for risk in &mut content.risk_factors {
        book.enter(&mut risk.question);
        book.enter(&mut risk.caregiver_question);
        book.enter(&mut risk.explanation);
    }
    for condition in &mut content.conditions {
        enter_condition(&mut book, condition);
    }
    (book, citations)
}

fn enter_condition(book: &mut Book, condition: &mut Condition) {
    book.enter(&mut condition.description);
    let specialist = &mut condition.triage.specialist;
    book.enter(&mut specialist.reasoning);
    book.enter(&mut specialist.escalation_trigger);
    for sign in &mut condition.watch_for {
        book.enter(&mut sign.sign);
        book.enter(&mut sign.escalates_to);
        book.enter(&mut sign.action);
    }
    for test in &mut condition.investigation {
        book.enter(&mut test.purpose);
        book.enter(&mut test.interpretation);
    }
    let treatment = &mut condition.treatment;
    let care = treatment.immediate_actions.iter_mut();
    care.chain(&mut treatment.supportive_care)
        .for_each(|it| book.enter(it));
    let advice: [&mut Option<Advice>; 4] = [
        &mut treatment.first_line,
        &mut treatment.alternative,
        &mut treatment.pregnancy,
        &mut treatment.children,
    ];
    let advice = advice.into_iter().flatten();
    advice.for_each(|it| book.enter(&mut it.text));
    if let Some(referral) = &mut condition.referral {
        book.enter(&mut referral.current_level);
        book.enter(&mut referral.refer_to);
        let lists = referral.criteria.iter_mut();
        lists
            .chain(&mut referral.pre_referral_actions)
            .for_each(|it| book.enter(it));
    }
    if let Some(duty) = &mut condition.notifiable {
        book.enter(&mut duty.scheme);
        book.enter(&mut duty.to);
    }
}
