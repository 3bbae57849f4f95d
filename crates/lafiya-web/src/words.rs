//! Formats values for people: ages, days, shares, triage levels.

use jiff::Timestamp;
use lafiya_model::{Age, Choice, ConceptKind, Measured, RestsOn, Severity, Sex, TriageLevel};
use lafiya_service::FieldError;
use lafiya_service::clock::billing_zone;

/// Number of bytes that fit in a banner on a phone without scrolling.
const LEAD_BYTES: usize = 180;

/// Formats an age: "30 years", "8 months", "10 days".
pub(crate) fn age(age: Age) -> String {
    let counted = |number: u32, unit: &str| {
        let s = if number == 1 { "" } else { "s" };
        format!("{number} {unit}{s}")
    };
    let months = (age.days() * 100 + 99) / 3044;
    match age.days() {
        days @ 0..=59 => counted(days, "day"),
        _ if months < 24 => counted(months, "month"),
        _ => counted(age.years(), "year"),
    }
}

/// Returns a word for a person of this age and sex: "girl", "man", "patient".
pub(crate) fn person(age: Age, sex: Sex) -> &'static str {
    match (sex, age.years()) {
        (Sex::Female, 0..=14) => "girl",
        (Sex::Female, _) => "woman",
        (Sex::Male, 0..=14) => "boy",
        (Sex::Male, _) => "man",
        (Sex::Other, 0..=14) => "child",
        (Sex::Other, _) => "adult",
    }
}

/// Formats a share: "62 %", "<1 %".
pub(crate) fn share(of_one: f64) -> String {
    let percent = of_one * 100.0;
    if percent < 1.0 {
        "<1 %".to_owned()
    } else {
        format!("{percent:.0} %")
    }
}

/// Formats a share as the width of a bar, which is never zero and at most 100 %.
pub(crate) fn width(of_one: f64) -> String {
    format!("{:.1}%", (of_one * 100.0).clamp(0.6, 100.0))
}

/// Formats a distance: "under 1 km", "3.2 km", "41 km". The location is not known more precisely.
pub(crate) fn kilometres(km: &f64) -> String {
    match km {
        ..1.0 => "under 1 km".to_owned(),
        ..10.0 => format!("{km:.1} km"),
        _ => format!("{km:.0} km"),
    }
}

/// Returns the triage level as a word.
pub(crate) fn level(level: TriageLevel) -> &'static str {
    match level {
        TriageLevel::Emergency => "Emergency",
        TriageLevel::Urgent => "Urgent",
        TriageLevel::Routine => "Routine",
        TriageLevel::SelfCare => "Self-care",
    }
}

/// Formats details: "3 days, severe".
pub(crate) fn particulars(
    duration_days: Option<u32>,
    severity: Option<Severity>,
    value: Option<&str>,
) -> String {
    let mut parts = Vec::new();
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        parts.push(value.to_owned());
    }
    match duration_days {
        Some(0) => parts.push("less than a day".to_owned()),
        Some(1) => parts.push("1 day".to_owned()),
        Some(days) => parts.push(format!("{days} days")),
        None => {}
    }
    if let Some(severity) = severity {
        parts.push(severity.as_str().to_owned());
    }
    parts.join(", ")
}

/// How something told reads in a list: the measured value, or the answer with its particulars.
pub(crate) fn told(restson: &RestsOn<'_>) -> String {
    if let Some(measured) = restson.measured {
        return self::measured(measured);
    }
    let answer = answer_about(restson.choice, restson.kind == Some(ConceptKind::LabTest));
    let particulars = particulars(restson.duration_days, restson.severity, None);
    if particulars.is_empty() {
        answer.to_owned()
    } else {
        format!("{answer}, {particulars}")
    }
}

/// How something told reads in a letter, under "present" or "absent".
pub(crate) fn in_letter(restson: &RestsOn<'_>) -> String {
    let value = restson.measured.map(measured);
    let particulars = particulars(restson.duration_days, restson.severity, value.as_deref());
    if particulars.is_empty() {
        restson.name.to_owned()
    } else {
        format!("{} ({particulars})", restson.name)
    }
}

/// "39.5 °C".
pub(crate) fn measured(measured: &Measured) -> String {
    format!("{} {}", measured.value, measured.unit)
}

/// An answer: a test is positive or negative, anything else is there or not.
pub(crate) fn answer_about(choice: Choice, is_test: bool) -> &'static str {
    match choice {
        Choice::Present if is_test => "Positive",
        Choice::Absent if is_test => "Negative",
        _ => answer(choice),
    }
}

/// Returns an answer as it appears in a list.
pub(crate) fn answer(choice: Choice) -> &'static str {
    match choice {
        Choice::Present => "Yes",
        Choice::Absent => "No",
        Choice::Unknown => "Not known",
    }
}

