//! Builds the knowledge base from content. Never fails: unresolved references are left out (and
//! reported by `checks`).

use std::collections::HashMap;
use std::sync::Arc;

use super::course::Courses;
use super::directory::Directory;
use super::index::{ConceptRef, ConditionIx, FindingIx, MeasureIx, RiskIx};
use super::interview::{Families, Interview};
use super::likelihood::{Answer, Likelihood};
use super::medicine::{self, StatesByRisks};
use super::phrase_table;
use super::place::{Places, Times};
use super::priors::Priors;
use super::reference::Templates;
use super::watch::{HigherLevels, Watch};
use super::{
    Condition, Finding, FindingLink, Higher, InvestigationLink, KnowledgeBase, LabEffect, LabLink,
    LabTest, Measure, Narrower, Pair, Quantity, RiskFactor, RiskLink, Rule, Score, When,
};
use crate::schema::{self, Content};
use crate::words::SexLimit;

impl KnowledgeBase {
    /// Builds the knowledge base from content that was checked before.
    pub fn from_content(mut content: Content) -> Self {
        // First, while all texts are still in the content: binding replaces them by references.
        let (phrase_table, citations) = phrase_table::bind(&mut content);
        // Before any of the lists is taken out of the content: ids may refer to each other in any
        // order.
        let directory = Directory::of(&content);
        let interview = Interview::take(&mut content, &directory);
        let mut families = Families::default();
        let mut findings = build_findings(content.findings, &directory, &mut families);
        let mut risks = build_risks(content.risk_factors, &directory, &mut families);
        let mut labs = build_labs(content.lab_tests, &directory);
        let conditions: Vec<Condition> = content
            .conditions
            .into_iter()
            .map(|text| build_condition(text, &directory, &risks))
            .collect();
        for (n, condition) in conditions.iter().enumerate() {
            let ix = ConditionIx::at(n);
            for link in &condition.findings {
                findings[link.finding.index()].conditions.push(ix);
            }
            for link in &condition.risks {
                risks[link.risk.index()].effects.push((ix, link.ln_odds));
            }
            for link in &condition.labs {
                let effect = LabEffect {
                    condition: ix,
                    with: link.with,
                    without: link.without,
                };
                labs[link.lab.index()].effects.push(effect);
            }
        }
        // The engine relies on each condition occurring once.
        for risk in &mut risks {
            risk.effects.dedup_by_key(|(condition, _)| *condition);
        }
        for lab in &mut labs {
            lab.effects.dedup_by_key(|effect| effect.condition);
        }
        let rules: Vec<Rule> = content
            .rules
            .into_iter()
            .map(|text| build_rule(text, &directory))
            .collect();
        let pairs = content.pairs.into_iter();
        let pairs: Vec<Pair> = pairs
            .filter_map(|text| build_pair(text, &directory))
            .collect();
        let places_in_pairs = places_in_pairs(&pairs, conditions.len());
        let is_paired = |row: usize| places_in_pairs[row] > 0;
        let (medicines, doses) = medicine::build(content.medicines, &directory);
        let classes = &content.medicine_classes;
        let mut base = Self {
            medicines,
            doses,
            weights: medicine::build_weights(content.weight_for_age, &directory),
            states_by_risks: StatesByRisks::of(&classes.state, &directory),
            templates: Templates::default(),
            education_as_written: HashMap::new(),
            content_hash: content.content_hash,
            version: content.version,
            likelihood: Likelihood::build(&conditions, &findings, is_paired),
            measures: content
                .measures
                .into_iter()
                .map(|text| build_measure(text, &directory))
                .collect(),
            rules_watch: Watch::over(rules.iter().map(|rule| &rule.when)),
            usual_levels: conditions
                .iter()
                .map(|condition| {
                    (
                        condition.text.triage.default,
                        condition.text.triage.timeframe,
                    )
                })
                .collect(),
            higher: HigherLevels::of(&conditions),
            courses: Courses::of(&conditions),
            priors: Priors::of(&conditions, content.belts.len()),
            state_risks: risk_indices(&risks, |risk| risk.state.is_some()),
            age_risks: risk_indices(&risks, |risk| risk.implied_by_age.is_some()),
            rules,
            scores: content
                .scores
                .iter()
                .map(|text| Score::compile(text, &directory))
                .collect(),
            places_in_pairs,
            pairs,
            interview,
            places: Places::of(&content.countries, &content.belts, &directory),
            conditions,
            findings,
            labs,
            risks,
            directory,
            sources: content.sources,
            citations,
            phrase_table: phrase_table.into(),
            specialists: content.specialists,
            services: content.services,
            triage: content.triage,
            belts: content.belts,
            population: content.population,
            lay_terms: content.lay_terms,
        };
        base.templates = base.read_templates(&Arc::clone(&base.phrase_table));
        base.render_education();
        base
    }
}

