//! Search with queries as people type them: the table `evaluation/search-queries.csv`, and
//! invariants of every result.

use lafiya_model::{ConceptKind, Sex};

use super::REAL;
use crate::{Hit, SearchOptions};

/// Minimum number of queries in 100 that have the wanted concept among the first three hits.
const AMONG_FIRST_THREE_OF_100: usize = 95;

fn find(phrase: &str) -> Vec<Hit> {
    let options = SearchOptions {
        max_results: 8,
        ..SearchOptions::default()
    };
    REAL.search.find(&REAL.base, phrase, &options)
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter()
        .map(|hit| REAL.base.id_of(hit.concept))
        .collect()
}

#[test]
fn the_wanted_concept_is_among_the_first_three_hits() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../evaluation/search-queries.csv"
    );
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path)
        .unwrap();
    let (mut total, mut good, mut first) = (0, 0, 0);
    for row in reader.deserialize::<(String, String)>() {
        let (query, wanted) = row.unwrap();
        let hits = find(&query);
        let ids = ids(&hits);
        total += 1;
        first += usize::from(ids.first() == Some(&wanted.as_str()));
        if ids.iter().take(3).any(|id| *id == wanted) {
            good += 1;
        } else {
            let known = if REAL.base.resolve(&wanted).is_some() {
                ""
            } else {
                " (not in the base)"
            };
            println!("{query}: wanted {wanted}{known}, got {ids:?}");
        }
    }
    println!("{good} of {total} among the first three, {first} first");
    assert!(
        good * 100 >= total * AMONG_FIRST_THREE_OF_100,
        "{good} of {total}"
    );
}

#[test]
fn the_exact_name_comes_first_and_hits_are_sorted() {
    for (n, finding) in REAL.base.findings().iter().enumerate() {
        let hits = find(&finding.text.name);
        let same_name = |hit: &Hit| REAL.base.name_of(hit.concept) == finding.text.name;
        assert!(
            hits.first().is_some_and(same_name),
            "{n} {}: {:?}",
            finding.text.name,
            ids(&hits)
        );
        assert!(
            hits.windows(2)
                .all(|hit| hit[0].similarity >= hit[1].similarity)
        );
        assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.similarity)));
    }
}

#[test]
fn another_complaint_of_the_same_body_part_scores_low() {
    let check = |phrase: &str, unwanted: &str| {
        let hits = find(phrase);
        let hit = hits
            .iter()
            .find(|hit| REAL.base.id_of(hit.concept) == unwanted);
        assert!(
            hit.is_none_or(|hit| hit.similarity < 0.5),
            "{phrase}: {hit:?}"
        );
    };
    check("throat tightness", "s_chest_tightness");
    check("throat tightness", "s_sore_throat");
    check("gradual vision loss", "s_sudden_loss_of_vision");
    check("rats dying in area", "s_suicidal_thoughts");
    check("neck swelling", "s_neck_stiffness");
    check("noisy breathing", "s_fast_breathing_for_age");
    check("weight gain", "s_weight_loss");
    check("able to drink", "s_unable_to_drink");
}

#[test]
fn concepts_impossible_for_the_sex_are_excluded() {
    let options = SearchOptions {
        sex: Some(Sex::Male),
        max_results: 20,
        ..SearchOptions::default()
    };
    let hits = REAL.search.find(&REAL.base, "vaginal discharge", &options);
    assert!(!ids(&hits).contains(&"s_vaginal_discharge"));
    for phrase in [
        "pregnancy test",
        "vaginal swab",
        "fetal heart rate",
        "ovarian torsion",
        "miscarriage",
    ] {
        let hits = REAL.search.find(&REAL.base, phrase, &options);
        let names: Vec<&str> = hits
            .iter()
            .map(|hit| REAL.base.name_of(hit.concept))
            .collect();
        let female = [
            "regnancy test",
            "aginal",
            "etal heart",
            "varian",
            "iscarriage",
        ];
        assert!(
            !names
                .iter()
                .any(|name| female.iter().any(|word| name.contains(word))),
            "{phrase}: {names:?}"
        );
    }
}

#[test]
fn only_the_requested_kinds_are_returned() {
    let options = SearchOptions {
        kinds: Some(&[ConceptKind::Condition]),
        max_results: 20,
        ..SearchOptions::default()
    };
    let hits = REAL.search.find(&REAL.base, "fever", &options);
    assert!(
        !hits.is_empty()
            && hits
                .iter()
                .all(|hit| hit.concept.kind() == ConceptKind::Condition)
    );
}

#[test]
fn meaningless_queries_find_nothing() {
    for phrase in ["", "   ", "!!!", "😀", "qqqqqqqqqqqq"] {
        assert!(
            find(phrase).iter().all(|hit| hit.similarity < 0.5),
            "{phrase}"
        );
    }
}
