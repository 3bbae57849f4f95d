//! Distances on the earth. Points are stored on the unit sphere, so that the antimeridian and the
//! poles need no special cases.

use lafiya_model::Coordinate;

/// The mean radius of the earth.
const EARTH_RADIUS_KM: f64 = 6371.0088;

/// Returns the great-circle distance in kilometres (haversine formula). It is symmetric, and
/// accurate for short distances too.
///
/// # Example
///
/// ```
/// use lafiya_facilities::distance_km;
/// use lafiya_model::Coordinate;
///
/// let kano = Coordinate::new(12.0, 8.52).unwrap();
/// let lagos = Coordinate::new(6.45, 3.39).unwrap();
/// assert!((800.0..900.0).contains(&distance_km(kano, lagos)));
/// ```
pub fn distance_km(a: Coordinate, b: Coordinate) -> f64 {
    let (lat_a, lat_b) = (a.latitude.to_radians(), b.latitude.to_radians());
    let north = (lat_b - lat_a).abs() / 2.0;
    let east = (b.longitude - a.longitude).abs().to_radians() / 2.0;
    let chord = north.sin().powi(2) + lat_a.cos() * lat_b.cos() * east.sin().powi(2);
    2.0 * EARTH_RADIUS_KM * chord.clamp(0.0, 1.0).sqrt().asin()
}

/// Returns the point on the unit sphere. Euclidean distances there have the same order as distances
/// on the earth.
pub(crate) fn on_sphere(position: Coordinate) -> [f64; 3] {
    let (latitude, longitude) = (
        position.latitude.to_radians(),
        position.longitude.to_radians(),
    );
    [
        latitude.cos() * longitude.cos(),
        latitude.cos() * longitude.sin(),
        latitude.sin(),
    ]
}

/// Converts a squared chord of the unit sphere to kilometres.
pub(crate) fn chord_km(chord_2: f64) -> f64 {
    2.0 * EARTH_RADIUS_KM * (chord_2.max(0.0).sqrt() / 2.0).min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(latitude: f64, longitude: f64) -> Coordinate {
        Coordinate::new(latitude, longitude).unwrap()
    }

    #[test]
    fn lagos_is_838_km_from_kano() {
        let km = distance_km(at(6.4541, 3.3947), at(12.0001, 8.5167));
        assert!((km - 838.0).abs() < 5.0, "{km}");
    }

    #[test]
    fn distance_crosses_the_antimeridian() {
        let km = distance_km(at(0.0, 179.9), at(0.0, -179.9));
        assert!((km - 22.24).abs() < 0.1, "{km}");
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_bounded(a in -90.0..=90.0_f64, b in -180.0..=180.0_f64, c in -90.0..=90.0_f64, d in -180.0..=180.0_f64) {
            let (one, other) = (at(a, b), at(c, d));
            let there = distance_km(one, other);
            prop_assert_eq!(there, distance_km(other, one));
            prop_assert!((0.0..=20_016.0).contains(&there));
            prop_assert_eq!(distance_km(one, one), 0.0);
        }

        #[test]
        fn chord_and_great_circle_distances_agree(a in -90.0..=90.0_f64, b in -180.0..=180.0_f64, c in -90.0..=90.0_f64, d in -180.0..=180.0_f64) {
            let (one, other) = (at(a, b), at(c, d));
            let (p, q) = (on_sphere(one), on_sphere(other));
            let chord_2: f64 = p.iter().zip(q).map(|(x, y)| (x - y).powi(2)).sum();
            prop_assert!((chord_km(chord_2) - distance_km(one, other)).abs() < 0.5);
        }
    }
}