/// Returns, by condition, its position among the conditions that are part of a pair.
fn places_in_pairs(pairs: &[Pair], conditions: usize) -> Vec<u16> {
    let mut places = vec![0; conditions];
    let paired = pairs.iter().flat_map(|pair| [pair.first, pair.second]);
    // From 1, because 0 marks a condition that is in no pair. A condition of two pairs keeps its
    // last place; any unique number will do.
    for (place, condition) in (1..).zip(paired) {
        places[condition.index()] = place;
    }
    places
}

fn risk_indices(risks: &[RiskFactor], wanted: impl Fn(&RiskFactor) -> bool) -> Vec<RiskIx> {
    let places = risks.iter().enumerate();
    places
        .filter(|(_, risk)| wanted(risk))
        .map(|(place, _)| RiskIx::at(place))
        .collect()
}

fn build_condition(
    text: schema::Condition,
    directory: &Directory,
    known_risks: &[RiskFactor],
) -> Condition {
    let finding = |id: &str| directory.exact(id).and_then(ConceptRef::finding);
    let lab = |id: &str| directory.exact(id).and_then(ConceptRef::lab);
    let risk = |id: &str| directory.exact(id).and_then(ConceptRef::risk);
    let mut per_1000 = [0.0; 7];
    for (band, figure) in &text.prior.per_1000 {
        per_1000[*band as usize] = *figure;
    }
    let findings = text
        .findings
        .list
        .iter()
        .filter_map(|link| Some(finding_link(finding(&link.id)?, link)));
    let labs = text.lab.list.iter().filter_map(|link| {
        Some(LabLink {
            lab: lab(&link.id)?,
            with: of_100(link.of_100),
            without: of_100(link.without),
        })
    });
    let risks = text.risk_factors.list.iter().filter_map(|link| {
        let ix = risk(&link.id)?;
        let background = known_risks[ix.index()].background;
        Some(RiskLink::new(ix, link.odds_ratio, background))
    });
    let excluded_by = text
        .excluded_by
        .iter()
        .flat_map(|exclusion| &exclusion.list)
        .filter_map(|id| directory.exact(id));
    Condition {
        sex: if text.who.state.is_some() {
            SexLimit::Female
        } else {
            text.who.sex
        },
        ages: text.who.ages(),
        state: text.who.state,
        per_1000,
        sex_factors: text.prior.sex,
        pregnancy_times: text.prior.pregnant.unwrap_or(1.0),
        times: text
            .prior
            .times
            .iter()
            .filter_map(|time| Times::compile(time, directory))
            .collect(),
        findings: findings.collect(),
        labs: labs.collect(),
        risks: risks.collect(),
        must_not_miss_above: text.must_not_miss.as_ref().map(|limit| limit.above_of_100),
        excluded_by: excluded_by.collect(),
        higher: text
            .triage
            .higher
            .iter()
            .map(|higher| build_higher(higher, directory))
            .collect(),
        avoid_when: text
            .treatment
            .avoid
            .iter()
            .map(|action| Some(When::compile(action.when.as_ref()?, directory)))
            .collect(),
        investigations: text
            .investigation
            .iter()
            .map(|investigation| build_investigation(investigation, directory))
            .collect(),
        sources: text
            .sources
            .iter()
            .filter_map(|id| directory.source(id))
            .collect(),
        text: Box::new(text),
    }
}

