//! Text for some patients only: `<from 29 days, below 5 years: ...>`. The part before the colon
//! names them; only they read what follows.

use std::ops::Range;

use lafiya_model::Age;

use crate::schema::DoseWho;
use crate::words::{PatientState, SexLimit};

/// A part of a text for some patients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// With its angle brackets.
    pub(crate) range: Range<usize>,
    /// The patients.
    pub(crate) who: DoseWho,
    /// What they read.
    pub(crate) text: Range<usize>,
}

/// Returns the parts for some patients. Angle brackets around anything else are words.
pub(crate) fn groups(text: &str) -> impl Iterator<Item = Group> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text[from..].find('<')?;
            from = start + 1;
            let end = from + text[from..].find('>')?;
            let Some((who, _)) = text[from..end].split_once(':') else {
                continue;
            };
            let Some(group) = patients(who) else {
                continue;
            };
            let after_colon = from + who.len() + 1;
            let space = usize::from(text[after_colon..end].starts_with(' '));
            from = end + 1;
            return Some(Group {
                range: start..from,
                who: group,
                text: after_colon + space..end,
            });
        }
    })
}

/// Whether every angle bracket of a text belongs to a part for some patients.
pub(crate) fn is_well_formed(text: &str) -> bool {
    let marked: usize = groups(text).count();
    let nested = groups(text).any(|group| text[group.text].contains('<'));
    !nested && text.matches('<').count() == marked && text.matches('>').count() == marked
}

/// Reads the patients: `from 2 months, below 5 years`, `below 20 kg`, `pregnant`.
fn patients(words: &str) -> Option<DoseWho> {
    let mut who = DoseWho::default();
    for limit in words.split(',').map(str::trim) {
        let (slot_age, slot_kg, rest) = if let Some(rest) = limit.strip_prefix("from ") {
            (&mut who.from, &mut who.from_kg, rest)
        } else if let Some(rest) = limit.strip_prefix("below ") {
            (&mut who.to, &mut who.to_kg, rest)
        } else {
            match limit {
                "pregnant" => who.state = Some(PatientState::Pregnant),
                "not pregnant" => who.state = Some(PatientState::NotPregnant),
                "breastfeeding" => who.state = Some(PatientState::Breastfeeding),
                "postpartum" => who.state = Some(PatientState::Postpartum),
                "male" => who.sex = Some(SexLimit::Male),
                "female" => who.sex = Some(SexLimit::Female),
                _ => return None,
            }
            continue;
        };
        match rest.strip_suffix(" kg") {
            Some(kg) => *slot_kg = Some(kg.parse().ok()?),
            None => *slot_age = Some(age(rest)?),
        }
    }
    Some(who)
}

/// Reads an age, also in weeks.
fn age(words: &str) -> Option<Age> {
    let weeks = words.strip_suffix(" weeks").or(words.strip_suffix(" week"));
    match weeks {
        Some(weeks) => Some(Age::from_days(weeks.parse::<u32>().ok()? * 7)),
        None => words.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patients_and_their_text_are_found() {
        let text = "A <from 29 days, below 5 years: b {c.d}; >e <pregnant: f><below 2.5 kg: g>";
        let found: Vec<Group> = groups(text).collect();
        let texts = found.iter().map(|group| &text[group.text.clone()]);
        assert_eq!(texts.collect::<Vec<_>>(), ["b {c.d}; ", "f", "g"]);
        assert_eq!(found[0].who.from, Some(Age::from_days(29)));
        assert_eq!(found[0].who.to, Some(Age::from_years(5)));
        assert_eq!(found[1].who.state, Some(PatientState::Pregnant));
        assert_eq!(found[2].who.to_kg, Some(2.5));
        assert!(is_well_formed(text));
    }

    #[test]
    fn other_angle_brackets_are_not_well_formed() {
        for text in [
            "a < b",
            "<old people: a>",
            "<below 2: a>",
            "<male: <female: a>>",
            "<male a>",
        ] {
            assert!(!is_well_formed(text), "{text}");
        }
        assert!(is_well_formed("no brackets"));
    }
}
