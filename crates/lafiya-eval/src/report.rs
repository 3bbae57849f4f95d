//! The report: one HTML page with diagrams of reliability, triage confusion and misses. No scripts
//! and no external resources.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lafiya_model::TriageLevel;

use crate::run::Outcome;
use crate::scores::score;

const SIZE: f64 = 320.0;
const BINS: usize = 10;
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#12312b}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.3rem .7rem;text-align:right;border-bottom:1px solid #d9e2dc}\
th:first-child,td:first-child{text-align:left}.bad{color:#a4262c}.ok{color:#0b6b50}svg{background:#fbfaf6;border:1px solid #d9e2dc}\
.row{display:flex;gap:2rem;flex-wrap:wrap}";

/// Returns the whole page.
pub fn html(outcomes: &[Outcome], title: &str) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title><style>{STYLE}</style><h1>{0}</h1>",
        escaped(title)
    );
    page.push_str(&summary(outcomes));
    page.push_str("<div class=\"row\">");
    let _ = write!(
        page,
        "<figure>{}<figcaption>Reliability of the first answer</figcaption></figure>",
        reliability(outcomes)
    );
    let _ = write!(
        page,
        "<figure>{}<figcaption>Triage: wanted (rows) and given</figcaption></figure>",
        confusion(outcomes)
    );
    page.push_str("</div>");
    page.push_str(&misses(outcomes));
    page.push_str("</html>\n");
    page
}

fn summary(outcomes: &[Outcome]) -> String {
    let mut sets: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        sets.entry(&outcome.set).or_default().push(outcome);
    }
    let mut table = String::from(
        "<table><tr><th>Set</th><th>Cases</th><th>Covered</th><th>Top 1</th><th>Top 3</th><th>Covered top 1</th><th>Covered top 3</th>\
<th>Triage ok</th><th>Under</th><th>Over</th><th>Emergencies missed</th><th>Brier</th></tr>",
    );
    for (set, outcomes) in sets {
        let it = score(outcomes.iter().copied());
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{} of {}</td><td>{:.3}</td></tr>",
            escaped(set),
            it.cases,
            it.covered,
            percent(it.top1),
            percent(it.top3),
            percent(it.covered_top1),
            percent(it.covered_top3),
            percent(it.triage_ok),
            percent(it.under),
            percent(it.over),
            it.emergencies_under,
            it.emergencies,
            it.brier
        );
    }
    table + "</table>"
}

/// Compares the stated probability with how often the answer was correct, in ten bins.
fn reliability(outcomes: &[Outcome]) -> String {
    let mut bins = [(0_usize, 0_usize, 0.0_f64); BINS];
    for outcome in outcomes
        .iter()
        .filter(|outcome| outcome.covered && outcome.level.is_some())
    {
        let bin = ((outcome.probability_of_first * BINS as f64) as usize).min(BINS - 1);
        bins[bin].0 += 1;
        bins[bin].1 += usize::from(outcome.rank == Some(1));
        bins[bin].2 += outcome.probability_of_first;
    }
    let mut svg = format!(
        "<svg width=\"{SIZE}\" height=\"{SIZE}\" viewBox=\"0 0 {SIZE} {SIZE}\" role=\"img\" aria-label=\"Reliability\">"
    );
    let _ = write!(
        svg,
        "<line x1=\"0\" y1=\"{SIZE}\" x2=\"{SIZE}\" y2=\"0\" stroke=\"#b9c9c1\" stroke-dasharray=\"4\"/>"
    );
    for (count, right, stated) in bins.into_iter().filter(|(count, _, _)| *count > 0) {
        let x = stated / count as f64 * SIZE;
        let y = SIZE - right as f64 / count as f64 * SIZE;
        let radius = 3.0 + (count as f64).sqrt() * 1.5;
        let _ = write!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"#0b6b50\" fill-opacity=\".75\"><title>{count} cases</title></circle>"
        );
    }
    svg + "</svg>"
}

fn confusion(outcomes: &[Outcome]) -> String {
    let levels: Vec<TriageLevel> = TriageLevel::ALL.iter().rev().copied().collect();
    let cell = SIZE / 5.0;
    let mut svg = format!(
        "<svg width=\"{SIZE}\" height=\"{SIZE}\" viewBox=\"0 0 {SIZE} {SIZE}\" role=\"img\" aria-label=\"Triage confusion\" font-size=\"12\">"
    );
    for (row, wanted) in levels.iter().enumerate() {
        let y = cell * (row as f64 + 1.0);
        let _ = write!(
            svg,
            "<text x=\"4\" y=\"{:.0}\">{wanted}</text><text x=\"{:.0}\" y=\"24\">{wanted}</text>",
            y + cell / 2.0,
            cell * (row as f64 + 1.0) + 4.0
        );
        for (column, given) in levels.iter().enumerate() {
            let count = outcomes
                .iter()
                .filter(|outcome| {
                    outcome
                        .wanted_level
                        .is_some_and(|(_, _, level)| level == *wanted)
                        && outcome.level == Some(*given)
                })
                .count();
            let colour = if row == column {
                "#cfe6db"
            } else if column > row {
                "#f3c9c4"
            } else {
                "#f7ecd0"
            };
            let x = cell * (column as f64 + 1.0);
            let _ = write!(
                svg,
                "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{cell:.0}\" height=\"{cell:.0}\" fill=\"{colour}\" stroke=\"#fff\"/><text x=\"{:.0}\" y=\"{:.0}\">{count}</text>",
                x + cell / 2.0 - 4.0,
                y + cell / 2.0 + 4.0
            );
        }
    }
    svg + "</svg>"
}

fn misses(outcomes: &[Outcome]) -> String {
    let mut table = String::from(
        "<h2>Misses</h2><table><tr><th>Case</th><th>Diagnosis</th><th>Place</th><th>Given</th><th>Level</th><th>Evidence</th></tr>",
    );
    let missed = outcomes.iter().filter(|outcome| {
        outcome.rank.is_none_or(|rank| rank > 3) || outcome.is_under() || outcome.is_over()
    });
    for it in missed {
        let place = if it.covered {
            it.rank.map_or("-".to_owned(), |rank| rank.to_string())
        } else {
            "not in the base".to_owned()
        };
        let class = if it.is_under() { "bad" } else { "ok" };
        let level = it
            .level
            .map_or("none".to_owned(), |level| level.to_string());
        let wanted = it.wanted_level.map_or(String::new(), |(_, _, wanted)| {
            format!(" (wanted {wanted})")
        });
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{place}</td><td>{}</td><td class=\"{class}\">{level}{wanted}</td><td>{}</td></tr>",
            escaped(&it.id),
            escaped(&it.diagnosis),
            escaped(&it.top.join(", ")),
            escaped(&it.understood.join(" "))
        );
    }
    table + "</table>"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
