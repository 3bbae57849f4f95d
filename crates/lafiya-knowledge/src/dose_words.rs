//! The words of doses: numbers, units, routes, how often and how long, and the patients of a row.
//! Everything is appended to a text, so that an answer needs few allocations.
//!
//! Nothing here knows a patient; the engine computes the dose for one.

use lafiya_model::Age;

use crate::schema::{DoseRow, DoseWho, Medicine, MedicineDose};
use crate::words::{AmountUnit, PatientState, RateTime, Route, SexLimit};

/// Digits after which a number is not printed any further.
const DECIMALS_MAX: usize = 4;

/// Appends a number as printed: thousands with commas, decimals without trailing zeros.
///
/// # Example
///
/// ```
/// use lafiya_knowledge::dose_words::push_number;
///
/// let mut text = String::new();
/// push_number(&mut text, 1_200_000.0);
/// assert_eq!(text, "1,200,000");
/// ```
pub fn push_number(text: &mut String, number: f64) {
    let scale = 10_u64.pow(DECIMALS_MAX as u32);
    // Amounts are positive and small enough; a fault in a file is reported by the checks.
    let scaled = (number.max(0.0) * scale as f64).round() as u64;
    let (whole, mut rest) = (scaled / scale, scaled % scale);
    push_whole(text, whole);
    if rest == 0 {
        return;
    }
    text.push('.');
    let mut place = scale / 10;
    while rest > 0 && place > 0 {
        text.push(digit(rest / place));
        rest %= place;
        place /= 10;
    }
}

fn push_whole(text: &mut String, whole: u64) {
    let mut digits = [0_u8; 20];
    let mut count = 0;
    let mut left = whole;
    loop {
        digits[count] = (left % 10) as u8;
        count += 1;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    for place in (0..count).rev() {
        text.push(char::from(b'0' + digits[place]));
        if place > 0 && place.is_multiple_of(3) {
            text.push(',');
        }
    }
}

fn digit(number: u64) -> char {
    char::from(b'0' + (number % 10) as u8)
}

/// Appends `40 to 45`, or one number if both are the same.
pub fn push_range(text: &mut String, [least, most]: [f64; 2]) {
    push_number(text, least);
    if most > least {
        text.push_str(" to ");
        push_number(text, most);
    }
}

/// Returns a unit as written after a number.
pub fn unit_words(unit: AmountUnit, is_plural: bool) -> &'static str {
    match (unit, is_plural) {
        (AmountUnit::Microgram, true) => "micrograms",
        (AmountUnit::Unit, true) => "units",
        (AmountUnit::Tablet, true) => "tablets",
        (AmountUnit::Puff, true) => "puffs",
        (AmountUnit::Drop, true) => "drops",
        (AmountUnit::Application, true) => "applications",
        (AmountUnit::Sachet, true) => "sachets",
        (AmountUnit::Vial, true) => "vials",
        _ => unit.as_str(),
    }
}

/// Appends the unit of an amount, with `/kg` and the time of a rate where they apply.
pub fn push_unit(text: &mut String, unit: AmountUnit, row: &DoseRow, is_plural: bool) {
    text.push_str(unit_words(unit, is_plural));
    if row.per_kg.is_some() {
        text.push_str("/kg");
    }
    push_rate(text, row);
}

/// Appends the time of a rate, if the row is one.
pub fn push_rate(text: &mut String, row: &DoseRow) {
    match row.rate {
        Some(RateTime::Hour) => text.push_str("/hour"),
        Some(RateTime::Minute) => text.push_str("/minute"),
        None => {}
    }
}

/// Returns a route in words.
pub fn route_words(route: Route) -> &'static str {
    match route {
        Route::Oral => "by mouth",
        Route::Iv => "by vein",
        Route::Im => "into a muscle",
        Route::Io => "into a bone",
        Route::Sc => "under the skin",
        Route::Rectal => "by rectum",
        Route::Inhaled => "inhaled",
        Route::Nebulised => "by nebuliser",
        Route::Nasal => "into the nose",
        Route::Eye => "into the eye",
        Route::Ear => "into the ear",
        Route::Skin => "on the skin",
        Route::Vaginal => "into the vagina",
        Route::Buccal => "inside the cheek",
        Route::Sublingual => "under the tongue",
        Route::Intrathecal => "into the spinal fluid",
        Route::Intradermal => "into the skin",
        Route::Local => "at the site",
        Route::Mouth => "in the mouth",
    }
}

