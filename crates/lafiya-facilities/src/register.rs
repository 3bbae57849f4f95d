//! A register of facilities and the search for the nearest of them. The R*-tree holds points of the
//! unit sphere; hospitals have a tree of their own, so that a search for one does not wade through
//! health posts.

use lafiya_model::{Coordinate, FacilityLevel};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use serde::{Deserialize, Serialize};

use crate::distance::{chord_km, distance_km, on_sphere};
use crate::types::Types;

/// The register that is in the binary.
static EMBEDDED: &str = include_str!(concat!(env!("OUT_DIR"), "/register.txt"));
/// What answers say of where it comes from.
const EMBEDDED_SOURCE: &str = "Lafiya default register (own compilation from public knowledge)";

/// What a facility offers, as a set of the knowledge base's services.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Kilometres in a straight line.
    pub distance_km: f64,
}

/// Points of single precision are half a metre off at most, and half as many bytes to walk through.
type Tree = RTree<GeomWithData<[f32; 3], u32>>;

fn point(position: Coordinate) -> [f32; 3] {
    on_sphere(position).map(|it| it as f32)
}

/// Facilities, indexed.
pub struct Register {
    facilities: Vec<Facility>,
    abilities: Vec<(FacilityLevel, Services)>,
    hospitals: Tree,
    others: Tree,
    types: Types,
}

impl Register {
    /// Indexes facilities. One whose kind is not known counts as primary care: it is not sent an
    /// emergency.
    pub fn new(facilities: Vec<Facility>, types: Types) -> Self {
        let abilities: Vec<(FacilityLevel, Services)> =
            facilities.iter().map(|it| abilities(it, &types)).collect();
        let points = |wanted: &dyn Fn(FacilityLevel) -> bool| {
            let all = facilities.iter().zip(&abilities).zip(0_u32..);
            let points = all.filter(|((_, (level, _)), _)| wanted(*level));
            let points = points
                .map(|((facility, _), number)| GeomWithData::new(point(facility.position), number));
            RTree::bulk_load(points.collect())
        };
        Self {
            hospitals: points(&|level| level >= FacilityLevel::Hospital),
            others: points(&|level| level < FacilityLevel::Hospital),
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
        let point = point(from);
        let walk = |tree: &'a Tree, wanted: bool| {
            wanted
                .then(|| tree.nearest_neighbor_iter_with_distance_2(point))
                .into_iter()
                .flatten()
        };
        let mut hospitals = walk(&self.hospitals, wants(true)).peekable();
        let mut others = walk(&self.others, wants(false)).peekable();
        let levels = levels.to_vec();
        let merged = std::iter::from_fn(move || match (hospitals.peek(), others.peek()) {
            (Some((_, a)), Some((_, b))) if a <= b => hospitals.next(),
            (_, Some(_)) => others.next(),
            _ => hospitals.next(),
        });
        merged.filter_map(move |(point, chord_2)| {
            let facility = self.facilities.get(point.data as usize)?;
            let (level, services) = *self.abilities.get(point.data as usize)?;
            levels.contains(&level).then_some(Found {
                facility,
                level,
                services,
                distance_km: chord_km(chord_2.into()),
            })
        })
    }

    /// The nearest of these levels by looking at every one: what the tree is measured against.
    pub fn nearest_by_force(&self, from: Coordinate, levels: &[FacilityLevel]) -> Vec<Found<'_>> {
        let all = self.facilities.iter().zip(&self.abilities);
        let mut found: Vec<Found<'_>> = all
            .filter(|(_, (level, _))| levels.contains(level))
            .map(|(facility, &(level, services))| Found {
                facility,
                level,
                services,
                distance_km: distance_km(from, facility.position),
            })
            .collect();
        found.sort_by(|a, b| a.distance_km.total_cmp(&b.distance_km));
        found
    }
}

fn abilities(facility: &Facility, types: &Types) -> (FacilityLevel, Services) {
    let own = types.services(facility.services.iter().map(String::as_str));
    match types.find(&facility.kind) {
        Some(kind) => {
            let usual = types.services(kind.services.iter().map(String::as_str));
            (kind.level, usual.and(own))
        }
        None => (FacilityLevel::Primary, own),
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
