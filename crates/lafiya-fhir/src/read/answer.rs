//! Reads what an Observation or a component states about its concept: present, absent, unknown, or
//! a number.

use lafiya_knowledge::{ConceptRef, KnowledgeBase, Person};
use lafiya_model::{Choice, Severity};

use crate::node::{Coding, Node};
use crate::problem::{ProblemKind, Problems};
use crate::units;

/// A statement about a concept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) choice: Choice,
    pub(crate) value: Option<String>,
}

impl Said {
    fn only(choice: Choice) -> Self {
        Self {
            choice,
            value: None,
        }
    }
}

/// SNOMED CT, LOINC, HL7 and our own codes, and plain words, for the three choices. The system of a
/// code is ignored, because none of these codes has another meaning elsewhere.
const WORDS: &[(Choice, &[&str])] = &[
    (
        Choice::Present,
        &[
            "present",
            "positive",
            "pos",
            "yes",
            "y",
            "true",
            "detected",
            "det",
            "reactive",
            "rr",
            "abnormal",
            "a",
            "aa",
            "52101004",
            "10828004",
            "260373001",
            "373066001",
            "la9633-4",
            "la6576-8",
            "la11882-0",
            "la33-6",
        ],
    ),
    (
        Choice::Absent,
        &[
            "absent",
            "negative",
            "neg",
            "no",
            "n",
            "false",
            "not detected",
            "nd",
            "nonreactive",
            "non-reactive",
            "nr",
            "normal",
            "none",
            "not present",
            "2667000",
            "260385009",
            "260415000",
            "373067005",
            "la9634-2",
            "la6577-6",
            "la11883-8",
            "la32-8",
        ],
    ),
    (
        Choice::Unknown,
        &[
            "unknown",
            "ind",
            "indeterminate",
            "inconclusive",
            "e",
            "equivocal",
            "wr",
            "not known",
            "unk",
            "asku",
            "261665006",
            "82334004",
            "419984006",
        ],
    ),
];

/// High and low, which are meaningless without the number.
const NEEDS_A_NUMBER: &[&str] = &["h", "hh", "hu", "l", "ll", "lu", "high", "low"];

const SEVERITIES: &[(Severity, &[&str])] = &[
    (Severity::Mild, &["mild", "255604002", "la6752-5"]),
    (Severity::Moderate, &["moderate", "6736007", "la6751-7"]),
    (
        Severity::Severe,
        &["severe", "24484000", "la6750-9", "442452003"],
    ),
];

/// The supported value types.
const READ: &[&str] = &[
    "valueQuantity",
    "valueCodeableConcept",
    "valueString",
    "valueBoolean",
    "valueInteger",
];

/// Reads what `node` states about a concept. All problems are noted.
pub(crate) fn read(
    node: &Node<'_>,
    concept: ConceptRef,
    base: &KnowledgeBase,
    person: &Person,
    problems: &mut Problems,
) -> Option<Said> {
    let interpreted = interpretation(node, problems);
    let values: Vec<&str> = node.names().filter(|name| is_value(name)).collect();
    let name = match values.as_slice() {
        [] => return without_value(node, interpreted, problems),
        [only] => *only,
        _ => {
            problems.note(
                ProblemKind::Structure,
                node,
                "has more than one value; FHIR allows one",
            );
            return None;
        }
    };
    let value = node.field(name);
    if !READ.contains(&name) {
        problems.note(
            ProblemKind::NotSupported,
            &value,
            "is not read; send valueQuantity, valueCodeableConcept, valueString or valueBoolean",
        );
        return None;
    }
    let reading = AnswerReader {
        base,
        concept,
        person,
        interpreted,
    };
    match name {
        "valueQuantity" => reading.quantity(&value, problems),
        "valueInteger" => {
            let number = value.number(problems)?;
            reading.number(&value, number.to_string(), problems)
        }
        "valueBoolean" => {
            let choice = if value.truth(problems)? {
                Choice::Present
            } else {
                Choice::Absent
            };
            reading.word(&value, Some(choice), problems)
        }
        "valueString" => {
            let text = value.text(problems)?;
            // Some systems send numbers as text.
            if base.read_value(concept, text).is_ok() {
                return reading.number(&value, text.to_owned(), problems);
            }
            reading.word(&value, choice_of(text), problems)
        }
        _ => {
            let choice = concept_choice(&value, problems);
            reading.word(&value, choice, problems)
        }
    }
}

struct AnswerReader<'a> {
    base: &'a KnowledgeBase,
    concept: ConceptRef,
    person: &'a Person,
    interpreted: Option<Choice>,
}