/// Appends routes: `by vein or into a muscle`.
pub fn push_routes(text: &mut String, routes: &[Route]) {
    for (place, route) in routes.iter().enumerate() {
        if place > 0 {
            text.push_str(if place + 1 == routes.len() {
                " or "
            } else {
                ", "
            });
        }
        text.push_str(route_words(*route));
    }
}

/// Appends how often and how long, each part after a space or comma: ` twice a day for 5 days`.
pub fn push_schedule(text: &mut String, row: &DoseRow) {
    if let Some(minutes) = row.over_minutes {
        text.push_str(" over ");
        push_range(text, minutes);
        text.push_str(" minutes");
    }
    if !row.at_hours.is_empty() && row.at_hours != [0.0] {
        text.push_str(" at ");
        for (place, hour) in row.at_hours.iter().enumerate() {
            if place > 0 {
                text.push_str(if place + 1 == row.at_hours.len() {
                    " and "
                } else {
                    ", "
                });
            }
            push_number(text, *hour);
        }
        text.push_str(" hours");
        if row.every_hours.is_some() {
            text.push_str(", then");
        }
    }
    if let Some(hours) = row.every_hours {
        push_every(text, hours);
    }
    if row.once {
        text.push_str(" once");
    }
    if let Some(repeat) = row.repeat {
        text.push_str(", may be given again after ");
        push_number(text, f64::from(repeat.after_minutes));
        text.push_str(" minutes");
        match repeat.times {
            1 => text.push_str(", once"),
            times => {
                text.push_str(", up to ");
                push_number(text, f64::from(times));
                text.push_str(" times");
            }
        }
    }
    if let Some([least, most]) = row.days {
        text.push_str(" for ");
        push_range(text, [least, most]);
        text.push_str(if most > 1.0 { " days" } else { " day" });
    }
}

fn push_every(text: &mut String, hours: f64) {
    let known = [
        (24.0, " once a day"),
        (12.0, " twice a day"),
        (8.0, " three times a day"),
        (6.0, " four times a day"),
        (4.8, " five times a day"),
        (1.0, " every hour"),
        (168.0, " once a week"),
        (84.0, " twice a week"),
        (56.0, " three times a week"),
        (720.0, " once a month"),
    ];
    if let Some((_, words)) = known.iter().find(|(known, _)| *known == hours) {
        text.push_str(words);
        return;
    }
    let (number, unit) = if hours >= 168.0 && hours % 168.0 == 0.0 {
        (hours / 168.0, " weeks")
    } else if hours >= 24.0 && hours % 24.0 == 0.0 {
        (hours / 24.0, " days")
    } else {
        (hours, " hours")
    };
    text.push_str(" every ");
    push_number(text, number);
    text.push_str(unit);
}

/// Appends the patients of a row: `2 months to under 5 years, below 40 kg`. Nothing for everybody.
pub fn push_who(text: &mut String, who: &DoseWho) {
    let start = text.len();
    let part = |text: &mut String| {
        if text.len() > start {
            text.push_str(", ");
        }
    };
    match (who.from, who.to) {
        (Some(from), Some(to)) => {
            push_age(text, from);
            text.push_str(" to under ");
            push_age(text, to);
        }
        (Some(from), None) => {
            text.push_str("from ");
            push_age(text, from);
        }
        (None, Some(to)) => {
            text.push_str("under ");
            push_age(text, to);
        }
        (None, None) => {}
    }
    if who.asks_weight() {
        part(text);
        push_kg_limits(text, who);
    }
    match who.sex {
        Some(SexLimit::Male) => {
            part(text);
            text.push_str("men and boys");
        }
        Some(SexLimit::Female) => {
            part(text);
            text.push_str("women and girls");
        }
        _ => {}
    }
    if let Some(state) = who.state {
        part(text);
        text.push_str(state_words(state));
    }
}

