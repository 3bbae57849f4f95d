//! Units: converts UCUM units, as FHIR writes them, to the spellings of the knowledge base; and
//! lengths of time to days. The knowledge base converts the units it knows (°F, kPa, mg/dL ...);
//! this file only adds the metric prefixes.

use lafiya_knowledge::Quantity;

/// UCUM codes that the knowledge base spells differently.
const SPELLINGS: &[(&str, &str)] = &[
    ("Cel", "°C"),
    ("[degF]", "°F"),
    ("mm[Hg]", "mmHg"),
    ("cm[Hg]", "cmHg"),
    ("[lb_av]", "lbs"),
    ("[pH]", "pH"),
    ("wk", "weeks"),
    ("mo", "months"),
];

/// Formats a value for the knowledge base; `None` if the unit is unknown. A number without a unit
/// is passed on as it is; the knowledge base accepts it only where it is unambiguous.
pub(crate) fn value_text(
    quantity: &Quantity,
    number: f64,
    code: Option<&str>,
    unit: Option<&str>,
) -> Option<String> {
    // The code first, because the text of a unit is free.
    let written: Vec<String> = code.into_iter().chain(unit).map(plain).collect();
    if written.iter().all(|unit| unit.is_empty() || unit == "1") {
        return Some(number.to_string());
    }
    if let Some(known) = written.iter().find(|unit| quantity.knows_unit(unit)) {
        return Some(format!("{number} {known}"));
    }
    let own = linear(&quantity.unit)?;
    let (factor, _) = written
        .iter()
        .filter_map(|unit| linear(unit))
        // Only within one dimension: grams never become litres.
        .find(|(_, dimension)| *dimension == own.1)?;
    Some(format!("{} {}", number * factor / own.0, quantity.unit))
}

/// Converts a UCUM time to days; `None` for other units.
pub(crate) fn days(number: f64, code: Option<&str>, unit: Option<&str>) -> Option<f64> {
    code.into_iter().chain(unit).find_map(|unit| {
        let days = match unit.trim() {
            "s" | "sec" | "second" | "seconds" => 1.0 / 86_400.0,
            "min" | "minute" | "minutes" => 1.0 / 1_440.0,
            "h" | "hr" | "hour" | "hours" => 1.0 / 24.0,
            "d" | "day" | "days" => 1.0,
            "wk" | "week" | "weeks" => 7.0,
            "mo" | "mo_j" | "mo_g" | "month" | "months" => 30.44,
            "a" | "a_j" | "a_g" | "yr" | "year" | "years" => 365.25,
            _ => return None,
        };
        Some(number * days)
    })
}

/// Removes annotations such as `{beats}`, and uses the spelling of the knowledge base.
fn plain(unit: &str) -> String {
    let mut bare = String::new();
    let mut depth = 0_u32;
    for character in unit.trim().chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => bare.push(character),
            _ => {}
        }
    }
    if let Some((_, ours)) = SPELLINGS.iter().find(|(ucum, _)| *ucum == bare) {
        return (*ours).to_owned();
    }
    bare.replace("[IU]", "IU")
        .replace("[iU]", "IU")
        .replace("10*", "10^")
}

/// Splits a unit into a factor and a dimension, if it is a power of ten or a prefixed unit,
/// optionally over another. `10^3/uL` and `10^9/L` have the same dimension and the same factor.
fn linear(unit: &str) -> Option<(f64, String)> {
    let unit = unit.trim().trim_start_matches('x');
    let (above, below) = unit.split_once('/').unwrap_or((unit, ""));
    let (up, top) = prefixed(above)?;
    let (down, bottom) = prefixed(below)?;
    Some((up / down, format!("{top}/{bottom}")))
}

fn prefixed(text: &str) -> Option<(f64, String)> {
    const COUNTED: &[&str] = &["", "cells", "parasites", "copies", "1"];
    const UNITS: &[&str] = &["g", "L", "l", "mol", "IU", "U", "osm", "Osm", "osmol", "m"];
    const PREFIXES: &[(char, f64)] = &[
        ('k', 1e3),
        ('d', 1e-1),
        ('c', 1e-2),
        ('m', 1e-3),
        ('u', 1e-6),
        ('µ', 1e-6),
        ('μ', 1e-6),
        ('n', 1e-9),
        ('p', 1e-12),
        ('f', 1e-15),
    ];
    if let Some(power) = text.strip_prefix("10^") {
        return Some((10_f64.powi(power.parse().ok()?), "1".to_owned()));
    }
    if COUNTED.contains(&text) {
        return Some((1.0, "1".to_owned()));
    }
    let same = |unit: &str| unit.to_lowercase().replace("osmol", "osm");
    if UNITS.contains(&text) {
        return Some((1.0, same(text)));
    }
    let prefix = text.chars().next()?;
    let rest = text.strip_prefix(prefix)?;
    let (_, factor) = PREFIXES.iter().find(|(known, _)| *known == prefix)?;
    UNITS.contains(&rest).then(|| (*factor, same(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_converted_to_days() {
        let check = |number: f64, code: &str, expected: Option<f64>| {
            assert_eq!(days(number, Some(code), None), expected, "{code}");
        };
        check(36.0, "h", Some(1.5));
        check(3.0, "d", Some(3.0));
        check(2.0, "wk", Some(14.0));
        check(2.0, "a", Some(730.5));
        check(39.0, "Cel", None);
        assert_eq!(days(2.0, None, Some("weeks")), Some(14.0));
    }

    #[test]
    fn prefixes_and_powers_are_converted() {
        let ratio = |one: &str, other: &str| {
            let (one, other) = (linear(one).unwrap(), linear(other).unwrap());
            assert_eq!(one.1, other.1);
            one.0 / other.0
        };
        assert!((ratio("g/L", "g/dL") - 0.1).abs() < 1e-12);
        assert!((ratio("10^3/uL", "x10^9/L") - 1.0).abs() < 1e-12);
        assert!((ratio("cells/uL", "/µL") - 1.0).abs() < 1e-12);
        assert!((ratio("mg/L", "mg/dL") - 0.1).abs() < 1e-12);
        assert_eq!(linear("furlong"), None);
    }

    #[test]
    fn unit_annotations_are_removed() {
        assert_eq!(plain("{beats}/min"), "/min");
        assert_eq!(plain("[degF]"), "°F");
        assert_eq!(plain("10*9/L"), "10^9/L");
        assert_eq!(plain("m[IU]/mL"), "mIU/mL");
        assert_eq!(plain("{score}"), "");
    }
}
