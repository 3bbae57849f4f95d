//! Sums, maxima and exponentials over many hypotheses, written so that operations do not wait for
//! each other in the processor.

/// Folds all values, starting from 0, in eight independent accumulators. With a single accumulator
/// each step would wait for the previous one.
fn joined(values: &[f64], join: impl Fn(f64, f64) -> f64) -> f64 {
    let (parts, rest) = values.as_chunks::<8>();
    let mut rows = [0.0; 8];
    for part in parts {
        for (row, value) in rows.iter_mut().zip(part) {
            *row = join(*row, *value);
        }
    }
    rows.iter().chain(rest).copied().fold(0.0, join)
}

/// Returns the sum of the values.
pub(crate) fn sum(values: &[f64]) -> f64 {
    joined(values, |sum, value| sum + value)
}

/// Returns the highest value, or 0 if all are negative.
pub(crate) fn highest(values: &[f64]) -> f64 {
    joined(values, f64::max)
}

/// The exponential, never inlined: inside a branch the compiler would otherwise compute it on both
/// sides.
#[inline(never)]
pub(crate) fn exponential(number: f64) -> f64 {
    number.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_maxima_include_every_value() {
        for count in [0, 1, 7, 8, 9, 64, 67] {
            let values: Vec<f64> = (1..=count).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(count * (count + 1) / 2));
            assert_eq!(highest(&values), f64::from(count));
        }
        assert_eq!(highest(&[-3.0, f64::NEG_INFINITY]), 0.0);
    }
}
