//! Tests registers in every supported format, their errors, and one as large as the largest public
//! one.

// In tests, a panic with the reason is the right response to a missing or wrong value.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use lafiya_facilities::import::{self, Imported, Mapping};
use lafiya_facilities::{Atlas, Facility, Register, RegisterFile, Types};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Coordinate, FacilityLevel};

struct Given {
    atlas: Atlas,
    types: Types,
}

impl Given {
    fn new() -> Self {
        let base: KnowledgeBase = lafiya_content::load().unwrap();
        Self {
            atlas: Atlas::new(&base),
            types: Types::of(&base),
        }
    }

    fn read(&self, text: &str, mapping: &Mapping) -> Result<Imported, import::ImportError> {
        import::read(
            text,
            mapping,
            "test list",
            &self.atlas,
            &self.types,
            &mut |_| {},
        )
    }

    fn csv(&self, text: &str) -> Imported {
        self.read(text, &Mapping::default()).unwrap()
    }
}

#[test]
fn a_csv_is_read_and_bad_rows_are_reported_by_line() {
    let given = Given::new();
    let found = given.csv(
        "country,admin1,name,type,lat,lon,phone\n\
         NG,Kano,Wudil General Hospital,Hospital,11.81,8.84,\n\
         NG,Kano,,Hospital,11.81,8.84,\n\
         NG,Kano,Nowhere Clinic,Clinic,abc,8.84,\n\
         NG,Kano,Null Island Clinic,Clinic,0,0,\n\
         NG,Kano,Far Off,Clinic,95,8.84,\n\
         KE,Kisumu,Ahero Health Centre,Health Centre,-0.17,34.92,+254700000000\n",
    );
    let errors: Vec<(u64, &str)> = found
        .errors
        .iter()
        .map(|error| (error.line, error.reason.as_str()))
        .collect();
    assert_eq!(errors[0], (3, "has no name"));
    assert_eq!(errors[1], (4, "has a latitude that is not a number"));
    assert_eq!(errors[2].0, 5);
    assert_eq!(errors[3].0, 6);
    assert_eq!(
        (found.rows, found.failed, found.facilities.len()),
        (6, 4, 2)
    );
    assert_eq!(found.facilities[0].kind, "general_hospital");
    assert_eq!(found.facilities[1].kind, "health_centre");
    assert_eq!(found.facilities[1].phone.as_deref(), Some("+254700000000"));
    assert_eq!(found.facilities[1].address, "Kisumu");
}

#[test]
fn a_mapping_renames_columns_and_types_and_skips_rows() {
    let given = Given::new();
    let mapping = Mapping::from_toml(
        r#"
        source = "National list"
        delimiter = ";"
        country = "GH"
        address = ["Ort"]
        columns = { name = "Einrichtung", latitude = "Breite", longitude = "Laenge", type = "Art" }
        types = { "CHPS Zone" = "health_post" }
        skip = { Stand = ["closed"] }
        "#,
        &given.types,
    )
    .unwrap();
    let text = "Einrichtung;Art;Breite;Laenge;Ort;Stand\n\
                Nima CHPS;CHPS Zone;5,58;-0,19;Nima;open\n\
                Old Post;CHPS Zone;5.6;-0.2;Nima;closed\n";
    let found = given.read(text, &mapping).unwrap();
    assert_eq!((found.facilities.len(), found.skipped), (1, 1));
    let post = &found.facilities[0];
    assert_eq!(
        (
            post.kind.as_str(),
            post.country.as_str(),
            post.address.as_str()
        ),
        ("health_post", "GH", "Nima")
    );
    for wrong in [
        "columns = { nmae = \"x\" }",
        "types = { a = \"palace\" }",
        "colums = {}",
        "=",
    ] {
        assert!(Mapping::from_toml(wrong, &given.types).is_err(), "{wrong}");
    }
}

