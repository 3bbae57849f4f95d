//! The embedded gazetteer: towns and villages of Africa (GeoNames, CC BY 4.0) and districts of its
//! large cities (own compilation). It is used in place: nothing is copied or sorted at startup.

use std::sync::{LazyLock, OnceLock};

use lafiya_model::Coordinate;

use crate::spatial_index::SpatialIndex;

static TOWNS: &str = include_str!(concat!(env!("OUT_DIR"), "/towns.txt"));
static NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/names.txt"));

/// The gazetteer in the binary.
pub(crate) static GAZETTEER: LazyLock<Gazetteer> = LazyLock::new(Gazetteer::read);

/// A town, village or district of a city.
#[derive(Clone, Debug)]
pub(crate) struct Town {
    pub(crate) name: &'static str,
    /// The slug of the region, as in the knowledge base; empty if there is none.
    pub(crate) region: &'static str,
    /// ISO code of the country.
    pub(crate) country: &'static str,
    pub(crate) position: Coordinate,
    /// 0 if unknown.
    pub(crate) population: u32,
    /// The second-level administrative unit; empty if unknown.
    pub(crate) district: &'static str,
}

pub(crate) struct Gazetteer {
    towns: Vec<Town>,
    /// Folded names in order, each with the numbers of its towns.
    names: Vec<(&'static str, &'static str)>,
    spatial_index: OnceLock<SpatialIndex<u32>>,
}

impl Gazetteer {
    fn read() -> Self {
        let names = NAMES.lines().filter_map(|line| line.split_once('\t'));
        Self {
            towns: TOWNS.lines().filter_map(read_town).collect(),
            names: names.collect(),
            spatial_index: OnceLock::new(),
        }
    }

    pub(crate) fn towns(&self) -> &[Town] {
        &self.towns
    }

    /// Returns the towns with exactly this folded name.
    pub(crate) fn named(&self, folded: &str) -> impl Iterator<Item = &Town> {
        let numbers = self
            .names
            .binary_search_by(|(name, _)| (*name).cmp(folded))
            .map_or("", |at| self.names[at].1);
        self.numbered(numbers)
    }

    /// Returns every folded name with the list of its towns.
    pub(crate) fn names(&self) -> &[(&'static str, &'static str)] {
        &self.names
    }

    /// Returns the towns in a list of numbers, as returned by `names`.
    pub(crate) fn numbered<'a>(&'a self, numbers: &'a str) -> impl Iterator<Item = &'a Town> {
        numbers
            .split(' ')
            .filter_map(|number| self.towns.get(number.parse::<usize>().ok()?))
    }

    /// Returns the nearest town and its distance. The spatial index is built on first use, because
    /// most requests contain text instead of coordinates.
    pub(crate) fn nearest(&self, position: Coordinate) -> Option<(&Town, f64)> {
        let spatial_index = self.spatial_index.get_or_init(|| {
            let towns = self.towns.iter().zip(0_u32..);
            SpatialIndex::of(towns.map(|(town, number)| (town.position, number)))
        });
        let (number, km) = spatial_index.nearest(position).next()?;
        Some((self.towns.get(*number as usize)?, km))
    }
}

fn read_town(line: &'static str) -> Option<Town> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    let (name, region, country) = (next()?, next()?, next()?);
    let degrees = |text: &str| {
        text.parse::<i32>()
            .ok()
            .map(|number| f64::from(number) / 1e4)
    };
    Some(Town {
        name,
        region,
        country,
        position: Coordinate::new(degrees(next()?)?, degrees(next()?)?)?,
        population: next()?.parse().ok()?,
        district: next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_gazetteer_is_read() {
        assert_eq!(GAZETTEER.towns.len(), TOWNS.lines().count());
        assert!(GAZETTEER.towns.len() > 13_000);
        assert!(GAZETTEER.names.is_sorted());
    }

    #[test]
    fn the_nearest_town_to_a_point_in_kano_is_in_kano() {
        let (town, km) = GAZETTEER
            .nearest(Coordinate::new(11.99, 8.52).unwrap())
            .unwrap();
        assert_eq!((town.country, town.region), ("NG", "kano"));
        assert!(km < 10.0);
    }
}
