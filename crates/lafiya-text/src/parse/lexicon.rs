//! The lexicon: every phrasing of every finding, measure and risk factor, as written and as a bag of its telling words.
//!
//! As written: "running stomach". As a bag: {belly, pain} is met by "pain for my belle" and "belly dey pain me". A single
//! word is only ever met as written (or in its plural, or as a form of a verb that the data names).

use std::collections::{HashMap, HashSet};

use lafiya_knowledge::{ConceptRef, KnowledgeBase, SearchTerm, TermKind};

use super::phrases::PhraseSet;
use crate::canon::{Canon, Role};
use crate::fold;
use crate::stem::singular;
use crate::words::{self, Ignored};

/// What a phrase means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    pub sense: Sense,
    pub kind: TermKind,
    /// A language other than English; counts only beside a cue of it when the phrase is doubtful.
    pub language: Option<String>,
    pub confidence: f32,
}

/// A concept, its absence, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// The patient has it.
    Has(ConceptRef),
    /// The patient is well in this respect.
    Lacks(ConceptRef),
    /// Means no finding and hides those inside it.
    Nothing,
}

/// A bag of telling words.
#[derive(Clone, Debug)]
pub(super) struct Bag {
    pub meaning: Meaning,
    /// The phrase joins its words with "and" or "or".
    pub joins: bool,
}

/// All phrasings of a base.
#[derive(Clone, Debug)]
pub(super) struct Lexicon {
    pub written: PhraseSet<Meaning>,
    pub bags: HashMap<Vec<String>, Vec<Bag>>,
    /// Words that occur in a bag: others cannot be part of one.
    pub bag_words: HashSet<String>,
    verbs: Vec<String>,
}

/// Bags of more words are matched as written only: nobody says six words in another order.
pub(super) const BAG_WORDS_MAX: usize = 5;

impl Lexicon {
    pub(super) fn build(base: &KnowledgeBase, canon: &Canon) -> Self {
        let ignored = words::ignored();
        let mut lexicon = Self {
            verbs: words::fillers().verbs,
            written: PhraseSet::default(),
            bags: HashMap::new(),
            bag_words: HashSet::new(),
        };
        for term in base.search_terms() {
            lexicon.enter_term(&term, canon, &ignored);
        }
        for phrase in &ignored.phrases {
            lexicon.enter_written(phrase, &meaning(Sense::Nothing));
        }
        for (id, phrases) in &ignored.well {
            for phrase in phrases {
                if let Some(concept) = base.resolve(id) {
                    lexicon.enter_written(phrase, &meaning(Sense::Lacks(concept)));
                }
            }
        }
        lexicon
    }

    fn enter_term(&mut self, term: &SearchTerm<'_>, canon: &Canon, ignored: &Ignored) {
        let folded = fold::words(term.term);
        let sense = match term.concept {
            ConceptRef::Condition(_) => {
                let hides = folded.len() > 1
                    && folded
                        .iter()
                        .any(|word| ignored.condition_words.contains(word));
                if hides {
                    self.enter_written(term.term, &meaning(Sense::Nothing));
                }
                return;
            }
            ConceptRef::Lab(_) => return,
            // A measure without a number says nothing: "temperature" alone is no finding.
            ConceptRef::Measure(_) => return,
            concept => Sense::Has(concept),
        };
        let meaning = Meaning {
            sense,
            kind: term.kind,
            language: term
                .language
                .filter(|it| !it.starts_with("en"))
                .map(str::to_owned),
            confidence: term.confidence,
        };
        for variant in variants(term.term) {
            self.enter_written(&variant, &meaning);
            self.enter_bag(&variant, &meaning, canon);
        }
    }

    fn enter_written(&mut self, phrase: &str, meaning: &Meaning) {
        let words: Vec<String> = fold::words(phrase)
            .iter()
            .map(|word| singular(word))
            .collect();
        if words.is_empty() || (words.len() == 1 && words[0].chars().count() < 2) {
            return;
        }
        self.written.add(&words, meaning.clone());
        if let [word] = words.as_slice() {
            for form in verb_forms(word, &self.verbs) {
                self.written.add(&[form], meaning.clone());
            }
        }
    }

    fn enter_bag(&mut self, phrase: &str, meaning: &Meaning, canon: &Canon) {
        let folded = fold::words(phrase);
        let mut bag: Vec<String> = Vec::new();
        let mut joins = false;
        for unit in canon.units(&folded) {
            joins |= matches!(unit.form.as_str(), "and" | "or");
            if unit.role != Role::Filler && !matches!(unit.form.as_str(), "and" | "or" | "/" | "%")
            {
                bag.push(unit.form);
            }
        }
        bag.sort();
        bag.dedup();
        let telling = bag.iter().filter(|it| *it != "not").count();
        if bag.len() < 2 || bag.len() > BAG_WORDS_MAX || telling == 0 {
            return;
        }
        self.bag_words.extend(bag.iter().cloned());
        let list = self.bags.entry(bag).or_default();
        if !list.iter().any(|it| it.meaning.sense == meaning.sense) {
            list.push(Bag {
                meaning: meaning.clone(),
                joins,
            });
        }
    }
}

fn meaning(sense: Sense) -> Meaning {
    Meaning {
        sense,
        kind: TermKind::Lay,
        language: None,
        confidence: 1.0,
    }
}

/// The phrase itself, and how people say it without the clinic's tail ("Hypertension known": "hypertension").
fn variants(term: &str) -> Vec<String> {
    let mut variants = vec![term.to_owned()];
    for tail in [" known", " symptom", " sign", " event", " (symptom)"] {
        if let Some(short) = term.strip_suffix(tail) {
            variants.push(short.to_owned());
            if tail == " known" {
                variants.push(format!("known {short}"));
                variants.push(format!("{short} patient"));
                variants.push(format!("history of {short}"));
            }
        }
    }
    variants
}

/// The forms of a verb that means the finding by itself; none for other words.
fn verb_forms(word: &str, verbs: &[String]) -> Vec<String> {
    let all = verbs
        .iter()
        .map(|verb| forms(verb))
        .find(|forms| forms.iter().any(|form| form == word));
    all.unwrap_or_default()
        .into_iter()
        .map(|form| singular(&form))
        .filter(|form| form != word)
        .collect()
}

fn forms(verb: &str) -> Vec<String> {
    let short = verb.strip_suffix('e').unwrap_or(verb);
    let last = &verb[verb.len() - 1..];
    // Doubling is often wrong in English and often written: "vomitting".
    let doubled = if matches!(last, "t" | "p" | "m") {
        format!("{verb}{last}")
    } else {
        short.to_owned()
    };
    let mut forms = vec![verb.to_owned(), format!("{verb}s")];
    for root in [short, &doubled] {
        forms.extend([format!("{root}ing"), format!("{root}ed")]);
    }
    forms
}
