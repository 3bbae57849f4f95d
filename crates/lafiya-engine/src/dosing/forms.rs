//! How many tablets or millilitres of a stocked form make a dose.

use lafiya_knowledge::Medicine;
use lafiya_knowledge::schema::{DoseRow, MedicineDose, MedicineForm};
use lafiya_knowledge::words::{AmountUnit, FormUnit, Route};
use lafiya_model::Age;

/// How far above the range an amount may be rounded.
const ABOVE_MOST: f64 = 1.05;
/// How far below the range an amount may be rounded.
const BELOW_LEAST: f64 = 0.9;
/// Below this volume, tenths of a millilitre are measured; above it, halves.
const TENTHS_BELOW_ML: f64 = 10.0;
/// More pieces or millilitres than these are not measured out.
const PIECES_MAX: f64 = 12.0;
const ML_MAX: f64 = 100.0;
/// Younger children take liquids if there are any.
const LIQUID_BELOW_YEARS: u32 = 5;
/// Younger children cannot swallow capsules.
const CAPSULES_FROM_YEARS: u32 = 6;
/// Room for the rounding of decimal fractions.
const EXACT: f64 = 1e-6;

/// An amount in a stocked form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Given<'a> {
    pub(crate) form: &'a MedicineForm,
    /// The least and most of what is counted or measured out.
    pub(crate) count: [f64; 2],
}

impl Given<'_> {
    /// Returns the least and most amount in the unit of the medicine.
    pub(crate) fn amounts(&self) -> [f64; 2] {
        self.count.map(|count| count * self.form.amount)
    }
}

/// Returns the amount in the stocked form that suits best, if one fits. `range` is what the row
/// asks for, and `highest` what one dose must not exceed.
pub(super) fn given<'a>(
    age: Age,
    medicine: &'a Medicine,
    dose: &MedicineDose,
    row: &DoseRow,
    range: [f64; 2],
    highest: f64,
) -> Option<Given<'a>> {
    let is_mass = matches!(
        medicine.text.unit,
        AmountUnit::Mg | AmountUnit::Microgram | AmountUnit::G | AmountUnit::Iu | AmountUnit::Mmol
    );
    if !is_mass || row.rate.is_some() {
        return None;
    }
    let forms = medicine.text.form.iter();
    let usable = forms.filter(|form| form.amount > 0.0 && is_usable(form, dose, age));
    let fitting = usable.filter_map(|form| {
        let count = counted(form, row, range, highest)?;
        Some((
            discomfort(form, dose, age, count, range),
            Given { form, count },
        ))
    });
    let best = fitting.min_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, given)| given)
}

fn is_usable(form: &MedicineForm, dose: &MedicineDose, age: Age) -> bool {
    let by_route = form.routes.iter().any(|route| dose.routes.contains(route));
    let is_swallowed = form.per != FormUnit::Capsule
        || age >= Age::from_years(CAPSULES_FROM_YEARS)
        || !dose.routes.contains(&Route::Oral);
    by_route && is_swallowed && form.per != FormUnit::LitrePerMinute
}

/// Returns the number of pieces or millilitres, from the least to the most.
fn counted(
    form: &MedicineForm,
    row: &DoseRow,
    [least, most]: [f64; 2],
    highest: f64,
) -> Option<[f64; 2]> {
    let range = [least / form.amount, most / form.amount];
    let upper = (most * ABOVE_MOST).min(highest) / form.amount;
    let max = if form.per == FormUnit::Ml {
        ML_MAX
    } else {
        PIECES_MAX
    };
    // A fixed range is given as a range, if both ends can be measured out.
    if row.fixed.is_some() && most > least {
        let ends = range.map(|end| exact(form, end));
        if let [Some(low), Some(high)] = ends
            && high <= max
        {
            return Some([low, high]);
        }
    }
    let count = nearest(form, range, upper)?;
    (count <= max).then_some([count, count])
}

/// Returns a count if it can be measured out exactly.
fn exact(form: &MedicineForm, count: f64) -> Option<f64> {
    let step = step(form, count);
    let whole = (count / step).round() * step;
    ((whole - count).abs() <= EXACT * count.max(1.0) && whole > 0.0).then(|| tidy(whole))
}

/// Returns the smallest part that can be measured out, near a count.
fn step(form: &MedicineForm, count: f64) -> f64 {
    match form.per {
        FormUnit::Ml if count < TENTHS_BELOW_ML => 0.1,
        FormUnit::Ml => 0.5,
        _ => 1.0 / f64::from(form.split.unwrap_or(1).max(1)),
    }
}

/// Returns the count that is best measured out: a round number within the range if there is one, or
/// else the nearest count to the range.
fn nearest(form: &MedicineForm, [least, most]: [f64; 2], upper: f64) -> Option<f64> {
    let middle = (least + most) / 2.0;
    let smallest = step(form, middle);
    let steps: &[f64] = match form.per {
        FormUnit::Ml => &[5.0, 1.0, 0.5, 0.1],
        _ => &[1.0, 0.5, 0.25],
    };
    let steps = || {
        steps
            .iter()
            .copied()
            .filter(|step| *step >= smallest * (1.0 - EXACT))
    };
    let near = |step: f64, aim: f64| (aim / step).round() * step;
    let within = |count: f64| {
        count > 0.0 && count >= least * (1.0 - EXACT) && count <= most.min(upper) * (1.0 + EXACT)
    };
    let candidates = |step: f64| {
        let middle = near(step, middle);
        [middle, middle - step, middle + step]
    };
    let round = steps().find_map(|step| candidates(step).into_iter().find(|count| within(*count)));
    let beside = || {
        let allowed = |count: &f64| {
            *count > 0.0
                && *count >= least * BELOW_LEAST * (1.0 - EXACT)
                && *count <= upper * (1.0 + EXACT)
        };
        let counts = [(most / smallest).floor(), (most / smallest).ceil()];
        let counts = counts.into_iter().map(|count| count * smallest);
        let distance = |count: &f64| (count - most).abs().min((count - least).abs());
        counts
            .filter(allowed)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    round.or_else(beside).map(tidy)
}

/// Removes the noise of decimal fractions.
fn tidy(count: f64) -> f64 {
    (count * 1000.0).round() / 1000.0
}

/// How badly a form suits, to choose the best: children get liquids, older patients tablets; whole
/// pieces before parts, few before many, and amounts within the range before others.
fn discomfort(
    form: &MedicineForm,
    dose: &MedicineDose,
    age: Age,
    [_, count]: [f64; 2],
    [least, most]: [f64; 2],
) -> f64 {
    let is_liquid = form.per == FormUnit::Ml;
    let is_oral = form.routes.contains(&Route::Oral) && dose.routes.contains(&Route::Oral);
    let is_small = age < Age::from_years(LIQUID_BELOW_YEARS);
    let unsuited = if is_oral && is_liquid != is_small {
        100.0
    } else {
        0.0
    };
    let amount = count * form.amount;
    let outside = if amount < least * (1.0 - EXACT) || amount > most * (1.0 + EXACT) {
        200.0
    } else {
        0.0
    };
    let in_parts = if !is_liquid && count.fract() > EXACT {
        5.0
    } else {
        0.0
    };
    // Less than half a millilitre is hard to measure.
    let tiny = if is_liquid && count < 0.5 { 50.0 } else { 0.0 };
    unsuited + outside + in_parts + tiny + count
}
