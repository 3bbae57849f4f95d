//! Renders one concept for `lafiya knowledge show`, as plain text without colours or terminal
//! codes.

use std::fmt::Write as _;

use lafiya_model::AgeBand;

use crate::base::{ConceptRef, ConditionIx, FindingIx, KnowledgeBase, LabIx, MeasureIx, RiskIx};

/// Returns a concept in words and numbers, for a reviewer.
pub fn show(base: &KnowledgeBase, concept: ConceptRef) -> String {
    let mut page = Page::default();
    page.title(&format!(
        "{} ({})",
        base.name_of(concept),
        base.id_of(concept)
    ));
    page.row("Known as", base.common_name_of(concept));
    page.row("Category", base.category_of(concept));
    match concept {
        ConceptRef::Condition(ix) => condition(base, ix, &mut page),
        ConceptRef::Finding(ix) => finding(base, ix, &mut page),
        ConceptRef::Measure(ix) => measure(base, ix, &mut page),
        ConceptRef::Risk(ix) => risk(base, ix, &mut page),
        ConceptRef::Lab(ix) => lab(base, ix, &mut page),
    }
    page.text
}

fn condition(base: &KnowledgeBase, ix: ConditionIx, page: &mut Page) {
    let condition = base.condition(ix);
    let text = &condition.text;
    page.row("ICD-10", &text.icd10);
    page.row("Severity", text.severity.as_str());
    page.row(
        "Review",
        text.review
            .as_ref()
            .map_or("none", |review| review.status.as_str()),
    );
    page.row("About", &text.description);
    page.row(
        "Triage",
        &format!("{}, {}", text.triage.default, text.triage.timeframe),
    );
    if let Some(limit) = &text.must_not_miss {
        page.row(
            "Must not be missed",
            &format!("above {} of 100: {}", limit.above_of_100, limit.why),
        );
    }
    page.heading("Of 1,000 with a new complaint");
    for &band in AgeBand::ALL {
        if condition.per_1000(band) > 0.0 {
            page.row(band.as_str(), &condition.per_1000(band).to_string());
        }
    }
    page.heading("Findings, of 100");
    for entry in &text.findings.list {
        let mut more = String::new();
        for (name, figure) in [
            ("under 5", entry.under_5),
            ("over 65", entry.over_65),
            ("pregnant", entry.pregnant),
        ] {
            if let Some(figure) = figure {
                let _ = write!(more, ", {name} {figure}");
            }
        }
        let star = if entry.cardinal { " (cardinal)" } else { "" };
        page.row(
            name(base, &entry.id),
            &format!("{}{more}{star}", entry.of_100),
        );
    }
    page.heading("Tests, of 100 with and without");
    for entry in &text.lab.list {
        page.row(
            name(base, &entry.id),
            &format!("{} / {}", entry.of_100, entry.without),
        );
    }
    page.heading("Risk factors, odds ratio");
    for entry in &text.risk_factors.list {
        page.row(name(base, &entry.id), &entry.odds_ratio.to_string());
    }
    page.heading("Treatment");
    for (title, advice) in [
        ("First line", &text.treatment.first_line),
        ("Alternative", &text.treatment.alternative),
    ] {
        if let Some(advice) = advice {
            let text = base.in_general_or_same(&advice.text);
            page.row(title, &format!("{text} [{}]", advice.source));
        }
    }
    page.heading("Sources");
    for &source in &condition.sources {
        page.line(&citation(base, source));
    }
}

