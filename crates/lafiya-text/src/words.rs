//! The word lists: readable files under `words/`, compiled in and read once.
//!
//! Adding a phrasing is a change of data here or in `knowledge/`. The files hold words, not rules.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// `same.toml`: words and phrases that mean the same.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Same {
    pub words: BTreeMap<String, Vec<String>>,
    pub phrases: BTreeMap<String, Vec<String>>,
}

/// `fillers.toml`: words without weight.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fillers {
    pub fillers: Vec<String>,
    pub modifiers: Vec<String>,
    pub weak: Vec<String>,
    pub verbs: Vec<String>,
}

pub(crate) fn same() -> Same {
    read("same.toml", include_str!("words/same.toml"))
}

pub(crate) fn fillers() -> Fillers {
    read("fillers.toml", include_str!("words/fillers.toml"))
}

/// The files are part of the program: a test reads each of them, so a broken one cannot ship.
fn read<T: DeserializeOwned>(name: &str, text: &str) -> T {
    match toml::from_str(text) {
        Ok(words) => words,
        Err(error) => panic!("words/{name} does not read: {error}"),
    }
}
