//! Where the patient is and which facilities are near. The stated place does not leave this file:
//! the engine sees a region, the record contains facilities, and neither contains the place.

use lafiya_facilities::{Located, Need, Precision, nearest_facilities};
use lafiya_model::assessment::Warning;
use lafiya_model::{Age, Assessment, Case, NearestFacility};

use crate::authenticate::Caller;
use crate::concepts::concern;
use crate::context::Context;
use crate::library::Library;

/// Below this confidence the clinician is warned that the place is uncertain.
const DOUBTFUL_BELOW: f64 = 0.7;

/// The resolved location of a case, if it is known, and a warning for the clinician.
pub(crate) struct ResolvedLocation {
    place: Option<Located>,
    pub(crate) warning: Option<Warning<'static>>,
}

impl ResolvedLocation {
    /// Resolves the place of a case. Coordinates take precedence over a place name.
    pub(crate) fn of(context: &Context, library: &Library, caller: &Caller, case: &Case) -> Self {
        let words = case
            .location
            .as_deref()
            .filter(|location| !location.starts_with("sandbox:"));
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

    /// Returns the region's slug, which is all that the engine sees of the place.
    pub(crate) fn region(&self) -> Option<String> {
        self.place.as_ref()?.region.clone()
    }

    /// Returns the nearest facilities that meet the needs of the assessment.
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

/// Returns the region of a place name, as a tenant of this country means it.
pub(crate) fn region_of(
    context: &Context,
    library: &Library,
    of_tenant: Option<&str>,
    words: &str,
) -> Option<String> {
    let home = home_of(context, of_tenant);
    library.atlas.find(words, home)?.region
}

/// Returns the tenant's own country, or else the installation's default.
fn home_of<'a>(context: &'a Context, of_tenant: Option<&'a str>) -> Option<&'a str> {
    let home = of_tenant.unwrap_or(&context.home_country);
    Some(home).filter(|code| !code.is_empty())
}

/// Builds the warning about an unknown or uncertain place. It never quotes the place, which may
/// identify the patient.
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
