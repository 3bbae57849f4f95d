//! Measures the steps that every request with a key passes: the key is checked, and its rate-limit
//! window and usage are counted. The program is `crates/lafiya-service/benches/key_check.rs`.

use anyhow::Context;

use super::growth;
use super::programs::{self, lines_of};
use super::table::{Bound, Row};

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    println!("measuring the key check and the limiter ...");
    from_lines(&programs::bench("lafiya-service", "key_check")?)
}

/// Parses lines such as `1000 keys: 1.9 us a call, 55.0 us a look-up`.
fn from_lines(printed: &str) -> anyhow::Result<Vec<Row>> {
    let sizes = lines_of::<3>(printed);
    let &[keys, call_us, look_up_us] = sizes.last().context("the bench prints its sizes")?;
    let calls = sizes.iter().map(|line| (line[0], line[1])).collect();
    let look_ups = sizes.iter().map(|line| (line[0], line[2])).collect();
    Ok(vec![
        Row {
            what: "key check + limiter + metering",
            value: call_us,
            unit: "µs",
            beside: format!(
                "{keys:.0} keys seen a moment ago; one that was not is looked up in {look_up_us:.0} µs"
            ),
            floor: Bound::AtMost(5.0),
            aim: Bound::AtMost(1.0),
            ..Row::default()
        },
        growth::row("growth: key check over keys in use", calls, "µs", 0.1)?,
        growth::row("growth: look-up over tenants and keys", look_ups, "µs", 0.1)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_bench_become_three_rows() {
        let printed = "1000 keys: 2.0 us a call, 50.0 us a look-up\n\
                       2000 keys: 2.0 us a call, 100.0 us a look-up\n\
                       4000 keys: 2.0 us a call, 200.0 us a look-up\n";
        let values: Vec<f64> = from_lines(printed)
            .unwrap()
            .iter()
            .map(|row| row.value)
            .collect();
        assert_eq!(values[0], 2.0);
        assert!(values[1].abs() < 1e-9 && (values[2] - 1.0).abs() < 1e-9);
    }
}
