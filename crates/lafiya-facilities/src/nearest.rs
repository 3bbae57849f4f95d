//! Finds the nearest facilities that can help. The need determines which are suitable, and the
//! distance their order. Telephone, rating and opening hours are only returned if a register
//! contains them.

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Coordinate, FacilityLevel, NearestFacility, TriageLevel};

use crate::atlas::{Located, Precision};
use crate::need::Need;
use crate::register::{Found, Register};

/// The maximum number of facilities returned.
pub const FACILITIES_MAX: usize = 5;
/// The maximum distance of a facility.
const REACH_KM: f64 = 500.0;
/// From this distance on, a patient in an emergency is also shown a nearer facility for first
/// treatment.
const FAR_KM: f64 = 40.0;

/// Returns the facilities for a need, nearest first; none if the place has no coordinates.
pub fn nearest_facilities(
    register: &Register,
    base: &KnowledgeBase,
    place: &Located,
    need: &Need,
) -> Vec<NearestFacility> {
    let Some(from) = place.position else {
        return Vec::new();
    };
    let wanted = register
        .types()
        .services(need.services.iter().map(String::as_str));
    let usual = register
        .types()
        .services(need.usual.iter().map(String::as_str));
    let all = |levels: &[FacilityLevel], services| -> Vec<Found<'_>> {
        register
            .nearest(from, levels)
            .take_while(|found| found.distance_km <= REACH_KM)
            // After the limit of distance, so that a rare service is not searched for over a whole
            // continent.
            .filter(|found| found.services.include(services))
            .filter(|found| is_there_for(register, found, need))
            .take(FACILITIES_MAX)
            .collect()
    };
    let mut found = all(&need.levels, wanted);
    let mut has_services = !found.is_empty();
    if found.is_empty() {
        found = all(&need.levels, usual);
    }
    if found.is_empty() {
        found = all(&need.otherwise, Default::default());
        has_services = false;
    }
    let missing = missing_services(base, need);
    let mut answers: Vec<NearestFacility> = found
        .iter()
        .map(|found| {
            let caution = (!has_services && !missing.is_empty())
                .then(|| format!("Ask first whether it has what is needed: {missing}."));
            answer(register, place, need, found, caution)
        })
        .collect();
    if let Some(stop) = first_treatment(register, from, need, answers.first()) {
        let hint = "Not equipped for everything that is needed: for first treatment and a call ahead on the way.";
        answers.insert(
            0,
            answer(register, place, need, &stop, Some(hint.to_owned())),
        );
        // The farthest one gives way to the stop on the way.
        answers.truncate(FACILITIES_MAX);
    }
    answers
}

/// Whether a facility is for this patient: a specialised one only if the patient needs its
/// specialty, any other for everyone.
fn is_there_for(register: &Register, found: &Found<'_>, need: &Need) -> bool {
    match (found.only_for, &need.particular) {
        (Some(only_for), Some(ids)) => {
            let particular = register.types().services(ids.iter().map(String::as_str));
            only_for.touch(particular)
        }
        _ => true,
    }
}

/// Returns the nearest useful facility for an emergency whose suitable facility is far away, if it
/// is less than half as far.
fn first_treatment<'a>(
    register: &'a Register,
    from: Coordinate,
    need: &Need,
    right: Option<&NearestFacility>,
) -> Option<Found<'a>> {
    let right = right.filter(|facility| {
        need.urgency == TriageLevel::Emergency && facility.distance_km > FAR_KM
    })?;
    let levels = [
        FacilityLevel::Primary,
        FacilityLevel::Hospital,
        FacilityLevel::Referral,
    ];
    let usual = register
        .types()
        .services(need.usual.iter().map(String::as_str));
    register
        .nearest(from, &levels)
        .take_while(|found| found.distance_km < right.distance_km / 2.0)
        // A specialised hospital does not help a patient who needs something else.
        .find(|found| found.level == FacilityLevel::Primary || found.services.include(usual))
}

fn missing_services(base: &KnowledgeBase, need: &Need) -> String {
    let names = need
        .services
        .iter()
        .filter_map(|id| base.services().name_of(id));
    names.map(str::to_lowercase).collect::<Vec<_>>().join(", ")
}

fn answer(
    register: &Register,
    place: &Located,
    need: &Need,
    found: &Found<'_>,
    caution: Option<String>,
) -> NearestFacility {
    let facility = found.facility;
    let kind = register.types().find(&facility.kind);
    let distance_km = rounded(found.distance_km);
    NearestFacility {
        name: facility.name.clone(),
        address: facility.address.clone(),
        phone: facility.phone.clone(),
        kind: kind.map_or_else(|| facility.kind.clone(), |kind| kind.name.clone()),
        level: found.level,
        distance_km,
        rating: facility.rating,
        // No register has opening hours.
        open_now: None,
        travel_hint: travel_hint(place, need, distance_km, facility.approximate, caution),
        latitude: facility.position.latitude,
        longitude: facility.position.longitude,
        source: facility.source.clone(),
    }
}

/// Rounds to tenths below 10 km and to whole kilometres above. The data are not more precise, and
/// exact distances to several facilities would reveal the patient's position.
fn rounded(km: f64) -> f64 {
    if km < 10.0 {
        (km * 10.0).round() / 10.0
    } else {
        km.round()
    }
}

fn travel_hint(
    place: &Located,
    need: &Need,
    km: f64,
    approximate: bool,
    caution: Option<String>,
) -> String {
    let about = match place.precision {
        Precision::Region | Precision::Country => "from the main town of the region",
        Precision::Town => "from the middle of the town",
        Precision::Coordinates => "from the position given",
    };
    let mut hint = if km < 1.0 {
        format!("Within about a kilometre, measured {about}.")
    } else {
        format!("About {km} km in a straight line {about}; by road it is usually a third more.")
    };
    if approximate {
        hint.push_str(" Where in the town it lies is not known.");
    }
    if need.urgency == TriageLevel::Emergency {
        hint.push_str(if km > FAR_KM {
            " Set off now, do not travel alone, and stop at the nearest health facility on the way for first treatment."
        } else {
            " Set off now; call ahead if you can."
        });
    } else {
        hint.push_str(" Check that it is open before you travel.");
    }
    if let Some(caution) = caution {
        hint.push(' ');
        hint.push_str(&caution);
    }
    hint
}
