//! The phrase table of a knowledge base: the longer texts that answers consist of, with their
//! numbers. Stored documents refer to them by number, so the phrase table must be stored with the
//! documents.

use lafiya_model::Phrase;

use crate::schema::{Condition, Content, Source};

/// The phrases of a knowledge base by their numbers, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhraseTable {
    /// All phrases, concatenated.
    words: String,
    /// The end offset of each phrase.
    ends: Vec<usize>,
}

impl PhraseTable {
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
        for phrase in phrases.into_iter().filter(|phrase| !phrase.is_empty()) {
            self.push(phrase);
            phrase.enter(self.ends.len() as u32);
        }
    }
}

impl<'a> FromIterator<&'a str> for PhraseTable {
    fn from_iter<T: IntoIterator<Item = &'a str>>(phrases: T) -> Self {
        let mut phrase_table = Self::default();
        phrases
            .into_iter()
            .for_each(|words| phrase_table.push(words));
        phrase_table
    }
}

/// Numbers the phrases of the content, and the citations of the sources: `Title, publisher, year`.
pub(super) fn bind(content: &mut Content) -> (PhraseTable, Vec<Phrase>) {
    let mut phrase_table = PhraseTable::default();
    // Citations come first, because a citation has room only for small numbers.
    let cited = |source: &Source| {
        let Source {
            title,
            publisher,
            year,
            ..
        } = source;
        let mut line = Phrase::from(format!("{title}, {publisher}, {year}"));
        phrase_table.enter([&mut line]);
        line
    };
    let citations = content.sources.iter().map(cited).collect();
    for level in &mut content.triage.level {
        phrase_table.enter([&mut level.description, &mut level.recommended_action]);
        phrase_table.enter(&mut level.in_isolation);
    }
    for rule in &mut content.rules {
        phrase_table.enter([&mut rule.says, &mut rule.effect.action]);
        phrase_table.enter(&mut rule.effect.in_emergency);
    }
    phrase_table.enter(content.scores.iter_mut().map(|score| &mut score.says));
    for finding in &mut content.findings {
        phrase_table.enter(&mut finding.danger);
        phrase_table.enter([
            &mut finding.question,
            &mut finding.caregiver_question,
            &mut finding.explanation,
        ]);
    }
    for risk in &mut content.risk_factors {
        phrase_table.enter([
            &mut risk.question,
            &mut risk.caregiver_question,
            &mut risk.explanation,
        ]);
    }
    for screen in &mut content.screens {
        phrase_table.enter([
            &mut screen.question,
            &mut screen.caregiver_question,
            &mut screen.clinician_question,
            &mut screen.explanation,
        ]);
    }
    for scale in &mut content.scales {
        phrase_table.enter([
            &mut scale.question,
            &mut scale.caregiver_question,
            &mut scale.explanation,
        ]);
        phrase_table.enter(scale.option.iter_mut().map(|option| &mut option.label));
    }
    for medicine in &mut content.medicines {
        phrase_table.enter([&mut medicine.says]);
        phrase_table.enter(&mut medicine.watch);
        phrase_table.enter(medicine.caution.iter_mut().map(|caution| &mut caution.says));
    }
    for condition in &mut content.conditions {
        enter_condition(&mut phrase_table, condition);
    }
    (phrase_table, citations)
}

fn enter_condition(phrase_table: &mut PhraseTable, condition: &mut Condition) {
    phrase_table.enter([&mut condition.description]);
    let specialist = &mut condition.triage.specialist;
    phrase_table.enter([
        &mut specialist.reasoning,
        &mut specialist.escalation_trigger,
    ]);
    for danger_sign in &mut condition.watch_for {
        phrase_table.enter([
            &mut danger_sign.sign,
            &mut danger_sign.escalates_to,
            &mut danger_sign.action,
        ]);
    }
    for investigation in &mut condition.investigation {
        phrase_table.enter([
            &mut investigation.purpose,
            &mut investigation.interpretation,
        ]);
    }
    let treatment = &mut condition.treatment;
    phrase_table.enter(&mut treatment.immediate_actions);
    phrase_table.enter(&mut treatment.supportive_care);
    let advice = [
        &mut treatment.first_line,
        &mut treatment.alternative,
        &mut treatment.pregnancy,
        &mut treatment.children,
    ];
    phrase_table.enter(advice.into_iter().flatten().map(|advice| &mut advice.text));
    phrase_table.enter(treatment.avoid.iter_mut().map(|avoid| &mut avoid.text));
    if let Some(referral) = &mut condition.referral {
        phrase_table.enter([&mut referral.current_level, &mut referral.refer_to]);
        phrase_table.enter(&mut referral.criteria);
        phrase_table.enter(&mut referral.pre_referral_actions);
    }
    if let Some(duty) = &mut condition.notifiable {
        phrase_table.enter([&mut duty.scheme, &mut duty.to]);
    }
}
