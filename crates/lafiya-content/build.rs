//! Reads `knowledge/`, checks it and packs it into one file for `include_bytes!`.
//!
//! A debug build only warns about complaints, so that code can be developed while content is being
//! written. A release build rejects a knowledge base with complaints;
//! `LAFIYA_CONTENT_ALLOW_COMPLAINTS=1` overrides that.

use std::error::Error;
use std::path::{Path, PathBuf};

use lafiya_knowledge::{Checked, artefact, check_dir};

const OVERRIDE: &str = "LAFIYA_CONTENT_ALLOW_COMPLAINTS";
const SHOWN_AT_MOST: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let knowledge = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../knowledge");
    println!("cargo::rerun-if-changed={}", knowledge.display());
    println!("cargo::rerun-if-env-changed={OVERRIDE}");

    let checked = check_dir(&knowledge)?;
    report(&checked)?;
    let target = PathBuf::from(std::env::var("OUT_DIR")?).join("knowledge.postcard");
    std::fs::write(target, artefact::pack(&checked.content)?)?;
    Ok(())
}

fn report(checked: &Checked) -> Result<(), Box<dyn Error>> {
    let complaints = checked.complaints().count();
    if complaints == 0 {
        return Ok(());
    }
    let strict = std::env::var("PROFILE")? == "release" && std::env::var_os(OVERRIDE).is_none();
    let word = if strict { "error" } else { "warning" };
    for complaint in checked.complaints().take(SHOWN_AT_MOST) {
        println!("cargo::{word}=knowledge/{complaint}");
    }
    println!(
        "cargo::{word}=the knowledge base has {complaints} complaints; `lafiya knowledge check` lists them all"
    );
    Ok(())
}