fn finding(base: &KnowledgeBase, ix: FindingIx, page: &mut Page) {
    let finding = base.finding(ix);
    let text = &finding.text;
    page.row("Kind", text.kind.as_str());
    page.row("Question", &text.question);
    page.row("To a caregiver", &text.caregiver_question);
    page.row("Why we ask", &text.explanation);
    page.row("Background", &format!("{} of 100", text.background_of_100));
    page.row("Red flag", text.red_flag.as_str());
    page.row("Danger", text.danger.as_deref().unwrap_or_default());
    page.row(
        "Follows from it",
        &names(base, finding.ancestors.iter().copied()),
    );
    page.row(
        "It follows from",
        &names(base, finding.descendants.iter().copied()),
    );
    page.row(
        "Words",
        &text
            .synonyms
            .iter()
            .chain(&text.lay)
            .cloned()
            .collect::<Vec<_>>()
            .join("; "),
    );
    page.heading("Conditions, of 100");
    let figure = |condition| base.likelihood().probability(condition, ix, None);
    let mut listed = finding.conditions.clone();
    listed.sort_by(|a, b| figure(*b).total_cmp(&figure(*a)));
    for condition in listed {
        let figure = (figure(condition) * 1000.0).round() / 10.0;
        page.row(&base.condition(condition).text.name, &figure.to_string());
    }
    page.heading("Danger rules");
    for rule in base
        .rules()
        .iter()
        .filter(|rule| rule.when.concepts().contains(&ConceptRef::Finding(ix)))
    {
        page.row(&rule.text.id, &rule.text.says);
    }
}

fn measure(base: &KnowledgeBase, ix: MeasureIx, page: &mut Page) {
    let text = &base.measure(ix).text;
    page.row("Question", &text.question);
    page.row("Unit", &text.unit);
    let others: Vec<&str> = text.other_units.iter().map(|unit| &*unit.unit).collect();
    page.row("Also read", &others.join(", "));
    page.heading("What a value makes present");
    for rule in &text.derive {
        page.line(name(base, &rule.finding));
    }
}

fn risk(base: &KnowledgeBase, ix: RiskIx, page: &mut Page) {
    let risk = base.risk(ix);
    page.row("Question", &risk.text.question);
    page.row(
        "Background",
        &format!("{} of 100", risk.text.background_of_100),
    );
    page.heading("Conditions, odds ratio");
    for &(condition, ln_odds) in &risk.effects {
        let ratio = (ln_odds.exp() * 100.0).round() / 100.0;
        page.row(&base.condition(condition).text.name, &ratio.to_string());
    }
}

fn lab(base: &KnowledgeBase, ix: LabIx, page: &mut Page) {
    let lab = base.lab(ix);
    page.row("Positive means", &lab.text.what_positive_means);
    page.row("From level", lab.text.availability.as_str());
    page.row("Unit", lab.text.unit.as_deref().unwrap_or_default());
    page.heading("Conditions, of 100 with and without");
    for effect in &lab.effects {
        let figures = format!("{} / {}", effect.with * 100.0, effect.without * 100.0);
        page.row(&base.condition(effect.condition).text.name, &figures);
    }
}

/// Returns a citation such as `[3] Guidelines for malaria, WHO, 2024`.
pub fn citation(base: &KnowledgeBase, source: crate::base::SourceIx) -> String {
    let cited = base.source(source);
    format!(
        "[{}] {}, {}, {}",
        source.index() + 1,
        cited.title,
        cited.publisher,
        cited.year
    )
}

fn name<'a>(base: &'a KnowledgeBase, id: &'a str) -> &'a str {
    base.resolve(id).map_or(id, |concept| base.name_of(concept))
}

fn names(base: &KnowledgeBase, findings: impl Iterator<Item = FindingIx>) -> String {
    findings
        .map(|ix| &*base.finding(ix).text.name)
        .collect::<Vec<_>>()
        .join("; ")
}

#[derive(Default)]
struct Page {
    text: String,
    /// A heading that is written together with the first row below it, so that an empty section has
    /// none.
    pending: Option<String>,
}

impl Page {
    fn title(&mut self, title: &str) {
        let _ = writeln!(self.text, "{title}\n{}", "=".repeat(title.chars().count()));
    }

    fn heading(&mut self, heading: &str) {
        self.pending = Some(heading.to_owned());
    }

    fn row(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.line(&format!("{name}: {value}"));
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(heading) = self.pending.take() {
            let _ = writeln!(
                self.text,
                "\n{heading}\n{}",
                "-".repeat(heading.chars().count())
            );
        }
        let _ = writeln!(self.text, "{line}");
    }
}
