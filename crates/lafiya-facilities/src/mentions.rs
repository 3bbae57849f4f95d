//! Finds the places that a text mentions, by exact names and otherwise by similar ones. A text is
//! split at commas; in each part the longest names are matched first.

use rapidfuzz::distance::osa;

use crate::areas::{Area, Areas, KINDS};
use crate::fold::fold;
use crate::gazetteer::{GAZETTEER, Town};

/// The maximum number of words in a name.
const NAME_WORDS_MAX: usize = 6;
/// The maximum number of words of a text that are read; an address has fewer.
const TEXT_WORDS_MAX: usize = 40;
/// A town abroad with fewer inhabitants is not matched to a misspelling.
const FUZZY_POPULATION_MIN: u32 = 5_000;

/// Words around a name that are not names themselves (English, French, Portuguese, Swahili, Hausa).
const FILLERS: &[&str] = &[
    "near",
    "around",
    "close",
    "to",
    "at",
    "in",
    "the",
    "of",
    "by",
    "from",
    "behind",
    "opposite",
    "beside",
    "outside",
    "within",
    "along",
    "off",
    "and",
    "town",
    "city",
    "village",
    "area",
    "local",
    "government",
    "lga",
    "municipality",
    "municipal",
    "ward",
    "community",
    "metropolis",
    "rural",
    "urban",
    "street",
    "road",
    "avenue",
    "crescent",
    "estate",
    "phase",
    "block",
    "no",
    "number",
    "plot",
    "house",
    "flat",
    "junction",
    "market",
    "hospital",
    "clinic",
    "home",
    "unknown",
    "none",
    "nil",
    "here",
    "abroad",
    "test",
    "new",
    "old",
    "pres",
    "de",
    "du",
    "des",
    "la",
    "le",
    "les",
    "ville",
    "quartier",
    "au",
    "dans",
    "commune",
    "a",
    "l",
    "d",
    "perto",
    "da",
    "do",
    "cidade",
    "bairro",
    "em",
    "karibu",
    "na",
    "ya",
    "wa",
    "katika",
    "mji",
    "kijiji",
    "kusa",
    "garin",
    "cikin",
    "i",
    "am",
    "live",
    "lives",
    "living",
    "staying",
    "patient",
    "africa",
    "zone",
    "side",
    "camp",
];

/// Names of regions that are also ordinary words. They count as a region only alone or next to a
/// word for a kind of area.
const PLAIN_WORDS: &[&str] = &[
    "north",
    "south",
    "east",
    "west",
    "northern",
    "southern",
    "eastern",
    "western",
    "central",
    "centre",
    "littoral",
    "plateau",
    "coast",
    "savannah",
    "lacs",
    "montagnes",
];

/// A town or area that a name may refer to.
#[derive(Clone, Copy)]
pub(crate) enum Spot<'a> {
    Town(&'a Town),
    Area(&'a Area),
}

impl<'a> Spot<'a> {
    pub(crate) fn country(self) -> &'a str {
        match self {
            Spot::Town(town) => town.country,
            Spot::Area(area) => &area.country,
        }
    }

    /// Returns the slug of the region; empty for a country.
    pub(crate) fn region(self) -> &'a str {
        match self {
            Spot::Town(town) => town.region,
            Spot::Area(area) if area.is_country => "",
            Spot::Area(area) => &area.slug,
        }
    }
}

/// A name in the text and what it may refer to.
pub(crate) struct Mention<'a> {
    pub(crate) spots: Vec<Spot<'a>>,
    /// The edit distance to the known name.
    pub(crate) edits: usize,
    /// Whether a word for a kind of area was next to it ("Kisumu county").
    pub(crate) called_an_area: bool,
    /// Set if the name is the slug of an area, as in the API.
    pub(crate) slug: Option<&'a str>,
}

