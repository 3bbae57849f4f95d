//! A register of facilities and the search for the nearest of them. Hospitals have a globe of their own,
//! so that a search for one does not wade through health posts.

use std::collections::HashMap;

use lafiya_model::{Coordinate, FacilityLevel};
use serde::{Deserialize, Serialize};

use crate::distance::distance_km;
use crate::globe::Globe;
use crate::types::Types;

/// The register that is in the binary.
static EMBEDDED: &str = include_str!(concat!(env!("OUT_DIR"), "/register.txt"));
/// What answers say of where it comes from.
const EMBEDDED_SOURCE: &str = "Lafiya default register (own compilation from public knowledge)";

/// What a facility offers, as a set of the knowledge base's services.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Services(u64);

impl Services {
    pub(crate) fn from_numbers(numbers: impl Iterator<Item = usize>) -> Self {
        let bits = numbers.filter(|&number| number < 64);
        Self(bits.fold(0, |set, number| set | 1 << number))
    }

    /// Whether all of these are offered.
    pub fn include(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }

    /// Whether any of these is offered.
    pub fn touch(self, wanted: Self) -> bool {
        self.0 & wanted.0 != 0
    }

    /// Those of both.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those of either.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A facility as a register knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facility {
    /// The register's own id; empty where it has none.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Id of its kind in the knowledge base.
    pub kind: String,
    /// Where, in words.
    pub address: String,
    /// ISO code of the country; empty where not known.
    pub country: String,
    /// Where on the globe.
    pub position: Coordinate,
    /// Whether the position is that of the town and not of the house.
    pub approximate: bool,
    /// Its telephone, where known.
    pub phone: Option<String>,
    /// What users think of it, where known.
    pub rating: Option<f64>,
    /// Services beyond those usual for its kind, where known.
    pub services: Vec<String>,
    /// The register it comes from.
    pub source: String,
}

/// A facility and how far it is.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The facility.
    pub facility: &'a Facility,
    /// How much it can do.
    pub level: FacilityLevel,
    /// What it offers.
    pub services: Services,
    /// Where it is there for one thing only: what a patient must need one of.
    pub only_for: Option<Services>,
    /// Kilometres in a straight line.
    pub distance_km: f64,
}

/// How much a facility can do, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ability {
    level: FacilityLevel,
    services: Services,
    only_for: Option<Services>,
}

/// A facility in the index: short, so that those around stay in the caches.
struct Entry {
    /// Its place in the register.
    number: u32,
    /// The place of what it can do among the abilities.
    ability: u32,
}

/// Facilities, indexed.
pub struct Register {
    facilities: Vec<Facility>,
    /// Each once: many facilities can do the same.
    abilities: Vec<Ability>,
    hospitals: Globe<Entry>,
    others: Globe<Entry>,
    types: Types,
}

impl Register {
    /// Indexes facilities. One whose kind is not known counts as primary care: it is not sent an
    /// emergency.
    pub fn new(facilities: Vec<Facility>, types: Types) -> Self {
        let mut abilities: Vec<Ability> = Vec::new();
        let mut known: HashMap<Ability, u32> = HashMap::new();
        let (mut hospitals, mut others) = (Vec::new(), Vec::new());
        for (facility, number) in facilities.iter().zip(0_u32..) {
            let able = ability(facility, &types);
            let ability = *known.entry(able).or_insert_with(|| {
                abilities.push(able);
                abilities.len() as u32 - 1
            });
            let entry = (facility.position, Entry { number, ability });
            if able.level >= FacilityLevel::Hospital {
                hospitals.push(entry);
            } else {
                others.push(entry);
            }
        }
        Self {
            hospitals: Globe::of(hospitals.into_iter()),
            others: Globe::of(others.into_iter()),
            abilities,
            facilities,
            types,
        }
    }

    /// The register in the binary: referral, teaching and general hospitals of Africa.
    pub fn embedded(types: Types) -> Self {
        Self::new(
            EMBEDDED.lines().filter_map(embedded_facility).collect(),
            types,
        )
    }

    /// Every facility.
    pub fn facilities(&self) -> &[Facility] {
        &self.facilities
    }

