//! The rows of the benchmark and their output: a table, and JSON for comparing releases. The chart
//! is in `picture.rs`.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The bound of a figure.
#[derive(Clone, Copy, Default)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
    /// Satisfied in another way than by the figure, described here.
    Met(&'static str),
    /// No bound; the figure is only shown.
    #[default]
    None,
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(limit) => value >= limit,
            Self::AtMost(limit) => value <= limit,
            Self::Met(_) | Self::None => true,
        }
    }

    fn shown(self) -> String {
        match self {
            Self::AtLeast(limit) => format!(">= {limit}"),
            Self::AtMost(limit) => format!("<= {limit}"),
            Self::Met(how) => how.to_owned(),
            Self::None => String::new(),
        }
    }
}

/// One measured row.
#[derive(Default)]
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) value: f64,
    /// `x` for a ratio, else a unit.
    pub(super) unit: &'static str,
    /// The two figures behind a ratio, or the method of measurement.
    pub(super) beside: String,
    pub(super) floor: Bound,
    pub(super) aim: Bound,
    /// Size and cost, if the row is about growth.
    pub(super) points: Vec<(f64, f64)>,
}

impl Row {
    pub(super) fn verdict(&self) -> &'static str {
        match (self.floor, self.aim) {
            (Bound::None, Bound::None) => "shown only",
            (floor, _) if !floor.holds(self.value) => "below the floor",
            (_, aim) if aim.holds(self.value) => "aim",
            (Bound::None, _) => "below the aim",
            _ => "floor",
        }
    }

    pub(super) fn floor_holds(&self) -> bool {
        self.floor.holds(self.value)
    }

    fn as_json(&self) -> Value {
        json!({
            "what": self.what, "value": self.value, "unit": self.unit, "beside": self.beside,
            "floor": self.floor.shown(), "aim": self.aim.shown(), "reached": self.verdict(),
            "points": self.points,
        })
    }
}

/// Returns the rows as a Markdown table.
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

/// Returns some of the rows, by name, as a Markdown table without the figures behind them.
pub(super) fn short(rows: &[Row], names: &[&str]) -> String {
    let mut text = String::from("| What | Figure | Floor | Aim |\n|---|---|---|---|\n");
    for row in rows.iter().filter(|row| names.contains(&row.what)) {
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} |",
            row.what,
            figure(row.value),
            row.unit,
            row.floor.shown(),
            row.aim.shown()
        );
    }
    text
}

pub(super) fn as_json(rows: &[Row]) -> Value {
    rows.iter().map(Row::as_json).collect()
}

/// Formats a number with three significant digits.
pub(super) fn figure(value: f64) -> String {
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
            points: Vec::new(),
        }
    }

    #[test]
    fn a_row_shows_the_bound_it_reached() {
        let reached = [0.1, 0.3, 0.6].map(|value| row(value).verdict());
        assert_eq!(reached, ["below the floor", "floor", "aim"]);
        assert_eq!(Bound::AtMost(2.0).shown(), "<= 2");
    }

    #[test]
    fn a_row_without_bounds_is_only_shown() {
        let bounds = |floor, aim| Row {
            floor,
            aim,
            ..row(1.0)
        };
        let verdict = |floor, aim| bounds(floor, aim).verdict();
        assert_eq!(verdict(Bound::None, Bound::None), "shown only");
        assert_eq!(verdict(Bound::None, Bound::AtLeast(2.0)), "below the aim");
        assert_eq!(verdict(Bound::Met("in its way"), Bound::None), "aim");
    }

    #[test]
    fn the_table_and_the_json_hold_every_row() {
        let rows = [row(0.1), row(0.6)];
        assert_eq!(markdown(&rows).lines().count(), 4);
        assert_eq!(as_json(&rows).as_array().unwrap().len(), 2);
    }
}