#[test]
fn a_missing_required_column_is_named() {
    let refused = Given::new()
        .read("name,type\nX,Clinic\n", &Mapping::default())
        .unwrap_err();
    assert!(refused.to_string().contains("latitude"), "{refused}");
    assert!(refused.to_string().contains("name, type"), "{refused}");
}

#[test]
fn geojson_points_and_outlines_are_read() {
    let given = Given::new();
    let found = given.csv(
        r#"{"type": "FeatureCollection", "features": [
  {"type": "Feature", "properties": {"name": "Point Clinic", "amenity": "clinic", "osm_id": 7},
   "geometry": {"type": "Point", "coordinates": [3.35, 6.6]}},
  {"type": "Feature", "properties": {"name": "Outline Hospital", "amenity": "hospital"},
   "geometry": {"type": "Polygon", "coordinates": [[[3.3, 6.5], [3.4, 6.5], [3.4, 6.6], [3.3, 6.6], [3.3, 6.5]]]}},
  {"type": "Feature", "properties": {"amenity": "clinic"}, "geometry": {"type": "Point", "coordinates": [3.35, 6.6]}}
]}"#,
    );
    assert_eq!(found.facilities.len(), 2);
    assert_eq!(found.facilities[0].id, "7");
    let middle = found.facilities[1].position;
    assert!((middle.latitude - 6.55).abs() < 1e-9 && (middle.longitude - 3.35).abs() < 1e-9);
    assert_eq!(found.errors[0].line, 6);
}

#[test]
fn a_bundle_of_locations_is_read() {
    let given = Given::new();
    let found = given.csv(
        r#"{"resourceType": "Bundle", "type": "collection", "entry": [
{"resource": {"resourceType": "Location", "id": "l1", "name": "Mbale Regional Referral Hospital", "status": "active",
  "type": [{"coding": [{"display": "Regional Referral Hospital"}]}], "telecom": [{"system": "phone", "value": "+256 1"}],
  "address": {"city": "Mbale", "country": "UG"}, "position": {"latitude": 1.08, "longitude": 34.17}}},
{"resource": {"resourceType": "Location", "name": "Closed", "status": "inactive", "position": {"latitude": 1, "longitude": 34}}},
{"resource": {"resourceType": "Organization", "name": "Ministry"}},
{"resource": {"resourceType": "Location", "name": "No position"}}
]}"#,
    );
    assert_eq!(
        (found.facilities.len(), found.skipped, found.failed),
        (1, 2, 1)
    );
    let hospital = &found.facilities[0];
    assert_eq!(
        (hospital.kind.as_str(), hospital.country.as_str()),
        ("referral_hospital", "UG")
    );
    assert_eq!(hospital.phone.as_deref(), Some("+256 1"));
    assert_eq!(found.errors[0].line, 7);
}

#[test]
fn only_rows_of_the_same_facility_are_merged() {
    let found = Given::new().csv(
        "name,type,lat,lon,phone\n\
         Ahero Health Centre,Health Centre,-0.17000,34.92000,\n\
         Ahero Health Center,Health Centre,-0.17010,34.92010,+2541\n\
         Ahero Health Centre 2,Health Centre,-0.17010,34.92010,\n\
         Ahero Hospital,Hospital,-0.17000,34.92000,\n\
         Ahero Health Centre,Health Centre,-0.27000,34.92000,\n",
    );
    assert_eq!((found.facilities.len(), found.merged), (4, 1));
    assert_eq!(found.facilities[0].phone.as_deref(), Some("+2541"));
}