    /// How many facilities it holds.
    pub fn len(&self) -> usize {
        self.facilities.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.facilities.is_empty()
    }

    /// The kinds of facilities it was indexed by.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Facilities of these levels, the nearest first.
    pub fn nearest<'a>(
        &'a self,
        from: Coordinate,
        levels: &[FacilityLevel],
    ) -> impl Iterator<Item = Found<'a>> + use<'a> {
        let wants = |hospitals: bool| {
            levels
                .iter()
                .any(|level| (*level >= FacilityLevel::Hospital) == hospitals)
        };
        let walk = |globe: &'a Globe<Entry>, wanted: bool| {
            let walk = wanted.then(|| globe.nearest(from));
            walk.into_iter().flatten().peekable()
        };
        let mut hospitals = walk(&self.hospitals, wants(true));
        let mut others = walk(&self.others, wants(false));
        let levels = levels.to_vec();
        let merged = std::iter::from_fn(move || match (hospitals.peek(), others.peek()) {
            (Some((_, a)), Some((_, b))) if a <= b => hospitals.next(),
            (_, Some(_)) => others.next(),
            _ => hospitals.next(),
        });
        merged.filter_map(move |(entry, distance_km)| self.found(entry, &levels, |_| distance_km))
    }

    /// A facility, if it is of one of these levels.
    fn found(
        &self,
        entry: &Entry,
        levels: &[FacilityLevel],
        distance_km: impl Fn(&Facility) -> f64,
    ) -> Option<Found<'_>> {
        let able = self.abilities[entry.ability as usize];
        if !levels.contains(&able.level) {
            return None;
        }
        let facility = &self.facilities[entry.number as usize];
        Some(Found {
            facility,
            level: able.level,
            services: able.services,
            only_for: able.only_for,
            distance_km: distance_km(facility),
        })
    }

    /// The nearest of these levels by looking at every one: what the tree is measured against.
    pub fn nearest_by_force(&self, from: Coordinate, levels: &[FacilityLevel]) -> Vec<Found<'_>> {
        let all = self.hospitals.things().iter().chain(self.others.things());
        let far = |facility: &Facility| distance_km(from, facility.position);
        let found = all.filter_map(|it| self.found(it, levels, far));
        let mut found: Vec<Found<'_>> = found.collect();
        found.sort_by(|a, b| a.distance_km.total_cmp(&b.distance_km));
        found
    }
}

fn ability(facility: &Facility, types: &Types) -> Ability {
    let own = types.services(facility.services.iter().map(String::as_str));
    match types.find(&facility.kind) {
        Some(kind) => {
            let usual = types.services(kind.services.iter().map(String::as_str));
            let one_thing = kind.only_for.as_ref().map(|ids| {
                let ids = types.services(ids.iter().map(String::as_str));
                ids.and(own.common(types.standing_alone()))
            });
            Ability {
                level: kind.level,
                services: usual.and(own),
                only_for: one_thing,
            }
        }
        None => Ability {
            level: FacilityLevel::Primary,
            services: own,
            only_for: None,
        },
    }
}

fn embedded_facility(line: &str) -> Option<Facility> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [
        country,
        name,
        kind,
        town,
        _region,
        latitude,
        longitude,
        position,
        services,
    ] = fields[..]
    else {
        return None;
    };
    Some(Facility {
        id: String::new(),
        name: name.to_owned(),
        kind: kind.to_owned(),
        address: town.to_owned(),
        country: country.to_owned(),
        position: Coordinate::new(latitude.parse().ok()?, longitude.parse().ok()?)?,
        approximate: position != "site",
        phone: None,
        rating: None,
        services: services.split_whitespace().map(str::to_owned).collect(),
        source: EMBEDDED_SOURCE.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_default_register_is_read() {
        let facilities: Vec<Facility> = EMBEDDED.lines().filter_map(embedded_facility).collect();
        assert_eq!(facilities.len(), EMBEDDED.lines().count());
        assert!(facilities.len() > 900);
        let nigerian = facilities.iter().filter(|it| it.country == "NG").count();
        assert!(nigerian > 280, "{nigerian}");
    }
}