/// Returns every place that the text mentions.
pub(crate) fn mentions<'a>(areas: &'a Areas, text: &str, home: Option<&str>) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    let one_word = !text
        .trim()
        .contains(|c: char| c.is_whitespace() || c == ',');
    let mut budget = TEXT_WORDS_MAX;
    for part in text.split([',', ';', '/', '|', '(', ')', '\n', '.']) {
        let folded = fold(part);
        let words: Vec<&str> = folded
            .split(' ')
            .filter(|word| !word.is_empty())
            .take(budget)
            .collect();
        // One budget for all parts, so that many commas do not raise it.
        budget -= words.len();
        let (words, code) = split_code(areas, &words, one_word);
        let mut here = exact(areas, words);
        if let Some(whole) = misspelt_at_home(areas, words, &here, home) {
            here = vec![whole];
        }
        if here.is_empty() && !words.is_empty() {
            here.extend(misspelt(areas, words, home));
        }
        here.extend(code.map(|country| Mention {
            spots: vec![Spot::Area(country)],
            edits: 0,
            called_an_area: false,
            slug: None,
        }));
        found.extend(here);
    }
    found
}

/// Splits a country code from a slug (`gh-central`, `kano-ng`), or reads a part that is only a
/// country code ("Wa, GH"). Anywhere else, two letters are an ordinary word ("karibu na Kisumu").
fn split_code<'a, 'w>(
    areas: &'a Areas,
    words: &'w [&'w str],
    one_word: bool,
) -> (&'w [&'w str], Option<&'a Area>) {
    let code = |word: &str| {
        let area = (word.len() == 2).then(|| areas.country(word)).flatten()?;
        areas.named(word).next().is_none().then_some(area)
    };
    match words {
        [only] => match code(only) {
            Some(country) => (&[], Some(country)),
            None => (words, None),
        },
        [first, rest @ ..] if one_word && code(first).is_some() => (rest, code(first)),
        [rest @ .., last] if one_word && areas.named(&words.join(" ")).next().is_none() => {
            match code(last) {
                Some(country) => (rest, Some(country)),
                None => (words, None),
            }
        }
        _ => (words, None),
    }
}

fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word) || KINDS.contains(&word) || word.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the words that are not fillers.
fn telling<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let telling = words.iter().copied().filter(|word| !is_filler(word));
    telling.collect()
}

/// Returns exact matches, the longest first at each word.
fn exact<'a>(areas: &'a Areas, words: &[&str]) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = NAME_WORDS_MAX.min(words.len() - at);
        let hit = (1..=longest).rev().find_map(|length| {
            let mention = look_up(areas, words, at, length)?;
            Some((length, mention))
        });
        match hit {
            Some((length, mention)) => {
                found.push(mention);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

fn look_up<'a>(areas: &'a Areas, words: &[&str], at: usize, length: usize) -> Option<Mention<'a>> {
    let name = words.get(at..at + length)?;
    if name.iter().all(|word| is_filler(word)) {
        return None;
    }
    // A two-letter name counts only if there are no other words.
    let others = words.iter().filter(|word| !is_filler(word)).count() - name.len().min(1);
    let name = name.join(" ");
    if name.len() < 3 && others > 0 {
        return None;
    }
    if others > 0 && PLAIN_WORDS.contains(&name.as_str()) {
        return None;
    }
    let mut spots: Vec<Spot<'a>> = areas_named(areas, &name).map(Spot::Area).collect();
    spots.extend(GAZETTEER.named(&name).map(Spot::Town));
    if spots.is_empty() {
        return None;
    }
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let beside = [words.get(at + length), before];
    let is_kind = |word: Option<&&str>| word.is_some_and(|word| KINDS.contains(word));
    let named_kind = words[at..at + length]
        .iter()
        .any(|word| KINDS.contains(word));
    Some(Mention {
        slug: areas
            .region(&name.replace(' ', "-"))
            .map(|area| area.slug.as_str()),
        spots,
        edits: 0,
        called_an_area: named_kind || beside.into_iter().any(is_kind),
    })
}

