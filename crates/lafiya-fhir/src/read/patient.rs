//! Reads the Patient: age, sex and place. Names, identifiers and everything else are ignored.

use jiff::civil::Date;
use jiff::{Unit, civil};
use lafiya_model::{Age, Coordinate, Sex};

use super::when::{self, Partial};
use crate::node::Node;
use crate::problem::{ProblemKind, Problems};
use crate::systems::GEOLOCATION;

const AGE_YEARS_MAX: i32 = 120;
const AGE_DAYS_MAX: i32 = 60;
const AGE_MONTHS_MAX: i32 = 59;
const LOCATION_CHARACTERS_MAX: usize = 200;

/// The data read from a Patient.
pub(crate) struct Patient {
    pub(crate) age: Age,
    pub(crate) sex: Sex,
    pub(crate) location: Option<String>,
    pub(crate) coordinate: Option<Coordinate>,
}

/// Reads the Patient as of a date.
pub(crate) fn read(node: &Node<'_>, on: Date, problems: &mut Problems) -> Option<Patient> {
    let sex = read_sex(&node.field("gender"), problems);
    let age = read_age(&node.field("birthDate"), on, problems);
    check_alive(node, problems);
    let (location, coordinate) = read_address(&node.field("address"), problems);
    Some(Patient {
        age: age?,
        sex: sex?,
        location,
        coordinate,
    })
}

/// Returns the ids by which references can mean this Patient.
pub(crate) fn names<'a>(entry: &Node<'a>, node: &Node<'a>) -> Vec<String> {
    let mut quiet = Problems::default();
    [entry.field("fullUrl"), node.field("id")]
        .iter()
        .filter_map(|node| node.text(&mut quiet))
        .map(|reference| tail(reference).to_owned())
        .collect()
}

/// Returns the last part of a reference: it is the same for `Patient/7`, `urn:uuid:7` and
/// `https://ehr/fhir/Patient/7`.
pub(crate) fn tail(reference: &str) -> &str {
    reference
        .rsplit(['/', ':', '#'])
        .next()
        .unwrap_or(reference)
}

/// Returns the patient id of a reference, ignoring its version; `None` if it refers to another
/// resource type.
pub(crate) fn led_to(reference: &str) -> Option<&str> {
    let current = reference
        .split_once("/_history/")
        .map_or(reference, |(current, _)| current);
    let kind = current
        .rsplit_once('/')
        .map_or("", |(before, _)| tail(before));
    // Resource types start with a capital letter.
    let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase());
    (!is_kind || kind == "Patient").then(|| tail(current))
}

fn read_sex(node: &Node<'_>, problems: &mut Problems) -> Option<Sex> {
    match node.text(problems) {
        Some("male") => Some(Sex::Male),
        Some("female") => Some(Sex::Female),
        // Rules out nothing for either sex.
        Some("other" | "unknown") => Some(Sex::Other),
        Some(_) => {
            problems.note(
                ProblemKind::UnknownCode,
                node,
                "must be `male`, `female`, `other` or `unknown`",
            );
            None
        }
        None => {
            if !node.exists() {
                problems.note(ProblemKind::Missing, node, "is required");
            }
            None
        }
    }
}

fn read_age(node: &Node<'_>, on: Date, problems: &mut Problems) -> Option<Age> {
    let Some(text) = node.text(problems) else {
        if !node.exists() {
            problems.note(ProblemKind::Missing, node, "is required");
        }
        return None;
    };
    let Some(partial) = when::partial(text) else {
        problems.note(
            ProblemKind::Value,
            node,
            "must be a date such as 1996-07-31, 1996-07 or 1996",
        );
        return None;
    };
    let Some(born) = birth_date(partial, on) else {
        problems.note(ProblemKind::Value, node, "lies after the observations");
        return None;
    };
    let age = age_between(born, on);
    if age.is_none() {
        problems.note(
            ProblemKind::Value,
            node,
            format!("makes the patient older than {AGE_YEARS_MAX} years"),
        );
    }
    age
}

/// Estimates the birth date. A year alone counts as its middle, and so does a month; if the middle
/// is in the future, the middle of the elapsed part is used.
fn birth_date(partial: Partial, on: Date) -> Option<Date> {
    let Partial { year, month, day } = partial;
    let (first, middle) = match (month, day) {
        (Some(month), Some(day)) => {
            let exact = Date::new(year, month, day).ok()?;
            (exact, exact)
        }
        (Some(month), None) => (civil::date(year, month, 1), civil::date(year, month, 15)),
        _ => (civil::date(year, 1, 1), civil::date(year, 7, 1)),
    };
    if first > on {
        return None;
    }
    if middle <= on {
        return Some(middle);
    }
    let half = first.until(on).ok()?.get_days() / 2;
    first.checked_add(jiff::Span::new().days(half)).ok()
}