#[test]
fn bracketed_text_does_not_split_a_facility() {
    let given = Given::new();
    let found = given.csv(
        "name,type,lat,lon,phone\n\
         Ahero Health Centre (Nyando),Health Centre,-0.17000,34.92000,\n\
         Ahero Health Centre,Health Centre,-0.17010,34.92010,+2541\n\
         Epe Hospital (Annex),Hospital,6.58660,3.97080,\n\
         Epe Hospital (Main),Hospital,6.58661,3.97081,\n\
         (Unnamed),Clinic,6.1,3.1,\n\
         (Nameless),Clinic,6.1,3.1,\n",
    );
    let names: Vec<&str> = found
        .facilities
        .iter()
        .map(|facility| facility.name.as_str())
        .collect();
    assert_eq!(found.merged, 1, "{names:?}");
    assert_eq!(found.facilities[0].phone.as_deref(), Some("+2541"));

    let default = Register::embedded(given.types.clone());
    let teaching = default
        .facilities()
        .iter()
        .find(|facility| facility.country == "NG" && facility.kind == "teaching_hospital")
        .unwrap();
    let mut known = teaching.clone();
    known.name = format!("{} (XYTH)", teaching.name);
    known.source = "list".to_owned();
    let all = import::combined(vec![known], default.facilities(), &given.types);
    assert_eq!(all.len(), default.len(), "the default entry gives way");
}

#[test]
fn import_is_idempotent_and_replaces_only_its_own_source() {
    let given = Given::new();
    let folder = tempfile::tempdir().unwrap();
    let file = RegisterFile::in_dir(folder.path());
    assert!(file.read().unwrap().is_none());
    let import = |text: &str, source: &str| {
        let mut found = given.csv(text).facilities;
        for facility in &mut found {
            facility.source = source.to_owned();
        }
        let old = file.read().unwrap().unwrap_or_default();
        file.replace(import::replaced_source(old, source, found))
            .unwrap();
        std::fs::read(file.path()).unwrap()
    };
    let one = "name,type,lat,lon\nA Clinic,Clinic,6.5,3.3\nB Clinic,Clinic,6.6,3.3\n";
    import("name,type,lat,lon\nOther,Clinic,7.5,3.3\n", "other");
    let first = import(one, "list");
    assert_eq!(first, import(one, "list"));
    import("name,type,lat,lon\nC Clinic,Clinic,6.5,3.3\n", "list");
    let names: Vec<String> = file
        .read()
        .unwrap()
        .unwrap()
        .into_iter()
        .map(|facility| facility.name)
        .collect();
    assert_eq!(names, ["C Clinic", "Other"]);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "no half-written file stays behind");
    std::fs::write(file.path(), b"something else").unwrap();
    assert!(file.read().is_err());
}

#[test]
fn an_imported_hospital_replaces_the_default_entry() {
    let given = Given::new();
    let default = Register::embedded(given.types.clone());
    let found = given.csv(
        "name,type,lat,lon,phone\nEpe General Hospital,General Hospital,6.5866,3.9708,+234 1\n",
    );
    let all = import::combined(found.facilities, default.facilities(), &given.types);
    let epe: Vec<&Facility> = all
        .iter()
        .filter(|facility| facility.name.contains("Epe") && facility.kind == "general_hospital")
        .collect();
    assert_eq!(epe.len(), 1, "{epe:?}");
    assert_eq!(epe[0].phone.as_deref(), Some("+234 1"));
    assert_eq!(all.len(), default.len());
}

/// Builds a list as large as the largest public one, spread over the continent.
fn large_list(rows: usize) -> String {
    let kinds = [
        "Health Centre",
        "Dispensary",
        "Hospital",
        "Health Post",
        "Clinic",
        "General Hospital",
    ];
    let mut text = String::from("country,admin1,name,type,ownership,tier,lat,lon\n");
    let mut seed = 42_u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for row in 0..rows {
        let (latitude, longitude) = (next() * 60.0 - 30.0, next() * 50.0 - 10.0);
        let kind = kinds[row % kinds.len()];
        writeln!(
            text,
            ",Region,Facility {row} {kind},{kind},government,2,{latitude:.5},{longitude:.5}"
        )
        .unwrap();
    }
    text
}

/// Measures the CPU time of this thread if the system provides it, so that other load does not
/// count; otherwise the elapsed time.
struct Stopwatch {
    started: Instant,
    on_processor: Option<Duration>,
}