/// Returns the areas with this name, with and without the word for its kind: "Central Region" is
/// the full name of one country's region, and "Central" that of another's.
fn areas_named<'a>(areas: &'a Areas, name: &str) -> impl Iterator<Item = &'a Area> + use<'a> {
    let bare: Vec<&str> = name
        .split(' ')
        .filter(|word| !KINDS.contains(word))
        .collect();
    let bare = bare.join(" ");
    let mut found: Vec<&'a Area> = areas.named(name).collect();
    if bare != name {
        for area in areas.named(&bare) {
            if !found.iter().any(|known| known.slug == area.slug) {
                found.push(area);
            }
        }
    }
    found.into_iter()
}

/// Matches a misspelt name of several words in the home country before an exact match of one of its
/// words abroad: "Port Harcout" at home in Nigeria is the city there, not the Port of another
/// country.
fn misspelt_at_home<'a>(
    areas: &'a Areas,
    words: &[&str],
    exact: &[Mention<'a>],
    home: Option<&str>,
) -> Option<Mention<'a>> {
    let home = home?;
    let at_home = |spot: &Spot<'_>| spot.country().eq_ignore_ascii_case(home);
    let telling = telling(words);
    let [mention] = exact else { return None };
    if telling.len() < 2 || mention.spots.iter().any(at_home) {
        return None;
    }
    let whole = telling.join(" ");
    if look_up(areas, &[whole.as_str()], 0, 1).is_some() {
        return None;
    }
    let mut nearly = nearly(areas, &whole, Some(home))?;
    nearly.spots.retain(at_home);
    (!nearly.spots.is_empty()).then_some(nearly)
}

/// Returns a similar name: of the whole part, or else of one of its words.
fn misspelt<'a>(areas: &'a Areas, words: &[&str], home: Option<&str>) -> Option<Mention<'a>> {
    let telling = telling(words);
    let called_an_area = words.iter().any(|word| KINDS.contains(word));
    let whole = telling.join(" ");
    let singles = telling.iter().map(|word| (*word).to_owned());
    let tries = std::iter::once(whole).chain(singles.filter(|_| telling.len() > 1));
    tries
        .filter_map(|name| nearly(areas, &name, home))
        .min_by_key(|mention| mention.edits)
        .map(|mention| Mention {
            called_an_area,
            ..mention
        })
}

/// Returns the number of wrong letters allowed in a name of this length. Short names are too
/// similar to each other to guess.
fn edits_allowed(letters: usize) -> usize {
    match letters {
        0..=4 => 0,
        5..=7 => 1,
        8..=11 => 2,
        _ => 3,
    }
}

fn nearly<'a>(areas: &'a Areas, name: &str, home: Option<&str>) -> Option<Mention<'a>> {
    let letters = name.chars().count();
    let mut best = edits_allowed(letters);
    if best == 0 {
        return None;
    }
    let comparator = osa::BatchComparator::new(name.chars());
    let distance = |other: &str, cutoff: usize| {
        // The lengths alone rule most names out, without comparing letters.
        if other.len().abs_diff(name.len()) > cutoff {
            return None;
        }
        let arguments = osa::Args::default().score_cutoff(cutoff);
        comparator.distance_with_args(other.chars(), &arguments)
    };
    let mut spots: Vec<Spot<'a>> = Vec::new();
    let mut take = |edits: usize, found: Vec<Spot<'a>>| {
        if found.is_empty() {
            return;
        }
        if edits < best {
            best = edits;
            spots.clear();
        }
        spots.extend(found);
    };
    // Names at the same distance are all kept; the candidates are weighed later.
    let limit = edits_allowed(letters);
    for other in areas.names() {
        if let Some(edits) = distance(other, limit) {
            take(edits, areas.named(other).map(Spot::Area).collect());
        }
    }
    for (other, numbers) in GAZETTEER.names() {
        if let Some(edits) = distance(other, limit) {
            let likely = |town: &&Town| {
                town.population >= FUZZY_POPULATION_MIN || home == Some(town.country)
            };
            let towns = GAZETTEER.numbered(numbers).filter(likely);
            take(edits, towns.map(Spot::Town).collect());
        }
    }
    (!spots.is_empty()).then_some(Mention {
        spots,
        edits: best,
        called_an_area: false,
        slug: None,
    })
}