/// Appends the weights of a row: `25 to under 35 kg`.
pub fn push_kg_limits(text: &mut String, who: &DoseWho) {
    match (who.from_kg, who.to_kg) {
        (Some(from), Some(to)) => {
            push_number(text, from);
            text.push_str(" to under ");
            push_number(text, to);
            text.push_str(" kg");
        }
        (Some(from), None) => {
            text.push_str("from ");
            push_number(text, from);
            text.push_str(" kg");
        }
        (None, Some(to)) => {
            text.push_str("under ");
            push_number(text, to);
            text.push_str(" kg");
        }
        (None, None) => {}
    }
}

/// Returns a state in words.
pub fn state_words(state: PatientState) -> &'static str {
    match state {
        PatientState::Pregnant => "in pregnancy",
        PatientState::Postpartum => "in the six weeks after birth",
        PatientState::Breastfeeding => "while breastfeeding",
        PatientState::NotPregnant => "not in pregnancy",
    }
}

/// Appends an age in the largest unit that it is a whole number of.
pub fn push_age(text: &mut String, age: Age) {
    let days = age.days();
    let is_exact = |other: Age| other == age;
    let (number, unit) = if days >= 365 && is_exact(Age::from_years(age.years())) {
        (age.years(), "year")
    } else if days >= 56 && is_exact(Age::from_months(age.months())) {
        (age.months(), "month")
    } else if days >= 14 && days.is_multiple_of(7) {
        (days / 7, "week")
    } else {
        (days, "day")
    };
    push_number(text, f64::from(number));
    text.push(' ');
    text.push_str(unit);
    if number != 1 {
        text.push('s');
    }
}

/// Appends the amount of a row as the file gives it: `40 to 45 mg/kg`, or `nothing` if the file
/// lacks it.
pub fn push_amount(text: &mut String, medicine: &Medicine, row: &DoseRow) {
    let Some(range) = row.per_kg.or(row.fixed) else {
        return;
    };
    push_range(text, range);
    text.push(' ');
    let is_plural = range[1] > 1.0;
    push_unit(text, medicine.unit, row, is_plural);
    if let Some(counted) = &medicine.counted_as {
        text.push_str(" of ");
        text.push_str(counted);
    }
}

/// Appends the limit of one dose by weight: ` (at most 1,000 mg)`.
pub fn push_limit(text: &mut String, medicine: &Medicine, row: &DoseRow) {
    let (Some(_), Some(most)) = (row.per_kg, row.at_most) else {
        return;
    };
    text.push_str(" (at most ");
    push_number(text, most);
    text.push(' ');
    text.push_str(unit_words(medicine.unit, most > 1.0));
    push_rate(text, row);
    text.push(')');
}

/// Appends a dose for nobody in particular: the name, and all rows with their patients.
pub fn push_plain(text: &mut String, name: &str, medicine: &Medicine, dose: &MedicineDose) {
    text.push_str(name);
    text.push(' ');
    let is_single = matches!(&dose.rows[..], [row] if row.who.is_everybody());
    if let Some(row) = dose.rows.first().filter(|_| is_single) {
        push_amount(text, medicine, row);
        push_limit(text, medicine, row);
        text.push(' ');
    }
    push_routes(text, &dose.routes);
    if let Some(row) = dose.rows.first().filter(|_| is_single) {
        push_schedule(text, row);
        let details = [&row.note, &dose.how].into_iter().flatten();
        push_brackets(text, details.map(String::as_str));
        return;
    }
    let rows = dose.rows.iter().enumerate().map(|(place, row)| {
        let mut words = String::new();
        if row.who.is_everybody() {
            words.push_str(if place == 0 {
                "everybody"
            } else {
                "all others"
            });
        } else {
            push_who(&mut words, &row.who);
        }
        words.push_str(": ");
        push_amount(&mut words, medicine, row);
        push_limit(&mut words, medicine, row);
        push_schedule(&mut words, row);
        if let Some(note) = &row.note {
            words.push_str(", ");
            push_inside(&mut words, note);
        }
        words
    });
    let rows: Vec<String> = rows.chain(dose.how.clone()).collect();
    push_brackets(text, rows.iter().map(String::as_str));
}

