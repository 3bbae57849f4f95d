//! Places: slugs with their country and belts, and the multipliers that depend on them.

use std::collections::HashMap;

use super::directory::Directory;
use super::index::{BeltIx, ConceptRef, RiskIx};
use crate::schema::{self, Belt, Country};
use crate::words::Setting;

/// A country or region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Lower case, as accepted and returned by the API.
    pub slug: String,
    /// The name.
    pub name: String,
    /// Two-letter ISO code of the country.
    pub country: String,
    /// Name of the country.
    pub country_name: String,
    /// The belts that it belongs to.
    pub belts: Vec<BeltIx>,
    /// Risk factors implied by its belts, without those that follow from them.
    pub implies: Vec<RiskIx>,
    /// Set if nearly everyone there lives in this setting.
    pub setting: Option<Setting>,
    /// Other names and spellings.
    pub synonyms: Vec<String>,
}

/// A multiplier of a prior, with resolved indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// In this belt.
    pub belt: Option<BeltIx>,
    /// In these months (1 to 12); empty means all year.
    pub months: Vec<u8>,
    /// In this setting.
    pub setting: Option<Setting>,
    /// The multiplier.
    pub by: f32,
}

impl Times {
    /// Whether it applies. It does not if what it depends on is unknown: the prior itself is meant
    /// for an unknown place and month.
    #[inline]
    pub fn applies(&self, belts: &[BeltIx], month: Option<u8>, setting: Option<Setting>) -> bool {
        self.belt.is_none_or(|belt| belts.contains(&belt))
            && (self.months.is_empty() || month.is_some_and(|month| self.months.contains(&month)))
            && self.setting.is_none_or(|wanted| setting == Some(wanted))
    }

    /// Resolves a multiplier. One with an unknown belt is left out, so it applies nowhere.
    pub(super) fn compile(written: &schema::Times, directory: &Directory) -> Option<Self> {
        let belt = match &written.belt {
            Some(id) => Some(directory.belt(id)?),
            None => None,
        };
        Some(Self {
            belt,
            months: written.months.clone(),
            setting: written.setting,
            by: written.by,
        })
    }
}

/// Every place by its slug.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) list: Vec<Place>,
    by_slug: HashMap<String, usize>,
}

impl Places {
    pub(super) fn find(&self, slug: &str) -> Option<&Place> {
        self.by_slug.get(slug).map(|&at| &self.list[at])
    }

    pub(super) fn of(countries: &[Country], belts: &[Belt], directory: &Directory) -> Self {
        let mut places = Self::default();
        for country in countries {
            let whole = whole_country(country, directory);
            let code = country.country.to_lowercase();
            places.enter(whole.clone(), &[code]);
            for region in &country.region {
                places.enter(region_of(&whole, region, directory), &[]);
            }
        }
        for place in &mut places.list {
            place.implies = implied_by(&place.belts, belts, directory);
        }
        places
    }

    /// Adds a place. The first place with a slug keeps it; later ones are only found as
    /// `slug-countrycode`.
    fn enter(&mut self, place: Place, further: &[String]) {
        let at = self.list.len();
        let long = format!("{}-{}", place.slug, place.country.to_lowercase());
        for slug in further.iter().chain([&place.slug, &long]) {
            self.by_slug.entry(slug.clone()).or_insert(at);
        }
        self.list.push(place);
    }
}

fn whole_country(country: &Country, directory: &Directory) -> Place {
    Place {
        slug: slug(&country.name),
        name: country.name.clone(),
        country: country.country.to_uppercase(),
        country_name: country.name.clone(),
        belts: country
            .belts
            .iter()
            .filter_map(|id| directory.belt(id))
            .collect(),
        implies: Vec::new(),
        setting: None,
        synonyms: country.synonyms.clone(),
    }
}

fn region_of(country: &Place, region: &schema::Region, directory: &Directory) -> Place {
    let without: Vec<BeltIx> = region
        .without
        .iter()
        .filter_map(|id| directory.belt(id))
        .collect();
    let mut belts: Vec<BeltIx> = country
        .belts
        .iter()
        .copied()
        .filter(|belt| !without.contains(belt))
        .collect();
    for belt in region.belts.iter().filter_map(|id| directory.belt(id)) {
        if !belts.contains(&belt) {
            belts.push(belt);
        }
    }
    Place {
        slug: region.slug.clone(),
        name: region.name.clone(),
        belts,
        implies: Vec::new(),
        setting: region.setting,
        synonyms: region.synonyms.clone(),
        country: country.country.clone(),
        country_name: country.country_name.clone(),
    }
}

/// Returns the risk factors that these belts imply, without duplicates.
fn implied_by(of_place: &[BeltIx], belts: &[Belt], directory: &Directory) -> Vec<RiskIx> {
    let ids = of_place.iter().flat_map(|ix| &belts[ix.index()].implies);
    let risks = ids.filter_map(|id| directory.exact(id).and_then(ConceptRef::risk));
    let mut implied: Vec<RiskIx> = risks.collect();
    implied.sort_unstable();
    implied.dedup();
    implied
}

/// Returns a name in lower case with hyphens: `Côte d'Ivoire` becomes `cote-d-ivoire`.
pub(crate) fn slug(name: &str) -> String {
    let small = name.to_lowercase();
    let plain = small.chars().map(|c| match c {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    });
    let joined: String = plain.collect();
    joined
        .split('-')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}