/// Returns the age in the finest unit that `/assess` accepts: days for newborns, months under five,
/// then years.
fn age_between(born: Date, on: Date) -> Option<Age> {
    let days = born.until((Unit::Day, on)).ok()?.get_days();
    let months = born.until((Unit::Month, on)).ok()?.get_months();
    let years = months / 12;
    let age = |number: i32, of: fn(u32) -> Age| u32::try_from(number).ok().map(of);
    if days <= AGE_DAYS_MAX {
        age(days, Age::from_days)
    } else if months <= AGE_MONTHS_MAX {
        age(months, Age::from_months)
    } else if years <= AGE_YEARS_MAX {
        age(years, Age::from_years)
    } else {
        None
    }
}

fn check_alive(node: &Node<'_>, problems: &mut Problems) {
    let dead = node.field("deceasedBoolean");
    let died = node.field("deceasedDateTime");
    let at = match (dead.truth(problems), died.exists()) {
        (Some(true), _) => dead,
        (_, true) => died,
        _ => return,
    };
    problems.note(
        ProblemKind::Conflict,
        &at,
        "says that the patient has died; there is nothing to assess",
    );
}

fn read_address(node: &Node<'_>, problems: &mut Problems) -> (Option<String>, Option<Coordinate>) {
    let mut location = None;
    let mut coordinate = None;
    for address in node.items(problems) {
        if !address.is_object(problems) || address.field("use").text(problems) == Some("old") {
            continue;
        }
        location = location.or_else(|| place_in_words(&address, problems));
        coordinate = coordinate.or_else(|| geolocation(&address, problems));
    }
    (location, coordinate)
}

/// Returns the address text, or its parts starting with the smallest. Street lines are never read.
fn place_in_words(address: &Node<'_>, problems: &mut Problems) -> Option<String> {
    let text = address.field("text");
    if let Some(place) = text.text(problems) {
        if place.chars().count() > LOCATION_CHARACTERS_MAX {
            problems.note(
                ProblemKind::TooMuch,
                &text,
                format!("may have at most {LOCATION_CHARACTERS_MAX} characters"),
            );
            return None;
        }
        return Some(place.to_owned());
    }
    let mut part = |name: &'static str| address.field(name).text(problems);
    let smaller: Vec<&str> = ["city", "district", "state"]
        .into_iter()
        .filter_map(&mut part)
        .collect();
    // The country is used only if no smaller part is given.
    let place = if smaller.is_empty() {
        part("country")?.to_owned()
    } else {
        smaller.join(", ")
    };
    Some(place.chars().take(LOCATION_CHARACTERS_MAX).collect())
}

fn geolocation(address: &Node<'_>, problems: &mut Problems) -> Option<Coordinate> {
    let extension = find_extension(address, GEOLOCATION, problems)?;
    let mut degrees = |name: &str| {
        let part = find_extension(&extension, name, problems);
        let value = part
            .map(|part| part.field("valueDecimal"))
            .filter(Node::exists);
        match value {
            Some(value) => value.number(problems),
            None => {
                problems.note(
                    ProblemKind::Missing,
                    &extension,
                    format!("needs an extension `{name}` with valueDecimal"),
                );
                None
            }
        }
    };
    let (latitude, longitude) = (degrees("latitude"), degrees("longitude"));
    let coordinate = Coordinate::new(latitude?, longitude?);
    if coordinate.is_none() {
        problems.note(ProblemKind::Value, &extension, "lies outside the globe");
    }
    coordinate
}

fn find_extension<'a>(node: &Node<'a>, url: &str, problems: &mut Problems) -> Option<Node<'a>> {
    node.field("extension")
        .items(problems)
        .into_iter()
        .find(|item| item.field("url").text(&mut Problems::default()) == Some(url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(birth_date: &str, on: &str) -> Option<Age> {
        let on = on.parse().unwrap();
        age_between(birth_date_of(birth_date, on)?, on)
    }

    fn birth_date_of(text: &str, on: Date) -> Option<Date> {
        birth_date(when::partial(text).unwrap(), on)
    }

    #[test]
    fn the_age_has_the_precision_of_assess() {
        let check = |born: &str, expected: Age| {
            assert_eq!(age(born, "2026-11-15"), Some(expected), "{born}");
        };
        check("2026-11-15", Age::from_days(0));
        check("2026-11-03", Age::from_days(12));
        check("2026-05-15", Age::from_months(6));
        check("2023-11-15", Age::from_years(3));
        check("1996-11-15", Age::from_years(30));
        check("1996-11-16", Age::from_years(29));
        check("1996-11", Age::from_years(30));
        check("1996", Age::from_years(30));
        check("2026", Age::from_months(4));
        // The middle of the year is in the future, so the middle of its elapsed part is used.
        assert_eq!(age("2026", "2026-01-21"), Some(Age::from_days(10)));
        assert_eq!(age("1905", "2026-11-15"), None);
        assert_eq!(age("2027", "2026-11-15"), None);
    }

    #[test]
    fn references_match_by_their_last_segment() {
        for reference in [
            "Patient/7",
            "urn:uuid:7",
            "https://ehr.example/fhir/Patient/7",
            "#7",
        ] {
            assert_eq!(tail(reference), "7");
        }
    }
}
