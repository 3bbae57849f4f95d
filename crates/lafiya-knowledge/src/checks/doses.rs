//! Checks of the rows of doses: limits, ranges, and an order in which every row can be reached.

use lafiya_model::{Age, Sex};

use super::Report;
use crate::schema::{DoseRow, DoseWho, Medicine, MedicineDose};
use crate::words::{AmountUnit, PatientState, SexLimit};

/// Rounding of figures in files: a limit may be exceeded by so much.
const ROUNDING: f64 = 1.001;

/// Checks that every row has one amount with its limits, and says how often.
pub(super) fn rows(report: &mut Report<'_>) {
    for medicine in &report.content.medicines {
        for dose in &medicine.dose {
            if dose.routes.is_empty() {
                report.complain_of(
                    medicine,
                    &quoted(&dose.id),
                    format!("`{}` has no route", dose.id),
                );
            }
            if dose.rows.is_empty() {
                report.complain_of(
                    medicine,
                    &quoted(&dose.id),
                    format!("`{}` has no rows", dose.id),
                );
            }
            for (place, row) in dose.rows.iter().enumerate() {
                for fault in faults(medicine, row) {
                    let says = format!("`{}`, row {}: {fault}", dose.id, place + 1);
                    report.complain_of(medicine, &quoted(&dose.id), says);
                }
                of_who(report, medicine, &quoted(&dose.id), &row.who);
            }
        }
    }
}

fn quoted(id: &str) -> String {
    format!("\"{id}\"")
}

/// Returns what is wrong with a row.
fn faults(medicine: &Medicine, row: &DoseRow) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let mut check = |is_fault: bool, says| {
        if is_fault {
            faults.push(says);
        }
    };
    let is_range = |range: [f64; 2]| range[0].is_finite() && range[0] > 0.0 && range[0] <= range[1];
    let bad = |range: Option<[f64; 2]>| range.is_some_and(|range| !is_range(range));
    let is_bad =
        |number: Option<f64>| number.is_some_and(|number| !(number.is_finite() && number > 0.0));
    check(
        row.per_kg.is_some() == row.fixed.is_some(),
        "it needs either `per_kg` or `fixed`",
    );
    check(
        row.per_kg.is_some() && row.at_most.is_none(),
        "a dose by weight needs `at_most`",
    );
    check(
        bad(row.per_kg) || bad(row.fixed),
        "an amount is two numbers above zero, the least first",
    );
    check(
        bad(row.days) || bad(row.over_minutes),
        "`days` and `over_minutes` are two numbers above zero, the least first",
    );
    check(
        is_bad(row.at_most) || is_bad(row.in_day) || is_bad(row.every_hours),
        "`at_most`, `in_day` and `every_hours` are above zero",
    );
    let one = row.at_most.or(row.fixed.map(|range| range[1]));
    if let Some((one, in_day)) = one.zip(row.in_day) {
        check(one > in_day * ROUNDING, "one dose is above `in_day`");
    }
    if let Some((fixed, at_most)) = row.fixed.zip(row.at_most) {
        check(fixed[1] > at_most * ROUNDING, "the dose is above `at_most`");
    }
    let is_said = row.every_hours.is_some()
        || row.once
        || !row.at_hours.is_empty()
        || row.rate.is_some()
        || matches!(
            medicine.unit,
            AmountUnit::LitrePerMinute | AmountUnit::Application
        );
    check(!is_said, "it says neither how often nor `once`");
    faults
}

/// Checks that the limits of a group of patients are in order.
pub(super) fn of_who(report: &mut Report<'_>, medicine: &Medicine, near: &str, who: &DoseWho) {
    let ages = who.from.zip(who.to).is_some_and(|(from, to)| from >= to);
    let kg = who
        .from_kg
        .zip(who.to_kg)
        .is_some_and(|(from, to)| from >= to);
    if ages || kg {
        report.complain_of(medicine, near, "`from` is not below `to`");
    }
}

/// Checks that every row is the first that fits for some patient. A row that no patient reaches
/// means that the rows are in a wrong order.
pub(super) fn order(report: &mut Report<'_>) {
    for medicine in &report.content.medicines {
        for dose in &medicine.dose {
            for place in unreachable(dose) {
                let says = format!(
                    "`{}`, row {}: an earlier row fits all its patients",
                    dose.id,
                    place + 1
                );
                report.complain_of(medicine, &quoted(&dose.id), says);
            }
        }
    }
}

/// A patient at a limit of some row.
pub(super) struct Sample {
    pub(super) age: Age,
    pub(super) kg: f64,
    pub(super) sex: Sex,
    pub(super) state: Option<PatientState>,
}

/// Returns the places of the rows that are first for nobody.
fn unreachable(dose: &MedicineDose) -> Vec<usize> {
    let mut reached = vec![false; dose.rows.len()];
    let groups: Vec<&DoseWho> = dose.rows.iter().map(|row| &row.who).collect();
    for sample in samples(&groups) {
        if let Some(place) = dose.rows.iter().position(|row| fits(&row.who, &sample)) {
            reached[place] = true;
        }
    }
    let places = reached.iter().enumerate();
    places
        .filter(|(_, reached)| !**reached)
        .map(|(place, _)| place)
        .collect()
}

/// Whether a group contains a patient.
pub(super) fn fits(who: &DoseWho, patient: &Sample) -> bool {
    let in_state = match who.state {
        None => true,
        Some(PatientState::NotPregnant) => patient.state != Some(PatientState::Pregnant),
        state => patient.state == state,
    };
    who.ages().contains(patient.age)
        && who.allows_kg(patient.kg)
        && who.sex.is_none_or(|sex| sex.allows(patient.sex))
        && in_state
}

/// Returns a patient at the lower limit of every combination of the groups' limits.
fn samples(groups: &[&DoseWho]) -> Vec<Sample> {
    let mut ages: Vec<Age> = groups
        .iter()
        .flat_map(|who| [who.from, who.to])
        .flatten()
        .chain([Age::from_days(0)])
        .collect();
    ages.sort_unstable();
    ages.dedup();
    let mut weights: Vec<f64> = groups
        .iter()
        .flat_map(|who| [who.from_kg, who.to_kg])
        .flatten()
        .chain([0.3])
        .collect();
    weights.sort_by(f64::total_cmp);
    weights.dedup();
    let has_sex = groups
        .iter()
        .any(|who| !matches!(who.sex, None | Some(SexLimit::Any)));
    let sexes: &[Sex] = if has_sex {
        &[Sex::Female, Sex::Male]
    } else {
        &[Sex::Female]
    };
    let mut states: Vec<Option<PatientState>> = vec![None];
    if groups.iter().any(|who| who.state.is_some()) {
        states.extend([
            Some(PatientState::Pregnant),
            Some(PatientState::Postpartum),
            Some(PatientState::Breastfeeding),
        ]);
    }
    let mut samples = Vec::new();
    for &age in &ages {
        for &kg in &weights {
            for &sex in sexes {
                for &state in &states {
                    samples.push(Sample {
                        age,
                        kg,
                        sex,
                        state,
                    });
                }
            }
        }
    }
    samples
}
