//! A register of facilities and the search for the nearest ones. Hospitals have a separate spatial
//! index, so that a search for one does not visit health posts.

use std::collections::HashMap;

use lafiya_model::{Coordinate, FacilityLevel};
use serde::{Deserialize, Serialize};

use crate::distance::distance_km;
use crate::spatial_index::SpatialIndex;
use crate::types::Types;

/// The register embedded in the binary.
static EMBEDDED: &str = include_str!(concat!(env!("OUT_DIR"), "/register.txt"));
/// The source stated in answers.
const EMBEDDED_SOURCE: &str = "Lafiya default register (own compilation from public knowledge)";

/// The services of a facility, as a bit set over the knowledge base's services.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Services(u64);

impl Services {
    pub(crate) fn from_numbers(numbers: impl Iterator<Item = usize>) -> Self {
        let bits = numbers.filter(|&number| number < 64);
        Self(bits.fold(0, |set, number| set | 1 << number))
    }

    /// Whether all of these services are offered.
    pub fn include(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }

    /// Whether any of these services is offered.
    pub fn touch(self, wanted: Self) -> bool {
        self.0 & wanted.0 != 0
    }

    /// Returns the intersection.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the union.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A facility in a register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facility {
    /// The register's own id; empty if there is none.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The id of its type in the knowledge base.
    pub kind: String,
    /// The address as text.
    pub address: String,
    /// The ISO code of the country; empty if unknown.
    pub country: String,
    /// The coordinates.
    pub position: Coordinate,
    /// Whether the coordinates are those of the town instead of the building.
    pub approximate: bool,
    /// The telephone number, if known.
    pub phone: Option<String>,
    /// The users' rating, if known.
    pub rating: Option<f64>,
    /// Services beyond those usual for its type, if known.
    pub services: Vec<String>,
    /// The register that it comes from.
    pub source: String,
}

/// A facility and its distance.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The facility.
    pub facility: &'a Facility,
    /// The level of care.
    pub level: FacilityLevel,
    /// The services offered.
    pub services: Services,
    /// For a specialised facility: the services of which a patient must need one.
    pub only_for: Option<Services>,
    /// The straight-line distance in kilometres.
    pub distance_km: f64,
}

/// The level of care, the services and the specialty of a facility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ability {
    level: FacilityLevel,
    services: Services,
    only_for: Option<Services>,
}

/// A facility in the index. It is small, so that neighbours stay in the processor's caches.
struct Entry {
    /// Its position in the register.
    number: u32,
    /// The position of its entry in `abilities`.
    ability: u32,
}

/// An indexed register of facilities.
pub struct Register {
    facilities: Vec<Facility>,
    /// Without duplicates: many facilities have the same one.
    abilities: Vec<Ability>,
    hospitals: SpatialIndex<Entry>,
    others: SpatialIndex<Entry>,
    types: Types,
}

impl Register {
    /// Indexes facilities. A facility of unknown type counts as primary care, so that no emergency
    /// is sent to it.
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
            hospitals: SpatialIndex::of(hospitals.into_iter()),
            others: SpatialIndex::of(others.into_iter()),
            abilities,
            facilities,
            types,
        }
    }

    /// Returns the register embedded in the binary: referral, teaching and general hospitals of
    /// Africa.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_facilities::{Register, Types};
    ///
    /// let base = lafiya_content::load()?;
    /// let register = Register::embedded(Types::of(&base));
    /// assert!(register.facilities().iter().any(|facility| facility.country == "NG"));
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
    pub fn embedded(types: Types) -> Self {
        Self::new(
            EMBEDDED.lines().filter_map(embedded_facility).collect(),
            types,
        )
    }

    /// Returns every facility.
    pub fn facilities(&self) -> &[Facility] {
        &self.facilities
    }

    /// Returns the number of facilities.
    pub fn len(&self) -> usize {
        self.facilities.len()
    }

    /// Whether the register is empty.
    pub fn is_empty(&self) -> bool {
        self.facilities.is_empty()
    }

    /// Returns the facility types that it was indexed with.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Returns the facilities of these levels, nearest first.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_facilities::{Register, Types};
    /// use lafiya_model::{Coordinate, FacilityLevel};
    ///
    /// let base = lafiya_content::load()?;
    /// let register = Register::embedded(Types::of(&base));
    /// let kano = Coordinate::new(12.0, 8.52).unwrap();
    /// let nearest = register.nearest(kano, &[FacilityLevel::Hospital]).next().unwrap();
    /// assert!(nearest.distance_km < 50.0);
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
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
        let walk = |spatial_index: &'a SpatialIndex<Entry>, wanted: bool| {
            let walk = wanted.then(|| spatial_index.nearest(from));
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

    /// Returns a facility if it has one of these levels.
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

    /// Returns the nearest facilities of these levels by brute force, as a baseline for tests and
    /// benchmarks of the index.
    pub fn nearest_by_force(&self, from: Coordinate, levels: &[FacilityLevel]) -> Vec<Found<'_>> {
        let all = self.hospitals.things().iter().chain(self.others.things());
        let far = |facility: &Facility| distance_km(from, facility.position);
        let found = all.filter_map(|seen| self.found(seen, levels, far));
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
        let nigerian = facilities
            .iter()
            .filter(|facility| facility.country == "NG")
            .count();
        assert!(nigerian > 280, "{nigerian}");
    }
}
