//! Merges rows for the same facility: within 300 m, of the same level, and with nearly the same
//! name. Details missing from one row are taken from the other; rows of different sources are never
//! merged.

use std::collections::HashMap;

use lafiya_model::FacilityLevel;
use rapidfuzz::distance::indel;

use crate::distance::distance_km;
use crate::fold::fold;
use crate::register::Facility;
use crate::types::Types;

const SAME_PLACE_KM: f64 = 0.3;
/// The minimum similarity of two names that count as the same.
const SAME_NAME: f64 = 0.9;
/// The maximum distance between a facility and its default entry, if only the town of that entry is
/// known.
const SAME_TOWN_KM: f64 = 12.0;
/// Grid cells of about half a kilometre and of about fifteen kilometres, in degrees.
const SMALL_CELL: f64 = 0.005;
const LARGE_CELL: f64 = 0.15;

/// Merges rows of one source that are the same facility. The order of the first ones is kept.
pub(super) fn merged(facilities: Vec<Facility>, types: &Types) -> Vec<Facility> {
    let mut kept: Vec<Facility> = Vec::with_capacity(facilities.len());
    let mut names: Vec<Name> = Vec::with_capacity(facilities.len());
    let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
    for facility in facilities {
        let name = Name::of(&facility.name);
        let (row, column) = cell(&facility, SMALL_CELL);
        let near = (-1..=1).flat_map(|dr| (-1..=1).map(move |dc| (row + dr, column + dc)));
        let twin = near
            .filter_map(|cell| cells.get(&cell))
            .flatten()
            .copied()
            .find(|&at| {
                names[at].is(&name, same_name)
                    && level(&kept[at], types) == level(&facility, types)
                    && distance_km(kept[at].position, facility.position) < SAME_PLACE_KM
            });
        match twin {
            Some(at) => add_what_is_missing(&mut kept[at], facility),
            None => {
                cells.entry((row, column)).or_default().push(kept.len());
                names.push(name);
                kept.push(facility);
            }
        }
    }
    kept
}

/// Returns the register after an import: the facilities of this source are replaced, those of other
/// sources are kept.
pub fn replaced_source(old: Vec<Facility>, source: &str, new: Vec<Facility>) -> Vec<Facility> {
    let others = old.into_iter().filter(|facility| facility.source != source);
    let mut all: Vec<Facility> = others.chain(new).collect();
    all.sort_by(|a, b| (&a.source, &a.country, &a.name).cmp(&(&b.source, &b.country, &b.name)));
    all
}

/// Returns the imported facilities, and the default ones that are not also imported.
pub fn combined(imported: Vec<Facility>, default: &[Facility], types: &Types) -> Vec<Facility> {
    let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
    let hospitals = imported.iter().enumerate();
    for (at, facility) in
        hospitals.filter(|(_, facility)| level(facility, types) >= FacilityLevel::Hospital)
    {
        cells
            .entry(cell(facility, LARGE_CELL))
            .or_default()
            .push(at);
    }
    let is_known = |facility: &&Facility| {
        let name = Name::of(&facility.name);
        let reach = if facility.approximate {
            SAME_TOWN_KM
        } else {
            1.0
        };
        let (row, column) = cell(facility, LARGE_CELL);
        let near = (-1..=1).flat_map(|dr| (-1..=1).map(move |dc| (row + dr, column + dc)));
        near.filter_map(|cell| cells.get(&cell))
            .flatten()
            .any(|&at| {
                distance_km(imported[at].position, facility.position) < reach
                    && name.is(&Name::of(&imported[at].name), same_words)
            })
    };
    let kept: Vec<Facility> = default
        .iter()
        .filter(|facility| !is_known(facility))
        .cloned()
        .collect();
    imported.into_iter().chain(kept).collect()
}

fn cell(facility: &Facility, degrees: f64) -> (i32, i32) {
    let number = |value: f64| (value / degrees).floor() as i32;
    (
        number(facility.position.latitude),
        number(facility.position.longitude),
    )
}

fn level(facility: &Facility, types: &Types) -> FacilityLevel {
    types
        .find(&facility.kind)
        .map_or(FacilityLevel::Primary, |kind| kind.level)
}

/// A name for comparison. Registers add an abbreviation, a town or an owner in brackets.
struct Name {
    whole: String,
    /// The name without the text in brackets; the whole name if nothing else is left.
    bare: String,
}

impl Name {
    fn of(written: &str) -> Self {
        let whole = fold(written);
        let bare = fold(&without_brackets(written));
        Self {
            bare: if bare.is_empty() { whole.clone() } else { bare },
            whole,
        }
    }

    /// Whether two names are the same. If both have brackets, these may distinguish two facilities
    /// ("(Annex)", "(Main)"), so the bracketed text must match too.
    fn is(&self, other: &Self, same: fn(&str, &str) -> bool) -> bool {
        let both = self.has_brackets() && other.has_brackets();
        same(&self.whole, &other.whole) || (!both && same(&self.bare, &other.bare))
    }

    fn has_brackets(&self) -> bool {
        self.bare != self.whole
    }
}

fn without_brackets(name: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// Whether two names are similar. Numbers must be equal ("Ward 1", "Ward 2").
fn same_name(a: &str, b: &str) -> bool {
    a == b
        || (numbers(a).eq(numbers(b))
            && indel::normalized_similarity(a.chars(), b.chars()) >= SAME_NAME)
}

fn numbers(name: &str) -> impl Iterator<Item = &str> {
    name.split(' ')
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether two names have the same words in any order: "General Hospital Epe", "Epe General
/// Hospital".
fn same_words(a: &str, b: &str) -> bool {
    let sorted = |name: &str| {
        let mut words: Vec<&str> = name.split(' ').collect();
        words.sort_unstable();
        words.join(" ")
    };
    same_name(&sorted(a), &sorted(b))
}

fn add_what_is_missing(kept: &mut Facility, other: Facility) {
    if kept.address.is_empty() {
        kept.address = other.address;
    }
    kept.phone = kept.phone.take().or(other.phone);
    kept.rating = kept.rating.or(other.rating);
    for service in other.services {
        if !kept.services.contains(&service) {
            kept.services.push(service);
        }
    }
}
