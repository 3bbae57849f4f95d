//! Tests a table of place texts with the real knowledge base: what people write, and the expected
//! place.

// In tests, a panic with the reason is the right response to a missing or wrong value.
#![allow(clippy::unwrap_used)]

use lafiya_facilities::{Atlas, Precision};
use lafiya_model::Coordinate;

const RIGHT_OF_100: usize = 95;

fn atlas() -> Atlas {
    Atlas::new(&lafiya_content::load().expect("the embedded base loads"))
}

#[test]
fn at_least_95_percent_of_place_strings_are_resolved_correctly() {
    let atlas = atlas();
    let mut rows = csv::Reader::from_path(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/place_strings.csv"
    ))
    .unwrap();
    let (mut right, mut all, mut wrong) = (0, 0, Vec::new());
    for row in rows.records() {
        let row = row.unwrap();
        let home = Some(&row[1]).filter(|home| !home.is_empty());
        let found = atlas.find(&row[0], home);
        let got = found.as_ref().map(|place| {
            (
                place.country.as_str(),
                place.region.as_deref().unwrap_or_default(),
            )
        });
        all += 1;
        if got == Some((&row[2], &row[3])) {
            right += 1;
        } else {
            wrong.push(format!(
                "{} (home {:?}): {got:?}, not {}/{}",
                &row[0], home, &row[2], &row[3]
            ));
        }
    }
    println!("{right} of {all} right\n{}", wrong.join("\n"));
    assert!(all >= 200, "{all} rows");
    assert!(right * 100 >= all * RIGHT_OF_100, "{}", wrong.join("\n"));
}

#[test]
fn unknown_or_ambiguous_places_are_not_guessed() {
    let atlas = atlas();
    for text in [
        "",
        " ",
        ",,,",
        "unknown",
        "at home",
        "hospital",
        "xyzzy",
        "central",
        "northern",
        "42",
        "asdfghjkl",
        "🏥",
        "القاهرة",
        "my mother's house",
    ] {
        let found = atlas.find(text, None);
        assert!(found.is_none(), "{text}: {found:?}");
    }
}

#[test]
fn the_home_country_breaks_ties() {
    let atlas = atlas();
    let region = |text: &str, home: &str| atlas.find(text, Some(home)).and_then(|atla| atla.region);
    assert_eq!(region("central", "GH").as_deref(), Some("central-gh"));
    assert_eq!(region("central", "UG").as_deref(), Some("central-ug"));
    for kind in ["Central Region", "central region", "Central region "] {
        assert_eq!(region(kind, "GH").as_deref(), Some("central-gh"), "{kind}");
        assert_eq!(region(kind, "UG").as_deref(), Some("central-ug"), "{kind}");
        assert_eq!(region(kind, "MW").as_deref(), Some("central-mw"), "{kind}");
    }
    assert_eq!(
        region("Central Region, Ghana", "NG").as_deref(),
        Some("central-gh")
    );
    assert_eq!(
        atlas.find("Central Region", None),
        None,
        "of three countries"
    );
    assert_eq!(region("Northern", "ZM").as_deref(), Some("northern-zm"));
    assert_eq!(region("Victoria", "SC").map(|_| "SC"), Some("SC"));
}

#[test]
fn a_country_has_no_position_and_a_town_has_one() {
    let atlas = atlas();
    let nigeria = atlas.find("Nigeria", None).unwrap();
    assert_eq!(
        (nigeria.precision, nigeria.position),
        (Precision::Country, None)
    );
    let ikeja = atlas.find("Ikeja, Lagos", None).unwrap();
    assert_eq!(ikeja.precision, Precision::Town);
    assert!((ikeja.position.unwrap().latitude - 6.6).abs() < 0.1);
    assert!(ikeja.confidence > 0.9);
}

#[test]
fn a_position_finds_its_region_and_is_rounded() {
    let atlas = atlas();
    let place = atlas.at(Coordinate::new(-1.292_066, 36.821_945).unwrap());
    assert_eq!(
        (place.country.as_str(), place.region.as_deref()),
        ("KE", Some("nairobi"))
    );
    assert_eq!(place.position, Coordinate::new(-1.29, 36.82));
    let ocean = atlas.at(Coordinate::new(-40.0, -30.0).unwrap());
    assert_eq!((ocean.region, ocean.country.as_str()), (None, ""));
}

#[test]
fn every_gazetteer_region_exists_in_the_knowledge_base() {
    let base = lafiya_content::load().unwrap();
    for file in ["places.csv", "districts.csv"] {
        let path = format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"));
        for row in csv::Reader::from_path(path).unwrap().records() {
            let row = row.unwrap();
            let (region, country) = (&row[1], &row[2]);
            if !region.is_empty() {
                let place = base
                    .place(region)
                    .unwrap_or_else(|| panic!("{region} of {}", &row[0]));
                assert_eq!(place.country, country, "{}", &row[0]);
            }
        }
    }
}

mod any_text {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static ATLAS: LazyLock<Atlas> = LazyLock::new(atlas);

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn any_text_is_resolved_without_a_panic(text in ".{0,80}", home in prop::option::of("[A-Z]{2}")) {
            if let Some(place) = ATLAS.find(&text, home.as_deref()) {
                prop_assert!((0.0..=1.0).contains(&place.confidence));
            }
        }

        #[test]
        fn any_position_is_resolved_without_a_panic(latitude in -90.0..=90.0_f64, longitude in -180.0..=180.0_f64) {
            let place = ATLAS.at(Coordinate::new(latitude, longitude).unwrap());
            prop_assert!(place.position.is_some());
        }
    }
}
