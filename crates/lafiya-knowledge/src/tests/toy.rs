//! A toy knowledge base of five invented conditions, small enough to reason about by hand. Requires
//! the feature `toy`.
//!
//! The figures are not medical facts; they are chosen to make tests discriminating.

use crate::base::KnowledgeBase;
use crate::load::SourceFile;

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        vec![$(SourceFile { path: $path.to_owned(), text: include_str!(concat!("toy/", $path)).to_owned() }),+]
    };
}

/// Returns the files of the toy knowledge base.
pub fn files() -> Vec<SourceFile> {
    files![
        "VERSION.toml",
        "aliases.toml",
        "belts.toml",
        "conditions/c_brain_fever.toml",
        "conditions/c_gland_trouble.toml",
        "conditions/c_head_cold.toml",
        "conditions/c_marsh_fever.toml",
        "conditions/c_tube_pregnancy.toml",
        "findings/belly.toml",
        "findings/general.toml",
        "findings/head-and-nerves.toml",
        "lab-tests.toml",
        "lay-terms/en.csv",
        "medicine-classes.toml",
        "medicines/gland_syrup.toml",
        "medicines/marshicillin.toml",
        "population.toml",
        "regions/xa.toml",
        "risk-factors/all.toml",
        "rules/fever.toml",
        "rules/pregnancy.toml",
        "scores.toml",
        "services.toml",
        "sources.toml",
        "specialists.toml",
        "triage.toml",
        "vital-signs.toml",
        "weight-for-age.toml",
    ]
}

/// Returns the toy knowledge base.
pub fn base() -> KnowledgeBase {
    KnowledgeBase::from_files(files()).expect("the toy base keeps its own checks")
}

/// Returns the files of the toy knowledge base with one text in one of them replaced.
pub fn files_with(path: &str, old: &str, new: &str) -> Vec<SourceFile> {
    let mut files = files();
    let file = files
        .iter_mut()
        .find(|file| file.path == path)
        .expect("a file of the toy base");
    assert!(file.text.contains(old), "{path} does not contain {old:?}");
    file.text = file.text.replacen(old, new, 1);
    files
}
