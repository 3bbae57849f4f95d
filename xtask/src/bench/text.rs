//! Measures reading and searching text on one core, next to a plain scan for the same phrases in
//! the same run. The program is `crates/lafiya-text/examples/speed.rs`.

use serde_json::Value;

use super::table::{Bound, Row};
use super::{growth, programs};

/// Runs the program and returns its figures.
pub(super) fn figures() -> anyhow::Result<Value> {
    println!("measuring the reader of text ...");
    let output = programs::example("lafiya-text", "speed")?;
    let begins = output.find('{').unwrap_or_default();
    Ok(serde_json::from_str(&output[begins..])?)
}

/// Prints the figures.
pub(super) fn print(figures: &Value) {
    let rows = [
        ("bare scan of all phrases", "bare_scan_us"),
        ("parse", "parse_us"),
        ("search", "search_us"),
        ("search by brute force", "brute_force_search_us"),
    ];
    println!("\n{:<28} {:>10}", "text", "µs");
    for (name, field) in rows {
        println!(
            "{name:<28} {:>10.1}",
            figures[field].as_f64().unwrap_or(f64::NAN)
        );
    }
}

pub(super) fn rows(figures: &Value) -> anyhow::Result<Vec<Row>> {
    let figure = |field: &str| figures[field].as_f64().unwrap_or(f64::NAN);
    let points = |field: &str| serde_json::from_value::<Vec<(f64, f64)>>(figures[field].clone());
    Ok(vec![
        Row {
            what: "parse of 2,000 characters, one core",
            value: figure("parse_us"),
            unit: "µs",
            beside: format!("bare scan of the phrases {:.0} µs", figure("bare_scan_us")),
            floor: Bound::None,
            aim: Bound::AtMost(150.0),
            ..Row::default()
        },
        Row {
            what: "search, one core",
            value: figure("search_us"),
            unit: "µs",
            beside: format!("brute force {:.0} µs", figure("brute_force_search_us")),
            floor: Bound::None,
            aim: Bound::AtMost(100.0),
            ..Row::default()
        },
        growth::row(
            "growth: parse over phrases",
            points("parse_us_by_phrases")?,
            "µs",
            0.1,
        )?,
        growth::row(
            "growth: search over phrases",
            points("search_us_by_phrases")?,
            "µs",
            0.9,
        )?,
    ])
}
