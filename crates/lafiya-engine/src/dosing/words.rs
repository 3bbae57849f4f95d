//! A dose in words, as it stands inside a sentence.

use lafiya_knowledge::Medicine;
use lafiya_knowledge::dose_words as say;
use lafiya_knowledge::schema::{DoseRow, MedicineDose};
use lafiya_knowledge::words::FormUnit;

use super::Made;
use super::amount::{Amount, Limit};
use super::forms::Given;
use super::rows::Chosen;
use super::weight::WeightOrigin;

/// Said where the formulary has no row for the patient.
pub(super) const NO_DOSE: &str = " (no dose for this patient in the formulary)";
/// Said of a dose by weight without a weight.
const WEIGH_FIRST: &str = "weigh first";

/// Writes the words of a dose.
pub(super) fn write(made: &mut Made<'_>, medicine: &Medicine, dose: &MedicineDose) {
    let text = &mut made.words;
    if let Some(place) = made.judged.forbidding {
        write_forbidden(text, medicine, place);
        return;
    }
    text.push_str(&medicine.name_inside);
    match &made.chosen {
        Chosen::None => text.push_str(NO_DOSE),
        Chosen::Row(row) => write_row(text, medicine, dose, row, made.amount.as_ref()),
        Chosen::ByWeight(rows) => write_by_weight(text, medicine, dose, rows),
    }
}

/// `not amoxicillin: known allergy to a penicillin: do not give it; instead azithromycin`.
fn write_forbidden(text: &mut String, medicine: &Medicine, place: usize) {
    let caution = &medicine.text.caution[place];
    text.push_str("not ");
    text.push_str(&medicine.name_inside);
    text.push_str(": ");
    say::push_inside(text, &caution.says);
    if let Some(instead) = &caution.instead {
        text.push_str("; instead ");
        say::push_inside(text, instead);
    }
}

fn write_row(
    text: &mut String,
    medicine: &Medicine,
    dose: &MedicineDose,
    row: &DoseRow,
    amount: Option<&Amount<'_>>,
) {
    text.push(' ');
    match amount {
        Some(amount) if row.per_kg.is_none() => push_amount(text, medicine, row, amount),
        None => {
            say::push_amount(text, &medicine.text, row);
            say::push_limit(text, &medicine.text, row);
        }
        Some(_) => say::push_amount(text, &medicine.text, row),
    }
    text.push(' ');
    say::push_routes(text, &dose.routes);
    say::push_schedule(text, row);
    push_details(text, medicine, dose, row, amount);
}

/// What stands in brackets after the dose: the amount for the patient, and what to do.
fn push_details(
    text: &mut String,
    medicine: &Medicine,
    dose: &MedicineDose,
    row: &DoseRow,
    amount: Option<&Amount<'_>>,
) {
    let start = text.len();
    text.push_str(" (");
    let opened = text.len();
    match amount {
        Some(amount) => push_computed(text, medicine, amount),
        None => text.push_str(WEIGH_FIRST),
    }
    for words in [&row.note, &dose.how].into_iter().flatten() {
        if text.len() > opened {
            text.push_str("; ");
        }
        say::push_inside(text, words);
    }
    if text.len() == opened {
        text.truncate(start);
    } else {
        text.push(')');
    }
}

/// The amount of a fixed dose: `500 to 1,000 mg of trimethoprim`.
fn push_amount(text: &mut String, medicine: &Medicine, row: &DoseRow, amount: &Amount<'_>) {
    say::push_range(text, [amount.least, amount.most]);
    text.push(' ');
    say::push_unit(text, medicine.text.unit, row, amount.most > 1.0);
    if let Some(counted) = &medicine.text.counted_as {
        text.push_str(" of ");
        text.push_str(counted);
    }
}

/// `14 kg: 600 mg = 12 mL of suspension 250 mg in 5 mL`, or for a fixed dose `2 tablets 250 mg`.
fn push_computed(text: &mut String, medicine: &Medicine, amount: &Amount<'_>) {
    let opened = text.len();
    if let Some((kg, origin)) = amount.weight {
        say::push_number(text, kg);
        text.push_str(match origin {
            WeightOrigin::Measured => " kg: ",
            WeightOrigin::Assumed => " kg assumed for the age, weigh the child: ",
        });
        push_milligrams(text, medicine, amount);
        if amount.given.is_some() {
            text.push_str(" = ");
        }
    }
    if let Some(given) = &amount.given {
        let [least, most] = given.amounts();
        let is_exact =
            amount.weight.is_some() || same(least, amount.least) && same(most, amount.most);
        if !is_exact {
            // Rounded to what can be measured out, so the amount is said as well.
            say::push_range(text, [least, most]);
            text.push(' ');
            text.push_str(say::unit_words(medicine.text.unit, most > 1.0));
            text.push_str(" = ");
        }
        push_given(text, given);
    }
    match amount.limit {
        Some(Limit::SingleDose) => push_part(text, opened, "the highest single dose"),
        Some(Limit::InDay) => push_part(text, opened, "the highest amount in 24 hours"),
        None => {}
    }
    if let Some(in_day) = amount.in_day {
        push_part(text, opened, "at most ");
        say::push_number(text, in_day);
        text.push(' ');
        text.push_str(say::unit_words(medicine.text.unit, in_day > 1.0));
        text.push_str(" in 24 hours");
    }
}