impl AnswerReader<'_> {
    fn quantity(&self, node: &Node<'_>, problems: &mut Problems) -> Option<Said> {
        if !node.is_object(problems) {
            return None;
        }
        let value = node.field("value");
        if !value.exists() {
            problems.note(ProblemKind::Missing, &value, "is required");
        }
        let number = value.number(problems)?;
        let code = node.field("code").text(problems);
        let unit = node.field("unit").text(problems);
        let Some(quantity) = self.base.quantity(self.concept) else {
            problems.note(ProblemKind::NotSupported, node, self.takes_no_number());
            return None;
        };
        let Some(text) = units::value_text(quantity, number, code, unit) else {
            problems.note(
                ProblemKind::UnknownCode,
                &node.field("code"),
                format!(
                    "is not a unit of this measurement; send it in {}",
                    quantity.unit
                ),
            );
            return None;
        };
        self.number(node, text, problems)
    }

    /// Reads a number. A vital sign with a number is present. A test is positive or negative
    /// according to its number.
    fn number(&self, node: &Node<'_>, text: String, problems: &mut Problems) -> Option<Said> {
        let values = match self.base.read_value(self.concept, &text) {
            Ok(values) => values,
            Err(lafiya_knowledge::NotANumber::NoUnit) => {
                problems.note(ProblemKind::NotSupported, node, self.takes_no_number());
                return None;
            }
            // The message contains the limits, and the number only as the client sent it.
            Err(cause) => {
                problems.note(ProblemKind::Value, node, cause.to_string());
                return None;
            }
        };
        let choice = match self.concept {
            ConceptRef::Lab(_) => values
                .first()
                .and_then(|&(_, value)| self.result(value))
                // The rules for the number come first: an interpretation may follow other limits.
                .or(self.interpreted),
            _ => Some(Choice::Present),
        };
        if choice.is_none() {
            problems.note(
                ProblemKind::Missing,
                node,
                "needs an interpretation (POS or NEG): what its number means is not known here",
            );
        }
        Some(Said {
            choice: choice?,
            value: Some(text),
        })
    }

    /// Returns whether a test is positive by the rules for its number, if it has any.
    fn result(&self, value: f64) -> Option<Choice> {
        let derived = self.base.derive(self.concept, value, self.person);
        if derived.present.contains(&self.concept) {
            return Some(Choice::Present);
        }
        let quantity = self.base.quantity(self.concept)?;
        if quantity
            .derivable_in(self.person)
            .any(|derived| derived == self.concept)
        {
            return Some(Choice::Absent);
        }
        // The test has limits, but none for this age or sex, so the result is unknown.
        let has_rules = quantity.derivable().any(|derived| derived == self.concept);
        has_rules.then_some(Choice::Unknown)
    }

    fn word(
        &self,
        node: &Node<'_>,
        choice: Option<Choice>,
        problems: &mut Problems,
    ) -> Option<Said> {
        let Some(choice) = choice else {
            problems.note(
                ProblemKind::UnknownCode,
                node,
                "is not understood; say present, absent or unknown",
            );
            return None;
        };
        if self
            .interpreted
            .is_some_and(|interpreted| interpreted != choice)
        {
            problems.note(
                ProblemKind::Conflict,
                node,
                "contradicts the interpretation",
            );
            return None;
        }
        Some(Said::only(choice))
    }

    fn takes_no_number(&self) -> String {
        let name = self.base.name_of(self.concept);
        format!("\"{name}\" takes no number; say present, absent or unknown")
    }
}

fn without_value(
    node: &Node<'_>,
    interpreted: Option<Choice>,
    problems: &mut Problems,
) -> Option<Said> {
    if let Some(choice) = interpreted {
        return Some(Said::only(choice));
    }
    if node.field("dataAbsentReason").exists() {
        return Some(Said::only(Choice::Unknown));
    }
    // An invalid interpretation was already noted.
    if !node.field("interpretation").exists() {
        problems.note(
            ProblemKind::Missing,
            node,
            "has neither a value nor an interpretation (POS, NEG or IND)",
        );
    }
    None
}

fn interpretation(node: &Node<'_>, problems: &mut Problems) -> Option<Choice> {
    let field = node.field("interpretation");
    let with_number = node.field("valueQuantity").exists() || node.field("valueInteger").exists();
    let mut said: Option<Choice> = None;
    for item in field.items(problems) {
        let codings = item.codings(problems);
        let choice = codings
            .iter()
            .find_map(|coding| choice_of(coding.code))
            .or_else(|| choice_of(item.field("text").text(problems)?));
        match choice {
            Some(choice) if said.is_some_and(|said| said != choice) => {
                problems.note(ProblemKind::Conflict, &item, "contradicts another one");
            }
            Some(choice) => said = Some(choice),
            // If there is also a number, the number decides.
            None if with_number => {}
            None => {
                let high_or_low = codings
                    .iter()
                    .any(|coding| NEEDS_A_NUMBER.contains(&coding.code.to_lowercase().as_str()));
                problems.note(
                    ProblemKind::UnknownCode,
                    &item,
                    if high_or_low {
                        "says high or low; send the number too"
                    } else {
                        "is not understood; send POS, NEG or IND"
                    },
                );
            }
        }
    }
    said
}

fn concept_choice(node: &Node<'_>, problems: &mut Problems) -> Option<Choice> {
    let codings = node.codings(problems);
    let by_code =
        |coding: &Coding<'_>| choice_of(coding.code).or_else(|| coding.display.and_then(choice_of));
    codings
        .iter()
        .find_map(by_code)
        .or_else(|| choice_of(node.field("text").text(problems)?))
}

fn choice_of(word: &str) -> Option<Choice> {
    listed(WORDS, word)
}

/// Returns the severity of a component, given as a code or a word.
pub(crate) fn severity(component: &Node<'_>) -> Option<Severity> {
    let mut quiet = Problems::default();
    let value = component.field("valueCodeableConcept");
    let codings = value.codings(&mut quiet);
    let by_code = |coding: &Coding<'_>| {
        listed(SEVERITIES, coding.code).or_else(|| listed(SEVERITIES, coding.display?))
    };
    codings
        .iter()
        .find_map(by_code)
        .or_else(|| listed(SEVERITIES, value.field("text").text(&mut quiet)?))
        .or_else(|| listed(SEVERITIES, component.field("valueString").text(&mut quiet)?))
}

fn listed<T: Copy>(table: &[(T, &[&str])], word: &str) -> Option<T> {
    let word = word.trim().to_lowercase();
    table
        .iter()
        .find(|(_, words)| words.contains(&word.as_str()))
        .map(|(meaning, _)| *meaning)
}

fn is_value(name: &str) -> bool {
    name.strip_prefix("value")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}
