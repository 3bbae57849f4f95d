//! Counts of the knowledge base, for `lafiya knowledge stats`. Pure: the caller prints them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::KnowledgeBase;
use crate::prose::{self, DosesInProse};

/// The counts of a knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// The display version.
    pub version: String,
    /// The hash of the content.
    pub content_hash: String,
    /// The number of objects of each kind.
    pub totals: BTreeMap<&'static str, usize>,
    /// Conditions by category.
    pub conditions_by_category: BTreeMap<String, usize>,
    /// Conditions by default triage level.
    pub conditions_by_level: BTreeMap<String, usize>,
    /// Conditions by severity.
    pub conditions_by_severity: BTreeMap<String, usize>,
    /// Conditions by review status.
    pub conditions_by_review: BTreeMap<String, usize>,
    /// Findings by category.
    pub findings_by_category: BTreeMap<String, usize>,
    /// Findings by red flag.
    pub findings_by_red_flag: BTreeMap<String, usize>,
    /// Risk factors by category.
    pub risk_factors_by_category: BTreeMap<String, usize>,
    /// Lab tests by the lowest level that has them.
    pub lab_tests_by_level: BTreeMap<String, usize>,
    /// Danger rules by the level they require.
    pub rules_by_level: BTreeMap<String, usize>,
    /// The coverage of the content.
    pub coverage: Coverage,
    /// How far doses are data.
    pub doses: DoseCounts,
}

/// How far doses are data: rows, files that refer to them, and amounts that are still in prose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoseCounts {
    /// Doses of all medicines.
    pub doses: usize,
    /// Rows of all doses.
    pub rows: usize,
    /// Cautions of all medicines.
    pub cautions: usize,
    /// References and amounts in conditions and rules.
    #[serde(flatten)]
    pub in_prose: DosesInProse,
}

/// The coverage of the content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// Links between conditions and findings.
    pub finding_links: usize,
    /// Links per condition, on average.
    pub finding_links_per_condition: f32,
    /// Links between conditions and risk factors.
    pub risk_links: usize,
    /// Links between conditions and tests.
    pub lab_links: usize,
    /// Percentage of findings listed by at least one condition.
    pub findings_listed_of_100: f32,
    /// Percentage of findings used by at least one danger rule.
    pub findings_in_rules_of_100: f32,
    /// Percentage of findings with an everyday phrase.
    pub findings_with_lay_words_of_100: f32,
    /// Conditions that must not be missed.
    pub must_not_miss: usize,
    /// Notifiable conditions.
    pub notifiable: usize,
    /// Countries with regions.
    pub countries: usize,
    /// Terms that refer to a concept.
    pub search_terms: usize,
}

/// Counts a knowledge base.
pub fn stats(base: &KnowledgeBase) -> Stats {
    let conditions = base.conditions();
    let findings = base.findings();
    let review = |condition: &crate::base::Condition| {
        condition
            .text
            .review
            .as_ref()
            .map_or("none".to_owned(), |review| review.status.to_string())
    };
    Stats {
        version: base.version().version.clone(),
        content_hash: base.content_hash().to_owned(),
        totals: totals(base),
        conditions_by_category: count(conditions, |condition| condition.text.category.clone()),
        conditions_by_level: count(conditions, |condition| {
            condition.text.triage.default.to_string()
        }),
        conditions_by_severity: count(conditions, |condition| condition.text.severity.to_string()),
        conditions_by_review: count(conditions, review),
        findings_by_category: count(findings, |finding| finding.text.category.clone()),
        findings_by_red_flag: count(findings, |finding| finding.text.red_flag.to_string()),
        risk_factors_by_category: count(base.risks(), |risk| risk.text.category.clone()),
        lab_tests_by_level: count(base.labs(), |lab| lab.text.availability.to_string()),
        rules_by_level: count(base.rules(), |rule| rule.text.effect.level.to_string()),
        coverage: coverage(base),
        doses: doses(base),
    }
}

fn doses(base: &KnowledgeBase) -> DoseCounts {
    let medicines = || base.medicines().iter();
    let rows = medicines()
        .flat_map(|medicine| &medicine.text.dose)
        .map(|dose| dose.rows.len());
    DoseCounts {
        doses: base.doses().len(),
        rows: rows.sum(),
        cautions: medicines().map(|medicine| medicine.cautions.len()).sum(),
        in_prose: in_prose(base),
    }
}

fn in_prose(base: &KnowledgeBase) -> DosesInProse {
    let mut counts = DosesInProse::default();
    for ix in base.condition_indices() {
        counts.add(prose::of_condition(&base.condition_as_written(ix)));
    }
    for rule in base.rules() {
        counts.add(prose::of_rule(&rule.text));
    }
    counts
}

fn totals(base: &KnowledgeBase) -> BTreeMap<&'static str, usize> {
    BTreeMap::from([
        ("conditions", base.conditions().len()),
        ("findings", base.findings().len()),
        ("measures", base.measures().len()),
        ("risk_factors", base.risks().len()),
        ("lab_tests", base.labs().len()),
        ("rules", base.rules().len()),
        ("scores", base.scores().len()),
        ("pairs", base.pairs().len()),
        ("medicines", base.medicines().len()),
        ("sources", base.sources().len()),
        ("specialists", base.specialists().len()),
        ("belts", base.belts().len()),
        ("places", base.places().len()),
    ])
}

fn coverage(base: &KnowledgeBase) -> Coverage {
    let findings = base.findings();
    let links: usize = base
        .conditions()
        .iter()
        .map(|condition| condition.findings.len())
        .sum();
    let asked: std::collections::BTreeSet<_> = base
        .rules()
        .iter()
        .flat_map(|rule| rule.when.concepts())
        .filter_map(crate::base::ConceptRef::finding)
        .collect();
    let spoken: std::collections::BTreeSet<_> = base
        .lay_terms()
        .iter()
        .map(|term| term.concept.as_str())
        .collect();
    let listed = findings
        .iter()
        .filter(|finding| !finding.conditions.is_empty())
        .count();
    let worded = findings
        .iter()
        .filter(|finding| !finding.text.lay.is_empty() || spoken.contains(&*finding.text.id))
        .count();
    let countries: std::collections::BTreeSet<_> =
        base.places().iter().map(|place| &place.country).collect();
    Coverage {
        finding_links: links,
        finding_links_per_condition: links as f32 / base.conditions().len().max(1) as f32,
        risk_links: base
            .conditions()
            .iter()
            .map(|condition| condition.risks.len())
            .sum(),
        lab_links: base
            .conditions()
            .iter()
            .map(|condition| condition.labs.len())
            .sum(),
        findings_listed_of_100: of_100(listed, findings.len()),
        findings_in_rules_of_100: of_100(asked.len(), findings.len()),
        findings_with_lay_words_of_100: of_100(worded, findings.len()),
        must_not_miss: base
            .conditions()
            .iter()
            .filter(|condition| condition.text.must_not_miss.is_some())
            .count(),
        notifiable: base
            .conditions()
            .iter()
            .filter(|condition| condition.text.notifiable.is_some())
            .count(),
        countries: countries.len(),
        search_terms: base.search_terms().len(),
    }
}

fn count<T>(items: &[T], word: impl Fn(&T) -> String) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(word(item)).or_default() += 1;
    }
    counts
}

fn of_100(part: usize, whole: usize) -> f32 {
    100.0 * part as f32 / whole.max(1) as f32
}