fn finding_link(finding: FindingIx, entry: &schema::FindingEntry) -> FindingLink {
    FindingLink {
        finding,
        probability: of_100(entry.of_100),
        under_5: entry.under_5.map(of_100),
        over_65: entry.over_65.map(of_100),
        pregnant: entry.pregnant.map(of_100),
        cardinal: entry.cardinal,
        severe: entry.severe_of_100.map(of_100),
    }
}

fn build_higher(written: &schema::Higher, directory: &Directory) -> Higher {
    Higher {
        when: When::compile(&written.when, directory),
        level: written.level,
        timeframe: written.timeframe,
        why: written.why.clone(),
        source: directory.source(&written.source),
    }
}

fn build_investigation(
    written: &schema::Investigation,
    directory: &Directory,
) -> InvestigationLink {
    let conditions = written
        .differentiates
        .iter()
        .filter_map(|id| directory.exact(id)?.condition());
    InvestigationLink {
        test: directory.exact(&written.test).and_then(ConceptRef::lab),
        differentiates: conditions.collect(),
        source: directory.source(&written.source),
    }
}

fn build_findings(
    texts: Vec<schema::Finding>,
    directory: &Directory,
    families: &mut Families,
) -> Vec<Finding> {
    let finding = |id: &String| directory.exact(id).and_then(ConceptRef::finding);
    let next: Vec<Vec<FindingIx>> = texts
        .iter()
        .map(|text| {
            text.parent
                .iter()
                .chain(&text.implies)
                .filter_map(finding)
                .collect()
        })
        .collect();
    let mut findings: Vec<Finding> = texts
        .into_iter()
        .enumerate()
        .map(|(n, text)| Finding {
            sex: text.sex.unwrap_or(SexLimit::Any),
            ages: text.ages(),
            background: of_100(text.background_of_100),
            parent: text.parent.as_ref().and_then(finding),
            ancestors: closure(n, |at| next[at].iter().map(|ix| ix.index()))
                .map(FindingIx::at)
                .collect(),
            descendants: Vec::new(),
            narrower: Vec::new(),
            conditions: Vec::new(),
            asking: families.asking(
                &text.requires,
                &text.not_with,
                text.family.as_deref(),
                directory,
            ),
            text: Box::new(text),
        })
        .collect();
    for n in 0..findings.len() {
        // Cloned, because the loop changes other findings of the same list.
        for ancestor in findings[n].ancestors.clone() {
            findings[ancestor.index()]
                .descendants
                .push(FindingIx::at(n));
            // A broader finding is at least as common as a narrower one, whatever the file says.
            findings[ancestor.index()].background = findings[ancestor.index()]
                .background
                .max(findings[n].background);
        }
    }
    note_narrower(&mut findings);
    findings
}

/// Records for every finding what it becomes when it lasts long or is severe: any kind of fever
/// becomes "Fever more than 14 days".
fn note_narrower(findings: &mut [Finding]) {
    for n in 0..findings.len() {
        let text = &findings[n].text;
        if !text.follows() {
            continue;
        }
        let narrower = Narrower {
            finding: FindingIx::at(n),
            days: text.when_days,
            severe: text.when_severe,
        };
        let follows = |ix: &FindingIx| findings[ix.index()].text.follows();
        let parents = std::iter::successors(findings[n].parent, |ix| findings[ix.index()].parent);
        // A cycle in a file is rejected elsewhere; here the loop only has to terminate.
        let mut parents = parents.take(findings.len());
        let Some(broader) = parents.find(|ix| !follows(ix)) else {
            continue;
        };
        let kinds = findings[broader.index()].descendants.clone();
        for kind in kinds.into_iter().chain([broader]) {
            if kind != narrower.finding {
                findings[kind.index()].narrower.push(narrower);
            }
        }
    }
}

