//! A row about growth: how cost grows with size, as an exponent and the points that it was fitted
//! to.

use anyhow::ensure;

use super::figures::exponent;
use super::table::{Bound, Row, figure};

/// Returns a row from points of (size, cost). `most` is the maximum exponent.
pub(super) fn row(
    what: &'static str,
    points: Vec<(f64, f64)>,
    unit: &str,
    most: f64,
) -> anyhow::Result<Row> {
    ensure!(points.len() >= 3, "{what}: three sizes are needed");
    let shown: Vec<String> = points
        .iter()
        .map(|(size, cost)| format!("{size:.0}: {} {unit}", figure(*cost)))
        .collect();
    Ok(Row {
        what,
        value: exponent(&points),
        unit: "exponent",
        beside: shown.join(", "),
        floor: Bound::AtMost(most),
        aim: Bound::AtMost(most),
        points,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growth_row_shows_its_points() {
        let points = vec![(100.0, 2.0), (200.0, 2.0), (400.0, 2.0)];
        let row = row("growth of a thing", points, "µs", 0.1).unwrap();
        assert!(row.value.abs() < 1e-9);
        assert_eq!(row.beside, "100: 2.00 µs, 200: 2.00 µs, 400: 2.00 µs");
        assert_eq!(row.verdict(), "aim");
    }

    #[test]
    fn two_points_are_too_few() {
        assert!(super::row("a thing", vec![(1.0, 1.0), (2.0, 2.0)], "µs", 1.0).is_err());
    }
}
