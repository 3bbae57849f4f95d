//! A table of sentences for each language, in `evaluation/languages/`. No native speaker has
//! reviewed them yet.

use std::fmt::Write as _;

use super::REAL;
use super::sentences::{check, found, lasts, read};
use crate::ParseContext;

/// Minimum number of rows per language.
const ROWS_MIN: usize = 25;

/// Parses a table, and names every row with an unexpected result.
fn table(language: &str) {
    let path = format!(
        "{}/../../evaluation/languages/{language}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path)
        .unwrap();
    let (mut rows, mut wrong) = (0, String::new());
    for row in reader.deserialize::<(String, String)>() {
        let (text, expected) = row.unwrap();
        let got = found(&read(&text, &ParseContext::default())).join(" ");
        rows += 1;
        if got != expected {
            let _ = writeln!(wrong, "{text}: wanted {expected}, got {got}");
        }
        for id in expected.split(' ') {
            let id = id.trim_start_matches(['-', '?']);
            assert!(REAL.base.resolve(id).is_some(), "{id} is not in the base");
        }
    }
    assert!(rows >= ROWS_MIN, "{language} has {rows} rows");
    assert!(wrong.is_empty(), "{language}:\n{wrong}");
}

#[test]
fn english_is_read() {
    table("en");
}

#[test]
fn pidgin_is_read() {
    table("pcm");
}

#[test]
fn french_is_read() {
    table("fr");
    lasts(
        "Mon enfant vomit et a la diarrhée depuis hier",
        &[Some(1), Some(1)],
    );
}

#[test]
fn swahili_is_read() {
    table("sw");
    lasts(
        "Ninaharisha na kutapika kwa siku mbili",
        &[Some(2), Some(2)],
    );
    lasts(
        "Mtoto ana homa na anaharisha tangu juzi",
        &[Some(2), Some(2)],
    );
}

#[test]
fn hausa_is_read() {
    table("ha");
    lasts("Ina da zazzabi kwana uku", &[Some(3)]);
}

#[test]
fn yoruba_is_read() {
    table("yo");
}

#[test]
fn igbo_is_read() {
    table("ig");
}

#[test]
fn portuguese_is_read() {
    check("Tenho febre e dor de cabeça", &["s_fever", "s_headache"]);
}
