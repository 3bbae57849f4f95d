//! Runs cases through search, text reader and engine, like the API.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use lafiya_engine::{Parameters, assess, review};
use lafiya_facilities::Atlas;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{
    Assessment, Choice, ConceptId, ConceptKind, DeidentifiedCase, Evidence, EvidenceSource,
    TriageLevel,
};
use lafiya_text::{ParseContext, Parser, Search, SearchOptions};

use crate::case::Case;
use crate::recall::{Listed, Recall, recall};

/// How a case is given to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The story is given to the text reader.
    Text,
    /// The plain-English findings are resolved by search, one by one.
    Findings,
    /// Starts like the text mode; then the engine's questions are answered from the case.
    Interview,
}

/// The minimum similarity of a search result that is accepted.
const SIMILARITY_MIN: f64 = 0.5;
const EVIDENCE_MAX: usize = 50;
/// The kinds of concepts that can be evidence.
const EVIDENCE_KINDS: &[ConceptKind] = &[
    ConceptKind::Symptom,
    ConceptKind::RiskFactor,
    ConceptKind::LabTest,
];

/// The outcome of one case.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Case id.
    pub id: String,
    /// The set of the case.
    pub set: String,
    /// The correct diagnosis.
    pub diagnosis: String,
    /// Whether the knowledge base contains a correct answer.
    pub covered: bool,
    /// The rank of the first correct answer, from 1.
    pub rank: Option<usize>,
    /// The total probability of the correct answers.
    pub probability_of_right: f64,
    /// The probability of the first answer.
    pub probability_of_first: f64,
    /// The first five answers.
    pub top: Vec<String>,
    /// The level given.
    pub level: Option<TriageLevel>,
    /// The reason for the level: the danger sign or condition that decided it.
    pub because: String,
    /// The lowest and highest level that count as correct, and the correct one.
    pub wanted_level: Option<(TriageLevel, TriageLevel, TriageLevel)>,
    /// The number of questions asked.
    pub asked: usize,
    /// The number of pieces of evidence recognised.
    pub evidence: usize,
    /// Phrases of the case that were not recognised (findings mode).
    pub not_understood: Vec<String>,
    /// The evidence recognised, for analysing misses.
    pub understood: Vec<String>,
}

impl Outcome {
    /// Returns the outcome of a case that was not run.
    pub(crate) fn empty(id: &str, set: &str, diagnosis: &str) -> Self {
        Self {
            id: id.to_owned(),
            set: set.to_owned(),
            diagnosis: diagnosis.to_owned(),
            covered: false,
            rank: None,
            probability_of_right: 0.0,
            probability_of_first: 0.0,
            top: Vec::new(),
            level: None,
            because: String::new(),
            wanted_level: None,
            asked: 0,
            evidence: 0,
            not_understood: Vec::new(),
            understood: Vec::new(),
        }
    }

    /// Whether the level is lower than every acceptable one. A missing answer counts as lower.
    pub fn is_under(&self) -> bool {
        self.wanted_level
            .is_some_and(|(least, _, _)| self.level.is_none_or(|level| level < least))
    }

    /// Whether the level is higher than every acceptable one.
    pub fn is_over(&self) -> bool {
        self.wanted_level
            .is_some_and(|(_, most, _)| self.level.is_some_and(|level| level > most))
    }
}

/// Runs cases.
pub struct Runner<'a> {
    base: &'a KnowledgeBase,
    search: Search,
    parser: Parser,
    atlas: Atlas,
    found: RefCell<HashMap<String, Option<ConceptRef>>>,
}

type Known = BTreeMap<ConceptRef, Evidence>;

impl<'a> Runner<'a> {
    /// Creates a runner for a knowledge base.
    pub fn new(base: &'a KnowledgeBase) -> Self {
        Self {
            base,
            search: Search::build(base),
            parser: Parser::build(base),
            atlas: Atlas::new(base),
            found: RefCell::default(),
        }
    }