fn build_risks(
    texts: Vec<schema::RiskFactor>,
    directory: &Directory,
    families: &mut Families,
) -> Vec<RiskFactor> {
    let risk = |id: &String| directory.exact(id).and_then(ConceptRef::risk);
    let next: Vec<Vec<RiskIx>> = texts
        .iter()
        .map(|text| text.implies.iter().filter_map(risk).collect())
        .collect();
    texts
        .into_iter()
        .enumerate()
        .map(|(n, text)| RiskFactor {
            sex: if text.state.is_some() {
                SexLimit::Female
            } else {
                text.sex.unwrap_or(SexLimit::Any)
            },
            ages: text.ages(),
            background: Answer::with(of_100(text.background_of_100)),
            implied_by_age: text.implied_by_age.map(|range| range.span()),
            state: text.state,
            implies: closure(n, |at| next[at].iter().map(|ix| ix.index()))
                .map(RiskIx::at)
                .collect(),
            effects: Vec::new(),
            asking: families.asking(
                &text.requires,
                &text.not_with,
                text.family.as_deref(),
                directory,
            ),
            text: Box::new(text),
        })
        .collect()
}

fn build_labs(texts: Vec<schema::LabTest>, directory: &Directory) -> Vec<LabTest> {
    texts
        .into_iter()
        .map(|text| LabTest {
            sex: text.sex.unwrap_or(SexLimit::Any),
            ages: text.ages(),
            not_with: text
                .not_with
                .iter()
                .filter_map(|id| directory.exact(id))
                .collect(),
            quantity: Quantity::of_lab_test(&text, directory),
            effects: Vec::new(),
            text,
        })
        .collect()
}

fn build_measure(text: schema::Measure, directory: &Directory) -> Measure {
    let measure = |id: &String| -> Option<MeasureIx> {
        match directory.exact(id)? {
            ConceptRef::Measure(ix) => Some(ix),
            _ => None,
        }
    };
    let pair = text
        .pair
        .as_ref()
        .and_then(|[first, second]| Some([measure(first)?, measure(second)?]));
    Measure {
        quantity: Quantity::of_measure(&text, directory),
        pair,
        text,
    }
}

fn build_pair(text: schema::Pair, directory: &Directory) -> Option<Pair> {
    let condition = |id: &str| directory.exact(id).and_then(ConceptRef::condition);
    Some(Pair {
        first: condition(&text.id)?,
        second: condition(&text.with)?,
        ln_share: f64::from(of_100(text.of_100)).ln(),
        text,
    })
}

fn build_rule(text: schema::Rule, directory: &Directory) -> Rule {
    Rule {
        when: When::compile(&text.when, directory),
        source: directory.source(&text.source),
        text,
    }
}

/// Returns all indices reachable from one, nearest first, without itself. A cycle ends the
/// traversal; `checks` reports it.
fn closure<I: Iterator<Item = usize>>(
    start: usize,
    next: impl Fn(usize) -> I,
) -> impl Iterator<Item = usize> {
    let mut found: Vec<usize> = next(start).filter(|&at| at != start).collect();
    let mut read = 0;
    while read < found.len() {
        for at in next(found[read]) {
            if at != start && !found.contains(&at) {
                found.push(at);
            }
        }
        read += 1;
    }
    found.into_iter()
}

/// Converts a percentage to a probability, clamped away from 0 and 1 so that no single figure can
/// decide everything.
fn of_100(figure: f32) -> f32 {
    (figure / 100.0).clamp(0.0005, 0.995)
}
