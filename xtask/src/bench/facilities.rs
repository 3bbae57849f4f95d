//! Measures the search for the nearest five facilities with the spatial index and by brute force,
//! for registers of several sizes. The program is
//! `crates/lafiya-facilities/examples/bench_nearest.rs`.

use anyhow::Context;

use super::growth;
use super::programs::{self, lines_of};
use super::table::{Bound, Row};

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    println!("measuring the nearest facilities ...");
    from_lines(&programs::example("lafiya-facilities", "bench_nearest")?)
}

/// Parses lines with the number of facilities, µs with the index, µs by brute force, and ms for
/// building the index.
fn from_lines(printed: &str) -> anyhow::Result<Vec<Row>> {
    let sizes = lines_of::<4>(printed);
    let &[size, tree_us, force_us, _] = sizes.last().context("the bench prints three sizes")?;
    let points = sizes.iter().map(|line| (line[0], line[1])).collect();
    Ok(vec![
        Row {
            what: "nearest 5 of 100,000 facilities",
            value: tree_us / force_us,
            unit: "x",
            beside: format!("{tree_us:.1} µs v. {force_us:.0} µs by looking at all {size:.0}"),
            floor: Bound::AtMost(0.05),
            aim: Bound::AtMost(0.02),
            ..Row::default()
        },
        growth::row("growth: nearest over facilities", points, "µs", 0.1)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_register_is_compared() {
        let printed = "facilities tree, µs force, µs build, ms\n\
                       25000 2.00 250 8.0\n50000 2.00 500 16.0\n100000 2.00 1000 32.0\n";
        let rows = from_lines(printed).unwrap();
        assert_eq!(rows[0].value, 0.002);
        assert!(rows[1].value.abs() < 1e-9);
    }
}