impl Stopwatch {
    fn start() -> Self {
        Self {
            started: Instant::now(),
            on_processor: Self::on_processor(),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.on_processor, Self::on_processor()) {
            (Some(before), Some(now)) => now - before,
            _ => self.started.elapsed(),
        }
    }

    /// Reads the CPU time from Linux: nanoseconds, the first of three numbers.
    fn on_processor() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds = text.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    }
}

#[test]
fn a_register_of_96_269_rows_is_imported_in_less_than_ten_seconds() {
    let given = Given::new();
    let text = large_list(96_269);
    // One of three attempts must be fast enough, because the machine may be busy.
    let fastest = (0..3).map(|_| {
        let started = Stopwatch::start();
        let found = given.csv(&text);
        let folder = tempfile::tempdir().unwrap();
        let file = RegisterFile::in_dir(folder.path());
        file.replace(found.facilities).unwrap();
        let register = Register::new(file.read().unwrap().unwrap(), given.types.clone());
        assert_eq!(register.len(), 96_269);
        started.elapsed()
    });
    let took = fastest
        .into_iter()
        .find(|took| *took < Duration::from_secs(10));
    assert!(took.is_some(), "every try took longer");
}

mod anywhere {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    /// Facilities all over the earth, including both sides of the antimeridian and the poles.
    static GLOBE: LazyLock<Register> = LazyLock::new(|| {
        let given = Given::new();
        let mut text = String::from("name,type,lat,lon\n");
        let mut number = 0;
        for latitude in [-90, -60, -30, 0, 30, 60, 90] {
            for longitude in (-180..=180).step_by(20) {
                number += 1;
                writeln!(text, "Post {number},Clinic,{latitude},{longitude}").unwrap();
            }
        }
        Register::new(given.csv(&text).facilities, given.types)
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_nearest_facilities_are_sorted_and_complete(
            latitude in prop_oneof![-90.0..=90.0_f64, Just(90.0), Just(-90.0)],
            longitude in prop_oneof![-180.0..=180.0_f64, Just(180.0), Just(-180.0)],
        ) {
            let from = Coordinate::new(latitude, longitude).unwrap();
            let found: Vec<f64> = GLOBE
                .nearest(from, FacilityLevel::ALL)
                .take(5)
                .map(|facility| facility.distance_km)
                .collect();
            prop_assert_eq!(found.len(), 5);
            prop_assert!(found.is_sorted());
            let by_force = GLOBE.nearest_by_force(from, FacilityLevel::ALL);
            for (tree, force) in found.iter().zip(&by_force) {
                prop_assert!((tree - force.distance_km).abs() < 0.5);
            }
        }
    }
}

#[test]
fn the_spatial_index_finds_what_brute_force_finds() {
    let given = Given::new();
    let register = Register::new(given.csv(&large_list(3_000)).facilities, given.types);
    let points = [
        (0.0, 0.0),
        (6.5, 3.4),
        (90.0, 0.0),
        (-90.0, 0.0),
        (12.0, 180.0),
        (12.0, -180.0),
        (-29.9, 39.9),
    ];
    for (latitude, longitude) in points {
        let from = Coordinate::new(latitude, longitude).unwrap();
        for levels in [
            FacilityLevel::ALL,
            &[FacilityLevel::Hospital],
            &[FacilityLevel::Primary],
        ] {
            let by_tree: Vec<f64> = register
                .nearest(from, levels)
                .take(20)
                .map(|facility| facility.distance_km)
                .collect();
            let by_force: Vec<f64> = register
                .nearest_by_force(from, levels)
                .iter()
                .take(20)
                .map(|facility| facility.distance_km)
                .collect();
            assert_eq!(by_tree.len(), 20);
            assert!(by_tree.is_sorted());
            for (tree, force) in by_tree.iter().zip(&by_force) {
                assert!(
                    (tree - force).abs() < 0.01,
                    "{from:?}: {tree} km, not {force}"
                );
            }
        }
    }
}
