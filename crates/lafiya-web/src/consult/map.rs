//! A small map of the facilities near the patient, north up, with a scale. It needs no map server
//! and shows no streets. The patient's location is not stored: the point is recomputed from the
//! distances, for users who may see the case.

use lafiya_model::NearestFacility;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 26.0;
const KM_PER_DEGREE: f64 = 111.2;
/// Minimum width of the map in km, so that close points do not coincide.
const SPAN_KM_MIN: f64 = 0.5;
const STEPS: usize = 200;

/// The data of the map template.
pub(crate) struct Map {
    pub(crate) pins: Vec<Pin>,
    pub(crate) here: Option<Point>,
    pub(crate) scale_end: String,
    pub(crate) scale_text: String,
}

pub(crate) struct Pin {
    pub(crate) point: Point,
    pub(crate) number: usize,
}

pub(crate) struct Point {
    pub(crate) x: String,
    pub(crate) y: String,
}

/// Kilometres east and north of the first facility.
type Place = (f64, f64);

/// Builds the map; `None` if there are no facilities.
pub(crate) fn of(facilities: &[NearestFacility]) -> Option<Map> {
    let first = facilities.first()?;
    let squeeze = first.latitude.to_radians().cos();
    let places: Vec<Place> = facilities
        .iter()
        .map(|facility| {
            let east = (facility.longitude - first.longitude) * KM_PER_DEGREE * squeeze;
            (east, (facility.latitude - first.latitude) * KM_PER_DEGREE)
        })
        .collect();
    let distances: Vec<f64> = facilities
        .iter()
        .map(|facility| facility.distance_km)
        .collect();
    let here = here(&places, &distances);
    Some(drawn(&places, here))
}

/// Finds the point with these distances to the facilities; `None` if they do not determine one.
fn here(places: &[Place], distances: &[f64]) -> Option<Place> {
    if places.len() < 3 {
        return None;
    }
    let count = places.len() as f64;
    let (mut x, mut y) = places
        .iter()
        .fold((0.0, 0.0), |(x, y), place| (x + place.0, y + place.1));
    (x, y) = (x / count + 0.01, y / count + 0.02);
    for _ in 0..STEPS {
        let (mut dx, mut dy) = (0.0, 0.0);
        for (place, distance) in places.iter().zip(distances) {
            let (ex, ey) = (x - place.0, y - place.1);
            let length = ex.hypot(ey).max(1e-6);
            dx += ex / length * (distance - length);
            dy += ey / length * (distance - length);
        }
        (x, y) = (x + dx / count, y + dy / count);
    }
    let off =
        |(place, distance): (&Place, &f64)| ((x - place.0).hypot(y - place.1) - distance).abs();
    let worst = places.iter().zip(distances).map(off).fold(0.0, f64::max);
    let reach = distances.iter().copied().fold(0.0, f64::max);
    (worst < 0.1 * reach + 0.3).then_some((x, y))
}

fn drawn(places: &[Place], here: Option<Place>) -> Map {
    let all = || places.iter().copied().chain(here);
    let least = all().fold((f64::MAX, f64::MAX), |(x, y), it| {
        (it.0.min(x), it.1.min(y))
    });
    let most = all().fold((f64::MIN, f64::MIN), |(x, y), it| {
        (it.0.max(x), it.1.max(y))
    });
    let across = (most.0 - least.0).max(SPAN_KM_MIN);
    let up = (most.1 - least.1).max(SPAN_KM_MIN);
    let per_km = ((WIDTH - 2.0 * MARGIN) / across).min((HEIGHT - 3.0 * MARGIN) / up);
    let middle = ((least.0 + most.0) / 2.0, (least.1 + most.1) / 2.0);
    let point = |place: Place| Point {
        x: format!("{:.1}", WIDTH / 2.0 + (place.0 - middle.0) * per_km),
        y: format!(
            "{:.1}",
            (HEIGHT - MARGIN) / 2.0 - (place.1 - middle.1) * per_km
        ),
    };
    let scale_km = round_km(80.0 / per_km);
    let pins = places.iter().enumerate().map(|(at, &place)| Pin {
        point: point(place),
        number: at + 1,
    });
    Map {
        pins: pins.collect(),
        here: here.map(point),
        scale_end: format!("{:.1}", MARGIN + scale_km * per_km),
        scale_text: format!("{scale_km} km"),
    }
}

/// Returns the largest round number (1, 2 or 5 times a power of ten) that is at most `most`.
fn round_km(most: f64) -> f64 {
    let power = 10_f64.powf(most.log10().floor());
    let factor = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|factor| factor * power <= most);
    factor.unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_is_recovered_from_its_distances() {
        let places = [(0.0, 0.0), (4.0, 1.0), (-2.0, 3.0), (1.0, -5.0)];
        let truth = (1.5, 0.5);
        let distances: Vec<f64> = places
            .iter()
            .map(|place: &Place| (place.0 - truth.0).hypot(place.1 - truth.1))
            .collect();
        let (x, y) = here(&places, &distances).unwrap();
        assert!(
            (x - truth.0).abs() < 0.2 && (y - truth.1).abs() < 0.2,
            "{x} {y}"
        );
        assert!(here(&places[..2], &distances[..2]).is_none());
        assert!(
            here(&places, &[50.0, 1.0, 1.0, 1.0]).is_none(),
            "no point has these"
        );
    }

    #[test]
    fn map_scales_are_round_numbers() {
        for (most, expected) in [(0.9, 0.5), (1.0, 1.0), (7.3, 5.0), (34.0, 20.0)] {
            assert!((round_km(most) - expected).abs() < 1e-9, "{most}");
        }
    }
}