/// Converts a snake-case value of the API to words: "within_24_hours" becomes "within 24 hours".
pub(crate) fn plain(word: &str) -> String {
    let spoken = |part: &str| match part {
        "ent" | "hiv" | "tb" => part.to_uppercase(),
        other => other.to_owned(),
    };
    word.split('_').map(spoken).collect::<Vec<_>>().join(" ")
}

/// Formats an age group: "child_0_4" becomes "children of 0 to 4 years".
pub(crate) fn age_group(group: &str) -> String {
    let mut parts = group.split('_');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(who), Some(from), Some(to)) => format!("{} of {from} to {to} years", capital(who)),
        _ => plain(group),
    }
}

/// Formats a date in Lagos: "15 Nov 2026".
pub(crate) fn day(at: Timestamp) -> String {
    local(at, "%-d %b %Y")
}

/// Formats a time in Lagos: "15 Nov 2026, 14:05".
pub(crate) fn moment(at: Timestamp) -> String {
    local(at, "%-d %b %Y, %H:%M")
}

fn local(at: Timestamp, form: &str) -> String {
    let zone = billing_zone();
    at.to_zoned(zone).strftime(form).to_string()
}

/// Splits a text into its first sentences, short enough to read at a glance, and the rest.
pub(crate) fn lead_and_rest(text: &str) -> (String, String) {
    let mut cut = 0;
    for (at, _) in text.match_indices(". ") {
        if cut > 0 && at > LEAD_BYTES {
            break;
        }
        cut = at + 1;
    }
    let (lead, rest) = if text.len() <= LEAD_BYTES || cut == 0 {
        (text, "")
    } else {
        text.split_at(cut)
    };
    (lead.to_owned(), rest.trim().to_owned())
}

/// Capitalises the first letter.
pub(crate) fn capital(text: impl AsRef<str>) -> String {
    let mut letters = text.as_ref().chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Formats a number with thousands separators: "12,345".
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Indents JSON for reading. Text that is not JSON is returned unchanged.
pub(crate) fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    let mut letters = json.trim().chars().peekable();
    let fresh_line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    };
    while let Some(letter) = letters.next() {
        if inside {
            text.push(letter);
            inside = escaped || letter != '"';
            escaped = letter == '\\' && !escaped;
            continue;
        }
        match letter {
            '"' => {
                inside = true;
                text.push(letter);
            }
            '{' | '[' => {
                text.push(letter);
                let closing = if letter == '{' { '}' } else { ']' };
                if letters.peek() == Some(&closing) {
                    text.push(closing);
                    letters.next();
                } else {
                    depth += 1;
                    fresh_line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                fresh_line(&mut text, depth);
                text.push(letter);
            }
            ',' => {
                text.push(letter);
                fresh_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            space if space.is_whitespace() => {}
            other => text.push(other),
        }
    }
    text
}

/// Formats field errors as sentences.
pub(crate) fn sentences(fields: &[FieldError]) -> String {
    let sentence = |field: &FieldError| {
        let name = field.pointer.rsplit('/').next().unwrap_or_default();
        format!("{} {}.", capital(plain(name)), field.reason)
    };
    fields.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_shown_in_natural_units() {
        let check = |text: &str, expected: &str| {
            assert_eq!(age(text.parse().unwrap()), expected);
        };
        check("1 days", "1 day");
        check("10 days", "10 days");
        check("8 months", "8 months");
        check("18 months", "18 months");
        check("2 years", "2 years");
        check("30 years", "30 years");
    }

    #[test]
    fn long_advice_is_cut_between_sentences() {
        let (lead, rest) = lead_and_rest(&"Go now. ".repeat(60));
        assert!(
            lead.len() <= LEAD_BYTES + 1 && lead.ends_with("Go now."),
            "{lead}"
        );
        assert!(rest.starts_with("Go now."));
        assert_eq!(
            lead_and_rest("Go now. Rest."),
            ("Go now. Rest.".to_owned(), String::new())
        );
        let endless = "word ".repeat(80);
        assert_eq!(lead_and_rest(&endless).1, "");
    }

    #[test]
    fn json_is_indented_and_its_strings_are_unchanged() {
        let compact = r#"{"a":[1,2],"b":{},"c":"x: {\"y\", z}"}"#;
        let expected =
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": \"x: {\\\"y\\\", z}\"\n}";
        assert_eq!(indented(compact), expected);
        assert_eq!(indented(expected), expected);
    }

    #[test]
    fn figures_are_formatted_for_people() {
        assert_eq!(share(0.004), "<1 %");
        assert_eq!(kilometres(&0.0), "under 1 km");
        assert_eq!(kilometres(&3.24), "3.2 km");
        assert_eq!(particulars(Some(0), None, None), "less than a day");
        assert_eq!(share(0.617), "62 %");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(age_group("adult_15_49"), "Adult of 15 to 49 years");
    }
}