fn push_part(text: &mut String, opened: usize, words: &str) {
    if text.len() > opened {
        text.push_str(", ");
    }
    text.push_str(words);
}

/// The computed amount in the unit of the medicine.
fn push_milligrams(text: &mut String, medicine: &Medicine, amount: &Amount<'_>) {
    let range = match &amount.given {
        Some(given) => given.amounts(),
        None => [amount.least, amount.most],
    };
    say::push_range(text, range);
    text.push(' ');
    text.push_str(say::unit_words(medicine.text.unit, range[1] > 1.0));
    say::push_rate(text, amount.row);
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

/// `12 mL of suspension 250 mg in 5 mL`, `1 1/2 tablets 250 mg`.
pub(super) fn push_given(text: &mut String, given: &Given<'_>) {
    let [least, most] = given.count;
    let is_ml = given.form.per == FormUnit::Ml;
    let push = |text: &mut String, count: f64| match is_ml {
        true => say::push_number(text, count),
        false => push_pieces(text, count),
    };
    push(text, least);
    if most > least {
        text.push_str(" to ");
        push(text, most);
    }
    text.push(' ');
    if is_ml {
        text.push_str("mL of ");
        text.push_str(&given.form.name);
        return;
    }
    // The name of a form has the word for one piece: "dispersible tablet 250 mg".
    let word = given.form.per.as_str();
    match given.form.name.find(word) {
        Some(at) if most > 1.0 && !given.form.name[at + word.len()..].starts_with('s') => {
            let end = at + word.len();
            text.push_str(&given.form.name[..at]);
            text.push_str(plural(given.form.per));
            text.push_str(&given.form.name[end..]);
        }
        Some(_) => text.push_str(&given.form.name),
        None => {
            text.push_str(if most > 1.0 {
                plural(given.form.per)
            } else {
                word
            });
            text.push_str(" of ");
            text.push_str(&given.form.name);
        }
    }
}

fn plural(unit: FormUnit) -> &'static str {
    match unit {
        FormUnit::Tablet => "tablets",
        FormUnit::Capsule => "capsules",
        FormUnit::Suppository => "suppositories",
        FormUnit::Puff => "puffs",
        FormUnit::Drop => "drops",
        FormUnit::Sachet => "sachets",
        FormUnit::Vial => "vials",
        FormUnit::Ampoule => "ampoules",
        FormUnit::Application => "applications",
        FormUnit::Unit => "units",
        FormUnit::Ml | FormUnit::LitrePerMinute => unit.as_str(),
    }
}

/// A count of tablets, with quarters as fractions: `1 1/2`.
fn push_pieces(text: &mut String, count: f64) {
    let quarters = (count * 4.0).round();
    let part = match (quarters % 4.0) as u32 {
        1 => "1/4",
        2 => "1/2",
        3 => "3/4",
        _ => "",
    };
    let whole = (quarters / 4.0).floor();
    if whole > 0.0 || part.is_empty() {
        say::push_number(text, whole);
        if !part.is_empty() {
            text.push(' ');
        }
    }
    text.push_str(part);
}

/// Rows for several weights: ` by mouth (25 to under 35 kg: 60 mg twice a day; ...; weigh first)`.
fn write_by_weight(text: &mut String, medicine: &Medicine, dose: &MedicineDose, rows: &[&DoseRow]) {
    text.push(' ');
    say::push_routes(text, &dose.routes);
    text.push_str(" (");
    for row in rows {
        if row.who.asks_weight() {
            say::push_kg_limits(text, &row.who);
        } else {
            text.push_str("otherwise");
        }
        text.push_str(": ");
        say::push_amount(text, &medicine.text, row);
        say::push_limit(text, &medicine.text, row);
        say::push_schedule(text, row);
        if let Some(note) = &row.note {
            text.push_str(", ");
            say::push_inside(text, note);
        }
        text.push_str("; ");
    }
    text.push_str(WEIGH_FIRST);
    if let Some(how) = &dose.how {
        text.push_str("; ");
        say::push_inside(text, how);
    }
    text.push(')');
}
