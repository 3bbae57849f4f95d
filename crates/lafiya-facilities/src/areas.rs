//! The countries and regions of the knowledge base, indexed by all their names.

use std::collections::HashMap;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::Coordinate;

use crate::fold::fold;
use crate::gazetteer::{GAZETTEER, Town};

/// Words for a kind of area, in the languages of the continent.
pub(crate) const KINDS: &[&str] = &[
    "state",
    "region",
    "province",
    "county",
    "district",
    "governorate",
    "prefecture",
    "department",
    "departement",
    "wilaya",
    "provincia",
    "regiao",
    "gouvernorat",
    "mkoa",
    "jimbo",
    "territory",
    "emirate",
    "jihar",
    "ipinle",
];

/// A country or region.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    /// The slug used in the API.
    pub(crate) slug: String,
    pub(crate) name: String,
    /// ISO code.
    pub(crate) country: String,
    pub(crate) country_name: String,
    pub(crate) is_country: bool,
    /// The position of its largest town. A country is too large for a single position.
    pub(crate) position: Option<Coordinate>,
}

#[derive(Default)]
pub(crate) struct Areas {
    list: Vec<Area>,
    by_name: HashMap<String, Vec<usize>>,
    by_slug: HashMap<String, usize>,
    /// Maps lower-case ISO codes to countries.
    by_code: HashMap<String, usize>,
}

impl Areas {
    pub(crate) fn of(base: &KnowledgeBase) -> Self {
        let capitals = largest_towns();
        let mut areas = Self::default();
        for place in base.places() {
            let is_country = place.name == place.country_name
                && !areas.by_code.contains_key(&place.country.to_lowercase());
            let at = areas.list.len();
            let largest = capitals.get(&(place.country.as_str(), place.slug.as_str()));
            areas.list.push(Area {
                slug: place.slug.clone(),
                name: place.name.clone(),
                country: place.country.clone(),
                country_name: place.country_name.clone(),
                is_country,
                position: largest.filter(|_| !is_country).map(|town| town.position),
            });
            areas.by_slug.insert(place.slug.clone(), at);
            if is_country {
                areas.by_code.insert(place.country.to_lowercase(), at);
            }
            let slug_words = [place.slug.clone()];
            for name in slug_words
                .iter()
                .chain([&place.name])
                .chain(&place.synonyms)
            {
                areas.enter(&fold(name), at);
            }
        }
        areas
    }

    /// Indexes an area by its name, and by its name without the word for its kind.
    fn enter(&mut self, folded: &str, at: usize) {
        let words: Vec<&str> = folded.split(' ').collect();
        let bare: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !KINDS.contains(word))
            .collect();
        for name in [folded.to_owned(), bare.join(" ")] {
            if name.is_empty() {
                continue;
            }
            let places = self.by_name.entry(name).or_default();
            if !places.contains(&at) {
                places.push(at);
            }
        }
    }

    pub(crate) fn named(&self, folded: &str) -> impl Iterator<Item = &Area> {
        let numbers = self.by_name.get(folded).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|&at| self.list.get(at))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the country with an ISO code. Case does not matter.
    pub(crate) fn country(&self, code: &str) -> Option<&Area> {
        self.list.get(*self.by_code.get(&code.to_lowercase())?)
    }

    /// Returns the country with this name.
    pub(crate) fn named_country(&self, name: &str) -> Option<&Area> {
        self.named(&fold(name)).find(|area| area.is_country)
    }

    pub(crate) fn region(&self, slug: &str) -> Option<&Area> {
        self.list.get(*self.by_slug.get(slug)?)
    }
}

/// Returns the largest town of each region, by country and slug.
fn largest_towns() -> HashMap<(&'static str, &'static str), &'static Town> {
    let mut largest: HashMap<_, &'static Town> = HashMap::new();
    for town in GAZETTEER.towns() {
        let known = largest.entry((town.country, town.region)).or_insert(town);
        if town.population > known.population {
            *known = town;
        }
    }
    largest
}
