//! Reads a text: always with the lexicon first, then, if the tenant allows it and a language model
//! is configured, for words that the lexicon missed. The model only translates: its quote must
//! occur in the text, and the lexicon decides whether the patient has the finding by reading the
//! text with the translation in place.

use lafiya_knowledge::ConceptRef;
use lafiya_model::{Choice, ConceptKind, Environment, TextToProvider};
use lafiya_provider::{ClaimedMention, claimed_mentions, question_about_text};
use lafiya_text::{Mention, ParseContext, Parsed, SearchOptions};

use crate::authenticate::Caller;
use crate::context::Context;
use crate::library::Library;

/// Minimum similarity between a term of the model and a name in the knowledge base.
const SIMILARITY_MIN: f64 = 0.9;
/// Confidence of a mention that a model found.
const CONFIDENCE: f64 = 0.6;
const KINDS: &[ConceptKind] = &[ConceptKind::Symptom, ConceptKind::RiskFactor];

/// The result of reading a text, and which mentions a model found.
pub struct ReadText {
    /// All mentions.
    pub parsed: Parsed,
    /// Concepts found by the model and missed by the lexicon.
    pub by_model: Vec<ConceptRef>,
}

/// Reads a text.
pub async fn read(
    context: &Context,
    library: &Library,
    caller: &Caller,
    environment: Environment,
    text: &str,
    about: &ParseContext,
) -> ReadText {
    let mut read = ReadText {
        parsed: library.parser.parse(library.base(), text, about),
        by_model: Vec::new(),
    };
    let allowed =
        environment == Environment::Live && caller.text_to_provider == TextToProvider::Scrubbed;
    let Some(advisor) = context.advisor.as_ref().filter(|_| allowed) else {
        return read;
    };
    let scrubbed = library.scrubber().scrub(text);
    // Without a reply the lexicon's result is used: parsing never fails because of the model.
    if let Ok(reply) = advisor.provider.ask(&question_about_text(&scrubbed)).await {
        for claim in claimed_mentions(&reply.content, &scrubbed) {
            if let Some(mention) = verified(library, text, about, &read.parsed.mentions, &claim) {
                read.by_model.push(mention.concept);
                read.parsed.mentions.push(mention);
                read.parsed.obvious = false;
            }
        }
        read.parsed
            .mentions
            .sort_by_key(|mention| (mention.start, mention.end));
    }
    read
}

/// Returns the mention of a claim if the text confirms it.
fn verified(
    library: &Library,
    text: &str,
    about: &ParseContext,
    known: &[Mention],
    claim: &ClaimedMention,
) -> Option<Mention> {
    let options = SearchOptions {
        sex: about.sex,
        kinds: Some(KINDS),
        max_results: 1,
    };
    let hit = library.search.find(library.base(), &claim.term, &options);
    let hit = hit.into_iter().next();
    let concept = hit.filter(|hit| hit.similarity >= SIMILARITY_MIN)?.concept;
    let characters: Vec<char> = text.chars().collect();
    let (start, end) = position(&characters, &claim.quote)?;
    let read_already = |mention: &Mention| {
        mention.concept == concept
            || (mention.start < end && start < mention.end)
            // A broader or narrower word must not bring back a finding that was negated or
            // uncertain.
            || (mention.choice != Choice::Present && are_related(library, mention.concept, concept))
    };
    if known.iter().any(read_already) {
        return None;
    }
    let name = library.name_of(concept).to_lowercase();
    let translated: String = characters[..start]
        .iter()
        .copied()
        .chain(name.chars())
        .chain(characters[end..].iter().copied())
        .collect();
    let there = start..start + name.chars().count();
    let reading = library.parser.parse(library.base(), &translated, about);
    let mention = reading.mentions.into_iter();
    let mention = mention
        .filter(|mention| mention.concept == concept && there.contains(&mention.start))
        .find(|mention| mention.choice == said(claim))?;
    Some(Mention {
        start,
        end,
        orth: characters[start..end].iter().collect(),
        value: None,
        confidence: CONFIDENCE,
        ..mention
    })
}

fn said(claim: &ClaimedMention) -> Choice {
    if claim.present {
        Choice::Present
    } else {
        Choice::Absent
    }
}

fn are_related(library: &Library, one: ConceptRef, other: ConceptRef) -> bool {
    library.implied_by(one).contains(&other) || library.implied_by(other).contains(&one)
}

/// Finds whole words in a text, ignoring case. Positions are in characters.
fn position(text: &[char], quote: &str) -> Option<(usize, usize)> {
    let quote: Vec<char> = quote.trim().chars().collect();
    if quote.is_empty() {
        return None;
    }
    let same = |a: &char, b: &char| a == b || a.to_lowercase().eq(b.to_lowercase());
    let is_edge = |at: Option<&char>| at.is_none_or(|letter| !letter.is_alphanumeric());
    text.windows(quote.len())
        .enumerate()
        .find_map(|(start, window)| {
            let end = start + quote.len();
            let whole = is_edge(start.checked_sub(1).and_then(|before| text.get(before)))
                && is_edge(text.get(end));
            let equal = window.iter().zip(&quote).all(|(a, b)| same(a, b));
            (equal && whole).then_some((start, end))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_found_case_insensitively() {
        let text: Vec<char> = "Ìwọ̀n: Zuciya tana tashi sosai".chars().collect();
        let found = position(&text, "zuciya tana tashi")
            .map(|(a, b)| text[a..b].iter().collect::<String>());
        assert_eq!(found.as_deref(), Some("Zuciya tana tashi"));
        assert_eq!(position(&text, "uciya"), None);
        assert_eq!(position(&text, ""), None);
        assert_eq!(position(&text, &"x".repeat(500)), None);
    }
}
