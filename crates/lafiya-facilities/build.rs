//! Packs the gazetteer and the default register into texts that can be used at startup without
//! further processing: names are sorted, positions are integers. `data/README.md` describes the
//! files.

#[path = "src/fold.rs"]
mod fold;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let data = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("data");
    println!("cargo::rerun-if-changed={}", data.display());
    println!("cargo::rerun-if-changed=src/fold.rs");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    pack_places(&data, &out)?;
    pack_register(&data, &out)
}

/// Writes `towns.txt`, with one line per place, and `names.txt`, with each folded name and the
/// numbers of its places.
fn pack_places(data: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut towns = String::new();
    let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut number = 0;
    for file in ["places.csv", "districts.csv"] {
        for row in csv::Reader::from_path(data.join(file))?.records() {
            let row = row?;
            let field = |at: usize| row.get(at).unwrap_or_default();
            let degrees = |at: usize| -> Result<i64, Box<dyn Error>> {
                Ok((field(at).parse::<f64>()? * 1e4).round() as i64)
            };
            writeln!(
                towns,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}",
                field(0),
                field(1),
                field(2),
                degrees(3)?,
                degrees(4)?,
                field(5),
                field(6)
            )?;
            let others = field(7).split('|').filter(|name| !name.is_empty());
            for name in std::iter::once(field(0)).chain(others) {
                let places = names.entry(fold::fold(name)).or_default();
                if !places.contains(&number) {
                    places.push(number);
                }
            }
            number += 1;
        }
    }
    let mut index = String::new();
    for (name, places) in names {
        let numbers: Vec<String> = places.iter().map(usize::to_string).collect();
        writeln!(index, "{name}\t{}", numbers.join(" "))?;
    }
    std::fs::write(out.join("towns.txt"), towns)?;
    std::fs::write(out.join("names.txt"), index)?;
    Ok(())
}

/// Writes `register.txt`, with one line per facility of the default register, starting with its
/// country.
fn pack_register(data: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(data.join("facilities"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut register = String::new();
    for file in files {
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let country = stem.unwrap_or_default().to_uppercase();
        for row in csv::Reader::from_path(&file)?.records() {
            let row = row?;
            let fields: Vec<&str> = row.iter().collect();
            writeln!(register, "{country}\t{}", fields.join("\t"))?;
        }
    }
    std::fs::write(out.join("register.txt"), register)?;
    Ok(())
}