    /// Returns the knowledge base.
    pub fn base(&self) -> &KnowledgeBase {
        self.base
    }

    /// Runs one case.
    pub fn run(
        &self,
        case: &Case,
        mode: Mode,
        parameters: &Parameters,
        questions_max: usize,
    ) -> Outcome {
        let (mut known, not_understood) = match mode {
            Mode::Findings => self.known_by_findings(case),
            Mode::Text | Mode::Interview => (self.known_by_text(case), Vec::new()),
        };
        let mut outcome = self.empty_outcome(case, not_understood);
        if !self.has_symptom(&known) {
            return outcome;
        }
        let mut assessment = self.assess(case, &known, parameters, 0);
        if mode == Mode::Interview {
            let (yes, no) = self.answers(case);
            while !assessment.should_stop && outcome.asked < questions_max {
                let Some(question) = assessment.next_question.clone() else {
                    break;
                };
                let Some(concept) = self.base.resolve(question.id.as_str()) else {
                    break;
                };
                let choice = if yes.contains(&concept) {
                    Choice::Present
                } else if no.contains(&concept) {
                    Choice::Absent
                } else {
                    Choice::Unknown
                };
                outcome.asked += 1;
                known.insert(concept, self.item(concept, choice, EvidenceSource::Suggest));
                assessment = self.assess(case, &known, parameters, outcome.asked);
            }
        }
        outcome.evidence = known.len();
        outcome.understood = known
            .iter()
            .map(|(concept, item)| {
                format!(
                    "{}{}",
                    if item.choice == Choice::Absent {
                        "no "
                    } else {
                        ""
                    },
                    self.base.id_of(*concept)
                )
            })
            .collect();
        self.judge(case, &assessment, &mut outcome);
        outcome
    }

    /// Returns the case as the engine sees it, for fitting.
    pub fn deidentified(&self, case: &Case, mode: Mode) -> Option<DeidentifiedCase> {
        let known = match mode {
            Mode::Findings => self.known_by_findings(case).0,
            _ => self.known_by_text(case),
        };
        self.has_symptom(&known).then(|| self.case_of(case, &known))
    }

