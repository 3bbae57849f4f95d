//! Converts mentions into evidence, the input of the engine. A measured value is converted to its
//! own unit; a pair such as 180/110 becomes two values.

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{ConceptId, Evidence, EvidenceSource};

use crate::parse::{Mention, Parsed};

/// Returns the evidence in a text, in text order, with test results after the rest. A value that
/// cannot be parsed leaves the bare concept.
///
/// # Example
///
/// ```
/// use lafiya_text::{ParseContext, Parser, evidence};
///
/// let base = lafiya_content::load()?;
/// let parser = Parser::build(&base);
/// let parsed = parser.parse(&base, "vomiting since yesterday", &ParseContext::default());
/// let evidence = evidence(&base, &parsed);
/// assert_eq!(evidence[0].id.as_str(), "s_vomiting");
/// # Ok::<(), lafiya_knowledge::LoadError>(())
/// ```
pub fn evidence(base: &KnowledgeBase, parsed: &Parsed) -> Vec<Evidence> {
    parsed
        .mentions
        .iter()
        .chain(&parsed.tests)
        .flat_map(|mention| of_mention(base, mention))
        .collect()
}

fn of_mention(base: &KnowledgeBase, mention: &Mention) -> Vec<Evidence> {
    let values = mention
        .value
        .as_ref()
        .and_then(|value| base.read_value(mention.concept, value).ok());
    let parts = match values {
        Some(values) => values
            .into_iter()
            .map(|(concept, value)| (concept, Some(value)))
            .collect(),
        None => vec![(mention.concept, None)],
    };
    let item = |(concept, value)| Evidence {
        id: ConceptId(base.id_of(concept).to_owned()),
        choice: mention.choice,
        source: EvidenceSource::Initial,
        duration_days: mention.duration_days,
        severity: mention.severity,
        value,
    };
    parts.into_iter().map(item).collect()
}
