//! Statistics of the figures: medians, percentiles, and how a cost grows with the size of its
//! input.

/// The minimum and the median of some measurements.
pub(super) struct Spread {
    pub(super) min: f64,
    pub(super) median: f64,
}

impl Spread {
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |position: usize| sorted.get(position).copied().unwrap_or(f64::NAN);
        let middle = sorted.len() / 2;
        let median = if sorted.len().is_multiple_of(2) {
            f64::midpoint(at(middle.saturating_sub(1)), at(middle))
        } else {
            at(middle)
        };
        Self { min: at(0), median }
    }
}

/// Returns the value below which this share of the sorted values is.
pub(super) fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() as f64 * share) as usize;
    let last = sorted.len().saturating_sub(1);
    sorted.get(place.min(last)).copied().unwrap_or(f64::NAN)
}

/// Returns the exponent `e` of `cost ~ size^e`: the slope of the regression line on a log-log
/// scale. 0 means that the size does not matter; 1 means that twice the size costs twice as much.
pub(super) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let both: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    both / spread
}

/// Returns the numbers in a line such as `10 keys: 1.5 us a call`, in order.
pub(super) fn numbers(line: &str) -> Vec<f64> {
    let words = line.split([' ', ',']);
    words.filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_is_the_mean_of_the_middle_two() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0].into_iter());
        assert_eq!((spread.min, spread.median), (1.0, 2.5));
        assert_eq!(Spread::of([3.0, 1.0, 2.0].into_iter()).median, 2.0);
    }

    #[test]
    fn percentiles_come_from_the_sorted_values() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&sorted, 0.5), 51.0);
        assert_eq!(percentile(&sorted, 0.99), 100.0);
        assert!(percentile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_exponent_is_the_slope_on_a_log_log_scale() {
        let check = |points: &[(f64, f64)], expected: f64| {
            let found = exponent(points);
            assert!((found - expected).abs() < 1e-9, "{points:?}: {found}");
        };
        check(&[(1.0, 7.0), (2.0, 7.0), (4.0, 7.0)], 0.0);
        check(&[(100.0, 3.0), (200.0, 6.0), (400.0, 12.0)], 1.0);
        check(&[(1.0, 1.0), (2.0, 4.0), (4.0, 16.0)], 2.0);
        // One outlier affects the slope only by its share.
        check(&[(1.0, 1.0), (2.0, 4.0), (4.0, 4.0)], 1.0);
    }

    #[test]
    fn the_numbers_of_a_line_are_read_in_order() {
        let line = "800 conditions, 1500 findings: engine 61.0 us, dense 70.2 us";
        assert_eq!(numbers(line), [800.0, 1500.0, 61.0, 70.2]);
    }
}
