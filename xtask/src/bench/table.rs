//! The rows of the bench and how they are shown: a table for people, JSON for comparing releases, a picture.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// What a figure has to keep.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
    /// Only shown.
    None,
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(limit) => value >= limit,
            Self::AtMost(limit) => value <= limit,
            Self::None => true,
        }
    }

    fn shown(self) -> String {
        match self {
            Self::AtLeast(limit) => format!(">= {limit}"),
            Self::AtMost(limit) => format!("<= {limit}"),
            Self::None => String::new(),
        }
    }
}

/// One measured row.
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) value: f64,
    /// `x` for a ratio, else a unit.
    pub(super) unit: &'static str,
    /// The two figures behind a ratio, or how it was measured.
    pub(super) beside: String,
    pub(super) floor: Bound,
    pub(super) aim: Bound,
}

impl Row {
    pub(super) fn verdict(&self) -> &'static str {
        match (self.floor.holds(self.value), self.aim.holds(self.value)) {
            (false, _) => "below the floor",
            (true, false) => "floor",
            (true, true) => "aim",
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "what": self.what, "value": self.value, "unit": self.unit, "beside": self.beside,
            "floor": self.floor.shown(), "aim": self.aim.shown(), "reached": self.verdict(),
        })
    }
}

/// The rows as a Markdown table.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| What | Figure | From | Floor | Aim | Reached |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} | {} | {} |",
            row.what,
            figure(row.value),
            row.unit,
            row.beside,
            row.floor.shown(),
            row.aim.shown(),
            row.verdict()
        );
    }
    text
}

pub(super) fn as_json(rows: &[Row]) -> Value {
    rows.iter().map(Row::as_json).collect()
}

const BAR_HEIGHT: usize = 22;
const LABEL_WIDTH: usize = 420;
const SCALE_WIDTH: f64 = 240.0;

/// Each row as a bar: how far it stands from its floor, which is the line in the middle. Right of it is better.
pub(super) fn svg(rows: &[Row]) -> String {
    let height = rows.len() * BAR_HEIGHT + BAR_HEIGHT;
    let middle = LABEL_WIDTH as f64 + SCALE_WIDTH;
    let width = middle + SCALE_WIDTH;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n"
    );
    for (place, row) in rows.iter().enumerate() {
        let better = match row.floor {
            Bound::AtLeast(floor) => row.value / floor,
            Bound::AtMost(floor) => floor / row.value,
            Bound::None => continue,
        };
        // A tenth and ten times the floor are the ends of the scale.
        let length = better.log10().clamp(-1.0, 1.0) * SCALE_WIDTH;
        let (from, colour) = if length < 0.0 {
            (middle + length, "#b3261e")
        } else {
            (middle, "#1b6e3c")
        };
        let top = place * BAR_HEIGHT + 4;
        let _ = writeln!(
            text,
            "<text x=\"4\" y=\"{}\">{}: {} {}</text><rect x=\"{from:.0}\" y=\"{top}\" width=\"{:.0}\" height=\"14\" fill=\"{colour}\"/>",
            top + 12,
            row.what.replace('&', "&amp;").replace('<', "&lt;"),
            figure(row.value),
            row.unit,
            length.abs().max(1.0)
        );
    }
    let _ = writeln!(
        text,
        "<line x1=\"{middle}\" y1=\"0\" x2=\"{middle}\" y2=\"{height}\" stroke=\"#444\"/>\n</svg>"
    );
    text
}

/// Three digits that mean something.
fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64) -> Row {
        Row {
            what: "a thing",
            value,
            unit: "x",
            beside: "1 v. 2".to_owned(),
            floor: Bound::AtLeast(0.25),
            aim: Bound::AtLeast(0.5),
        }
    }

    #[test]
    fn a_row_says_what_it_reached() {
        let reached = [0.1, 0.3, 0.6].map(|value| row(value).verdict());
        assert_eq!(reached, ["below the floor", "floor", "aim"]);
        assert_eq!(Bound::AtMost(2.0).shown(), "<= 2");
    }

    #[test]
    fn the_table_and_the_picture_hold_every_row() {
        let rows = [row(0.1), row(0.6)];
        assert_eq!(markdown(&rows).lines().count(), 4);
        assert_eq!(svg(&rows).matches("<rect").count(), 2);
    }
}