    fn assess(
        &self,
        case: &Case,
        known: &Known,
        parameters: &Parameters,
        asked: usize,
    ) -> Assessment<'_> {
        review(
            assess(self.base, &self.case_of(case, known), parameters),
            asked,
        )
    }

    fn case_of(&self, case: &Case, known: &Known) -> DeidentifiedCase {
        DeidentifiedCase {
            age: case.age(),
            sex: case.sex(),
            region: case
                .location
                .as_deref()
                .and_then(|words| self.atlas.find(words, None))
                .and_then(|place| place.region),
            month: case.month,
            evidence: known.values().cloned().collect(),
        }
    }

    fn judge(&self, case: &Case, assessment: &Assessment, outcome: &mut Outcome) {
        let right = |condition: &lafiya_model::assessment::AssessedCondition| {
            case.accepts_named(&condition.icd10, &[&condition.name, &condition.common_name])
        };
        outcome.rank = assessment
            .conditions
            .iter()
            .position(right)
            .map(|place| place + 1);
        outcome.probability_of_right = assessment
            .conditions
            .iter()
            .filter(|condition| right(condition))
            .map(|condition| condition.probability)
            .sum();
        outcome.probability_of_first = assessment
            .conditions
            .first()
            .map_or(0.0, |it| it.probability);
        outcome.top = assessment
            .conditions
            .iter()
            .take(5)
            .map(|condition| format!("{} {:.2}", condition.name, condition.probability))
            .collect();
        outcome.level = Some(assessment.triage.level);
        outcome.because = assessment
            .triage
            .root_cause
            .as_deref()
            .unwrap_or_default()
            .to_owned();
    }

    fn empty_outcome(&self, case: &Case, not_understood: Vec<String>) -> Outcome {
        Outcome {
            covered: self
                .base
                .conditions()
                .iter()
                .any(|condition| case.accepts(condition)),
            wanted_level: case
                .acceptable()
                .zip(case.triage)
                .map(|((least, most), wanted)| (least, most, wanted)),
            not_understood,
            ..Outcome::empty(&case.id, &case.set, &case.diagnosis)
        }
    }

    fn has_symptom(&self, known: &Known) -> bool {
        known.iter().any(|(concept, item)| {
            concept.kind() == ConceptKind::Symptom && item.choice == Choice::Present
        })
    }

    fn item(&self, concept: ConceptRef, choice: Choice, source: EvidenceSource) -> Evidence {
        Evidence {
            id: ConceptId(self.base.id_of(concept).to_owned()),
            choice,
            source,
            duration_days: None,
            severity: None,
            value: None,
        }
    }

    fn known_by_findings(&self, case: &Case) -> (Known, Vec<String>) {
        let mut known = Known::new();
        let mut not_understood = Vec::new();
        let lists = [
            (Choice::Present, &case.present, EvidenceSource::Initial),
            (Choice::Absent, &case.absent, EvidenceSource::Initial),
            (
                Choice::Present,
                &case.risk_factors,
                EvidenceSource::Predefined,
            ),
        ];
        for (choice, phrases, source) in lists {
            for phrase in phrases {
                match self.look_up(phrase) {
                    Some(concept) => {
                        known
                            .entry(concept)
                            .or_insert_with(|| self.item(concept, choice, source));
                    }
                    None => not_understood.push(phrase.clone()),
                }
            }
        }
        (known, not_understood)
    }

    fn known_by_text(&self, case: &Case) -> Known {
        let text: String = case.text.chars().take(2000).collect();
        let context = ParseContext {
            age: Some(case.age()),
            sex: Some(case.sex()),
            evaluated_at: None,
        };
        let parsed = self.parser.parse(self.base, &text, &context);
        let mut known = Known::new();
        for item in lafiya_text::evidence(self.base, &parsed) {
            if let Some(concept) = self.base.resolve(item.id.as_str()) {
                known.entry(concept).or_insert(item);
            }
        }
        while known.len() > EVIDENCE_MAX {
            known.pop_last();
        }
        known
    }

    /// Returns how much of the case's lists the text reader recognises in its text.
    pub fn recall(&self, case: &Case) -> Recall {
        let lists = [
            (Choice::Present, &case.present),
            (Choice::Present, &case.risk_factors),
            (Choice::Absent, &case.absent),
        ];
        let listed: Vec<Listed<'_>> = lists
            .iter()
            .flat_map(|(choice, phrases)| phrases.iter().map(move |phrase| (*choice, phrase)))
            .filter_map(|(choice, words)| {
                let concept = self.look_up(words)?;
                Some(Listed {
                    words,
                    concept,
                    choice,
                })
            })
            .collect();
        let read = self
            .known_by_text(case)
            .into_iter()
            .map(|(concept, item)| (concept, item.choice))
            .collect();
        recall(self.base, &listed, &read)
    }

    fn answers(&self, case: &Case) -> (Vec<ConceptRef>, Vec<ConceptRef>) {
        let all = |phrases: &[String]| {
            phrases
                .iter()
                .filter_map(|phrase| self.look_up(phrase))
                .collect::<Vec<_>>()
        };
        let mut yes = all(&case.present);
        yes.extend(all(&case.risk_factors));
        (yes, all(&case.absent))
    }

    fn look_up(&self, phrase: &str) -> Option<ConceptRef> {
        if let Some(found) = self.found.borrow().get(phrase) {
            return *found;
        }
        let options = SearchOptions {
            sex: None,
            kinds: Some(EVIDENCE_KINDS),
            max_results: 1,
        };
        let best = self
            .search
            .find(self.base, phrase, &options)
            .into_iter()
            .next();
        let concept = best
            .filter(|hit| hit.similarity >= SIMILARITY_MIN)
            .map(|hit| hit.concept);
        self.found.borrow_mut().insert(phrase.to_owned(), concept);
        concept
    }
}
