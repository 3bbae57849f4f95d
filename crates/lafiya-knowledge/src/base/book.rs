//! The phrase table of a knowledge base: the longer texts that answers consist of, with their
//! numbers. Stored documents refer to them by number, so the phrase table must be stored with the
//! documents.

use lafiya_model::Phrase;

use crate::schema::{Condition, Content, Source};

/// The phrases of a knowledge base by their numbers, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// All phrases, concatenated.
    words: String,
    /// The end offset of each phrase.
    ends: Vec<usize>,
}

impl Book {
    /// Returns the phrase with a number.
    pub fn phrase(&self, number: u32) -> Option<&str> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.words.get(start..end)
    }

    /// Returns all phrases in the order of their numbers.
    pub fn phrases(&self) -> impl Iterator<Item = &str> {
        (1..=self.ends.len()).filter_map(|number| self.phrase(number as u32))
    }

    /// Whether it has no phrases.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, words: &str) {
        self.words.push_str(words);
        self.ends.push(self.words.len());
    }

    /// Assigns numbers to phrases, except empty ones.
    fn enter<'a>(&mut self, phrases: impl IntoIterator<Item = &'a mut Phrase>) {
        for phrase in phrases.into_iter().filter(|it| !it.is_empty()) {
            self.push(phrase);
            phrase.enter(self.ends.len() as u32);
        }
    }
}

impl<'a> FromIterator<&'a str> for Book {
    fn from_iter<T: IntoIterator<Item = &'a str>>(phrases: T) -> Self {
        let mut book = Self::default();
        phrases.into_iter().for_each(|words| book.push(words));
        book
    }
}

/// Numbers the phrases of the content, and the citations of the sources: `Title, publisher, year`.
pub(super) fn bind(content: &mut Content) -> (Book, Vec<Phrase>) {
    let mut book = Book::default();
    // Citations come first, because a citation has room only for small numbers.
    let cited = |source: &Source| {
        let Source {
            title,
            publisher,
            year,
            ..
        } = source;
        let mut line = Phrase::from(format!("{title}, {publisher}, {year}"));
        book.enter([&mut line]);
        line
    };
    let citations = content.sources.iter().map(cited).collect();
    for level in &mut content.triage.level {
        book.enter([&mut level.description, &mut level.recommended_action]);
    }
    for rule in &mut content.rules {
        book.enter([&mut rule.says, &mut rule.effect.action]);
        book.enter(&mut rule.effect.in_emergency);
    }
    book.enter(content.scores.iter_mut().map(|it| &mut it.says));
    for it in &mut content.findings {
        book.enter(&mut it.danger);
        book.enter([
            &mut it.question,
            &mut it.caregiver_question,
            &mut it.explanation,
        ]);
    }
    for it in &mut content.risk_factors {
        book.enter([
            &mut it.question,
            &mut it.caregiver_question,
            &mut it.explanation,
        ]);
    }
    for condition in &mut content.conditions {
        enter_condition(&mut book, condition);
    }
    (book, citations)
}

fn enter_condition(book: &mut Book, condition: &mut Condition) {
    book.enter([&mut condition.description]);
    let specialist = &mut condition.triage.specialist;
    book.enter([
        &mut specialist.reasoning,
        &mut specialist.escalation_trigger,
    ]);
    for it in &mut condition.watch_for {
        book.enter([&mut it.sign, &mut it.escalates_to, &mut it.action]);
    }
    for it in &mut condition.investigation {
        book.enter([&mut it.purpose, &mut it.interpretation]);
    }
    let treatment = &mut condition.treatment;
    book.enter(&mut treatment.immediate_actions);
    book.enter(&mut treatment.supportive_care);
    let advice = [
        &mut treatment.first_line,
        &mut treatment.alternative,
        &mut treatment.pregnancy,
        &mut treatment.children,
    ];
    book.enter(advice.into_iter().flatten().map(|it| &mut it.text));
    if let Some(it) = &mut condition.referral {
        book.enter([&mut it.current_level, &mut it.refer_to]);
        book.enter(&mut it.criteria);
        book.enter(&mut it.pre_referral_actions);
    }
    if let Some(duty) = &mut condition.notifiable {
        book.enter([&mut duty.scheme, &mut duty.to]);
    }
}
