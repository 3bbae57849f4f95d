//! How much one dose is for this patient: within the range of the row, and never above its limits.

use lafiya_knowledge::Medicine;
use lafiya_knowledge::schema::{DoseRow, MedicineDose};
use lafiya_model::Age;

use super::forms::{self, Given};
use super::weight::{Weight, WeightOrigin};

/// Digits of an amount that is not measured out in a stocked form.
const DIGITS: i32 = 3;
/// Room for the rounding of decimal fractions.
const EXACT: f64 = 1e-9;

/// The limit that cut an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The highest single dose.
    SingleDose,
    /// The highest total in 24 hours.
    InDay,
}

/// The amount of one dose for one patient.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Amount<'a> {
    pub(crate) row: &'a DoseRow,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// The weight that it was computed from.
    pub(crate) weight: Option<(f64, WeightOrigin)>,
    /// The limit that cut it.
    pub(crate) limit: Option<Limit>,
    /// The highest total in 24 hours, if the amount as often as the row says can exceed it.
    pub(crate) in_day: Option<f64>,
    /// What it is in a stocked form.
    pub(crate) given: Option<Given<'a>>,
}

/// Computes the amount of a row. `None` for a dose by weight if the weight is not known.
pub(super) fn of<'a>(
    age: Age,
    weight: &Weight,
    medicine: &'a Medicine,
    dose: &'a MedicineDose,
    row: &'a DoseRow,
) -> Option<Amount<'a>> {
    let (mut least, mut most, used) = match (row.per_kg, row.fixed) {
        (Some([least, most]), _) => {
            let (kg, origin) = weight.known?;
            (least * kg, most * kg, Some((kg, origin)))
        }
        (None, Some([least, most])) => (least, most, None),
        (None, None) => return None,
    };
    let (highest, limit) = highest(row);
    let mut cut = None;
    if most > highest * (1.0 + EXACT) {
        most = highest;
        cut = limit;
    }
    least = least.min(most);
    let (printed_least, printed_most) = if row.per_kg.is_some() || cut.is_some() {
        let most = rounded_down(most);
        (rounded_down(least).min(most), most)
    } else {
        (least, most)
    };
    let given = forms::given(age, medicine, dose, row, [least, most], highest);
    Some(Amount {
        row,
        least: printed_least,
        most: printed_most,
        weight: used,
        limit: cut,
        in_day: row.in_day.filter(|in_day| {
            // How long an infusion runs is not part of the row.
            let doses = if row.rate.is_some() {
                1.0
            } else {
                row.doses_in_day()
            };
            most * doses > in_day * (1.0 + EXACT)
        }),
        given,
    })
}

/// Returns the highest amount of one dose, and the limit that says so.
pub(super) fn highest(row: &DoseRow) -> (f64, Option<Limit>) {
    let single = row.at_most.map(|at_most| (at_most, Limit::SingleDose));
    // How long an infusion runs is not part of the row, so a limit in a day cannot cut its rate.
    let doses = if row.rate.is_some() {
        1.0
    } else {
        row.doses_in_day()
    };
    let in_day = row.in_day.map(|in_day| (in_day / doses, Limit::InDay));
    match (single, in_day) {
        (Some(single), Some(in_day)) if in_day.0 < single.0 * (1.0 - EXACT) => {
            (in_day.0, Some(in_day.1))
        }
        (Some((highest, limit)), _) | (None, Some((highest, limit))) => (highest, Some(limit)),
        (None, None) => (f64::INFINITY, None),
    }
}

/// Rounds down to three digits, so that a printed amount is never above the computed one.
fn rounded_down(amount: f64) -> f64 {
    if amount <= 0.0 || !amount.is_finite() {
        return 0.0;
    }
    let magnitude = amount.log10().floor() as i32 - (DIGITS - 1);
    // Powers of ten are applied as whole numbers, which are exact.
    let whole = 10_f64.powi(magnitude.abs());
    let scaled = if magnitude >= 0 {
        amount / whole
    } else {
        amount * whole
    };
    let floor = (scaled * (1.0 + EXACT)).floor();
    if magnitude >= 0 {
        floor * whole
    } else {
        floor / whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_down_to_three_digits() {
        let check = |amount: f64, expected: f64| assert_eq!(rounded_down(amount), expected);
        check(0.3, 0.3);
        check(0.1 * 3.0, 0.3);
        check(123.9, 123.0);
        check(12.39, 12.3);
        check(1_234_567.0, 1_230_000.0);
        check(0.012_39, 0.0123);
        check(560.0, 560.0);
        check(0.0, 0.0);
    }
}
