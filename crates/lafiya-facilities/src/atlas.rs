//! Resolves text or coordinates to a place. A name that is unknown, or that could be in two
//! countries, is not resolved: a wrong hospital is worse than none.

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::Coordinate;

use crate::areas::{Area, Areas};
use crate::candidates::choose;
use crate::gazetteer::GAZETTEER;
use crate::mentions::{Spot, mentions};

/// The maximum number of characters of a text that are read.
const TEXT_CHARACTERS_MAX: usize = 300;
/// Matches with a lower confidence are dropped.
const CONFIDENCE_MIN: f64 = 0.4;
/// Coordinates farther than this from any known town are not assigned to a country.
const TOWN_WITHIN_KM: f64 = 120.0;
const TOWN_NEAR_KM: f64 = 25.0;

/// The precision of a resolved location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Only the country.
    Country,
    /// The region; the position is that of its largest town.
    Region,
    /// The town or district.
    Town,
    /// Coordinates were given.
    Coordinates,
}

/// A resolved location.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The name of the town, region or country.
    pub name: String,
    /// The ISO code of the country.
    pub country: String,
    /// The name of the country; empty if it is not in the knowledge base.
    pub country_name: String,
    /// The slug of the region, or of the country if no region is known.
    pub region: Option<String>,
    /// The name of the region; empty if only the country is known.
    pub admin1: String,
    /// The name of the second-level administrative unit, if known.
    pub admin2: Option<String>,
    /// The coordinates; `None` for a whole country.
    pub position: Option<Coordinate>,
    /// The precision.
    pub precision: Precision,
    /// The confidence, 0 to 1.
    pub confidence: f64,
}

/// All places known by name.
pub struct Atlas {
    areas: Areas,
}

impl Atlas {
    /// Combines the gazetteer with the countries and regions of a knowledge base.
    pub fn new(base: &KnowledgeBase) -> Self {
        Self {
            areas: Areas::of(base),
        }
    }

    /// Returns the place that a text refers to. `home` is the ISO code of the country that is
    /// preferred for a name that exists in several.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_facilities::Atlas;
    ///
    /// let base = lafiya_content::load()?;
    /// let atlas = Atlas::new(&base);
    /// let kano = atlas.find("Kano", None).unwrap();
    /// assert_eq!((kano.country.as_str(), kano.region.as_deref()), ("NG", Some("kano")));
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
    pub fn find(&self, text: &str, home: Option<&str>) -> Option<Located> {
        let text: String = text.chars().take(TEXT_CHARACTERS_MAX).collect();
        let home = home.map(str::to_uppercase);
        let home = home.as_deref();
        let mentions = mentions(&self.areas, &text, home);
        let choice = choose(&mentions, home)?;
        if choice.confidence < CONFIDENCE_MIN {
            return None;
        }
        Some(match choice.spot {
            Spot::Area(area) => located_area(area, choice.confidence),
            Spot::Town(town) => {
                let mut place = self.in_region(town.country, town.region);
                place.name = town.name.to_owned();
                place.admin2 = Some(town.district.to_owned()).filter(|name| !name.is_empty());
                place.position = Some(town.position);
                place.precision = Precision::Town;
                place.confidence = choice.confidence;
                place
            }
        })
    }

    /// Returns the place at coordinates: the region of the nearest town. The coordinates are
    /// rounded to about a kilometre.
    pub fn at(&self, position: Coordinate) -> Located {
        let nearest = GAZETTEER
            .nearest(position)
            .filter(|(_, km)| *km <= TOWN_WITHIN_KM);
        let mut place = match nearest {
            Some((town, km)) => Located {
                admin2: Some(town.district.to_owned()).filter(|name| !name.is_empty()),
                confidence: if km <= TOWN_NEAR_KM { 0.9 } else { 0.6 },
                ..self.in_region(town.country, town.region)
            },
            None => Located {
                confidence: 0.5,
                ..self.in_region("", "")
            },
        };
        place.position = Some(position.coarse());
        place.precision = Precision::Coordinates;
        place
    }

    /// Whether a country with this ISO code is known.
    pub fn knows_country(&self, code: &str) -> bool {
        self.areas.country(code).is_some()
    }

    /// Returns the ISO code of the country with this name.
    pub fn country_code(&self, name: &str) -> Option<&str> {
        let named = self.areas.named_country(name)?;
        Some(&named.country)
    }

    fn in_region(&self, country: &str, region: &str) -> Located {
        let area = self
            .areas
            .region(region)
            .or_else(|| self.areas.country(country));
        match area {
            Some(area) => located_area(area, 0.0),
            None => Located {
                name: String::new(),
                country: country.to_owned(),
                country_name: String::new(),
                region: None,
                admin1: String::new(),
                admin2: None,
                position: None,
                precision: Precision::Country,
                confidence: 0.0,
            },
        }
    }
}

fn located_area(area: &Area, confidence: f64) -> Located {
    Located {
        name: area.name.clone(),
        country: area.country.clone(),
        country_name: area.country_name.clone(),
        region: Some(area.slug.clone()),
        admin1: if area.is_country {
            String::new()
        } else {
            area.name.clone()
        },
        admin2: None,
        position: area.position,
        precision: if area.is_country {
            Precision::Country
        } else {
            Precision::Region
        },
        confidence,
    }
}
