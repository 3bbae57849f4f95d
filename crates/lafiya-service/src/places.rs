//! Where the patient is and which facilities are near. The place as given goes no further than this
//! file: the engine sees a region, the record keeps facilities, neither keeps the place.

use lafiya_facilities::{Located, Need, Precision, nearest_facilities};
use lafiya_model::assessment::Warning;
use lafiya_model::{Age, Assessment, Case, NearestFacility};

use crate::authenticate::Caller;
use crate::concepts::concern;
use crate::context::Context;
use crate::library::Library;

/// Below this confidence the clinician is told that the place was read with doubt.
const DOUBTFUL_BELOW: f64 = 0.7;

/// The place of a case, if it is known, and what a clinician should know about it.
pub(crate) struct Whereabouts {
    place: Option<Located>,
    pub(crate) warning: Option<Warning<'static>>,
}

impl Whereabouts {
    /// Coordinates are stronger than words.
    pub(crate) fn of(context: &Context, library: &Library, caller: &Caller, case: &Case) -> Self {
        let words = case
            .location
            .as_deref()
            .filter(|it| !it.starts_with("sandbox:"));
        let home = home_of(context, caller.home_country.as_deref());
        let place = match (case.coordinate, words) {
            (Some(coordinate), _) => Some(library.atlas.at(coordinate)),
            (None, Some(words)) => library.atlas.find(words, home),
            (None, None) => {
                return Self {
                    place: None,
                    warning: None,
                };
            }
        };
        Self {
            warning: warning(place.as_ref()),
            place,
        }
    }

    /// The region's slug: all that reasoning may know of the place.
    pub(crate) fn region(&self) -> Option<String> {
        self.place.as_ref()?.region.clone()
    }

    /// The nearest facilities that can do what the assessment asks for.
    pub(crate) fn facilities(
        &self,
        context: &Context,
        library: &Library,
        age: Age,
        assessment: &Assessment<'_>,
    ) -> Vec<NearestFacility> {
        let Some(place) = &self.place else {
            return Vec::new();
        };
        let need = Need::of(library.base(), assessment, age);
        nearest_facilities(&context.facilities.load(), library.base(), place, &need)
    }
}

/// The region that words mean to somebody of this tenant.
pub(crate) fn region_of(
    context: &Context,
    library: &Library,
    of_tenant: Option<&str>,
    words: &str,
) -> Option<String> {
    let home = home_of(context, of_tenant);
    library.atlas.find(words, home)?.region
}

/// The tenant's own country, else the installation's.
fn home_of<'a>(context: &'a Context, of_tenant: Option<&'a str>) -> Option<&'a str> {
    let home = of_tenant.unwrap_or(&context.home_country);
    Some(home).filter(|code| !code.is_empty())
}

/// The place itself is never repeated: it may identify the patient.
fn warning(place: Option<&Located>) -> Option<Warning<'static>> {
    let says = match place {
        None => {
            "The place is not known; regional frequencies were not used and no facilities are shown."
        }
        Some(place) if place.region.is_none() => {
            "The place lies in no known region; regional frequencies were not used."
        }
        Some(place) if place.precision == Precision::Country => {
            "Only the country is known; no facilities are shown. Give a town or a region."
        }
        Some(place) if place.confidence < DOUBTFUL_BELOW => {
            "The place was read with some doubt; check that the region and the facilities are where the patient is."
        }
        Some(_) => return None,
    };
    Some(concern(says, Vec::new()))
}