/// Appends what stands in brackets after a dose: ` (with food; slowly)`. Nothing if there is none.
fn push_brackets<'a>(text: &mut String, parts: impl Iterator<Item = &'a str>) {
    let start = text.len();
    for part in parts {
        text.push_str(if text.len() == start { " (" } else { "; " });
        push_inside(text, part);
    }
    if text.len() > start {
        text.push(')');
    }
}

/// Returns the patients of a row and their dose, without the name of the medicine.
pub fn row_words(medicine: &Medicine, dose: &MedicineDose, row: &DoseRow) -> [String; 2] {
    let mut patients = String::new();
    push_who(&mut patients, &row.who);
    let mut text = String::new();
    push_amount(&mut text, medicine, row);
    push_limit(&mut text, medicine, row);
    text.push(' ');
    push_routes(&mut text, &dose.routes);
    push_schedule(&mut text, row);
    push_brackets(&mut text, row.note.as_deref().into_iter());
    [patients, text]
}

/// Appends words inside a sentence: without the full stop at their end.
pub fn push_inside(text: &mut String, words: &str) {
    text.push_str(words.trim().trim_end_matches('.'));
}

/// Appends a name or sentence where a text stands: with a capital letter at the start of a
/// sentence.
pub fn push_capital(text: &mut String, words: &str) {
    let mut letters = words.chars();
    if let Some(first) = letters.next() {
        text.extend(first.to_uppercase());
        text.push_str(letters.as_str());
    }
}

/// Whether the next word of a text starts a sentence.
pub fn starts_sentence(text: &str) -> bool {
    let before = text.trim_end_matches([' ', '\n']);
    before.is_empty() || (before.len() < text.len() && before.ends_with(['.', '!', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: f64) -> String {
        let mut text = String::new();
        push_number(&mut text, number);
        text
    }

    #[test]
    fn numbers_are_printed_without_noise() {
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(12.0), "12");
        assert_eq!(number(999.0), "999");
        assert_eq!(number(1000.0), "1,000");
        assert_eq!(number(12_500.5), "12,500.5");
        assert_eq!(number(1_200_000.0), "1,200,000");
        assert_eq!(number(0.0125), "0.0125");
        assert_eq!(number(1.05), "1.05");
    }

    #[test]
    fn ages_are_printed_as_written() {
        let age = |age: &str| {
            let mut text = String::new();
            push_age(&mut text, age.parse().unwrap());
            text
        };
        for words in [
            "1 day",
            "7 days",
            "2 months",
            "18 months",
            "1 year",
            "5 years",
            "12 years",
        ] {
            assert_eq!(
                age(&words
                    .replace("1 day", "1 days")
                    .replace("1 year", "1 years")),
                words
            );
        }
        assert_eq!(age("42 days"), "6 weeks");
    }

    #[test]
    fn a_schedule_is_read_as_a_sentence() {
        let row = DoseRow {
            every_hours: Some(12.0),
            days: Some([5.0, 7.0]),
            ..DoseRow::default()
        };
        let mut text = String::new();
        push_schedule(&mut text, &row);
        assert_eq!(text, " twice a day for 5 to 7 days");
        let row = DoseRow {
            at_hours: vec![0.0, 12.0, 24.0],
            every_hours: Some(24.0),
            ..DoseRow::default()
        };
        let mut text = String::new();
        push_schedule(&mut text, &row);
        assert_eq!(text, " at 0, 12 and 24 hours, then once a day");
        let row = DoseRow {
            once: true,
            repeat: Some(crate::schema::Repeat {
                after_minutes: 10,
                times: 1,
            }),
            ..DoseRow::default()
        };
        let mut text = String::new();
        push_schedule(&mut text, &row);
        assert_eq!(text, " once, may be given again after 10 minutes, once");
    }
}
