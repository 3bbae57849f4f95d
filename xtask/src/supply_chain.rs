//! Dependencies: licences, banned crates and sources are checked by cargo-deny as defined in
//! `deny.toml`, and a software bill of materials is written. Advisories need a database from the
//! network and are reviewed at each release.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::process::{self, nothing};
use crate::workspace;

/// Pinned, so that a new release cannot make a test fail.
const CARGO_DENY: &str = "0.20.2";
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Runs cargo-deny on every crate in the dependency tree.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut judge = Command::new(cargo_deny()?);
    judge
        .args(["check", "bans", "licenses", "sources"])
        .current_dir(workspace::root());
    process::run(&mut judge, nothing).map(drop)
}

/// Returns the tool, which is compiled once into the target folder: no package of it knows today's
/// licences.
fn cargo_deny() -> anyhow::Result<PathBuf> {
    let folder = workspace::target_dir().join("tools").join(CARGO_DENY);
    let program = folder.join("bin/cargo-deny");
    if program.exists() {
        return Ok(program);
    }
    let objects = folder.join("objects");
    let mut install = Command::new("cargo");
    install
        .args(["install", "cargo-deny", "--version", CARGO_DENY, "--locked"])
        // A debug build compiles in half the time of a release build, and the tool runs only for
        // seconds.
        .arg("--debug")
        .arg("--root")
        .arg(&folder)
        .arg("--target-dir")
        .arg(&objects)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(workspace::root());
    process::run(&mut install, nothing).context("cargo-deny cannot be installed")?;
    fs::remove_dir_all(&objects)?;
    Ok(program)
}

/// Writes the bill of materials of the service (CycloneDX 1.5) and prints its path.
pub(crate) fn write_bill(output: Option<PathBuf>) -> anyhow::Result<()> {
    let path = output.unwrap_or_else(|| workspace::target_dir().join("sbom/lafiya.cdx.json"));
    let bill = bill(&metadata()?, &checksums()?)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&path, serde_json::to_string_pretty(&bill)? + "\n")?;
    let count = bill["components"].as_array().map_or(0, Vec::len);
    println!("{count} components in {}", path.display());
    Ok(())
}

struct Package {
    name: String,
    version: String,
    licence: String,
}

fn metadata() -> anyhow::Result<Value> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", PLATFORM])
        .current_dir(workspace::root())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata failed:\n{said}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the packages used on our platform, by id.
fn packages(metadata: &Value) -> BTreeMap<String, Package> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let used: BTreeSet<String> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| text(&node["id"]))
        .collect();
    list(&metadata["packages"])
        .iter()
        .filter(|package| used.contains(&text(&package["id"])))
        .map(|package| {
            let found = Package {
                name: text(&package["name"]),
                version: text(&package["version"]),
                licence: text(&package["license"]),
            };
            (text(&package["id"]), found)
        })
        .collect()
}

/// Returns the components of the binary: everything reachable from it, without test dependencies.
fn bill(metadata: &Value, checksums: &BTreeMap<String, String>) -> anyhow::Result<Value> {
    let packages = packages(metadata);
    let edges = edges(metadata);
    let root = packages
        .iter()
        .find(|(_, package)| package.name == "lafiya")
        .map(|(id, _)| id.clone())
        .context("the binary is not among the packages")?;
    let mut reached = BTreeSet::from([root.clone()]);
    let mut open = vec![root.clone()];
    while let Some(id) = open.pop() {
        for next in edges.get(&id).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    let url = |id: &String| purl(&packages[id]);
    let components: Vec<Value> = reached
        .iter()
        .filter(|id| **id != root)
        .map(|id| component(&packages[id], checksums))
        .collect();
    let dependencies: Vec<Value> = reached
        .iter()
        .map(|id| {
            let on: Vec<String> = edges.get(id).into_iter().flatten().map(url).collect();
            json!({"ref": url(id), "dependsOn": on})
        })
        .collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(&packages[&root], checksums)},
        "components": components,
        "dependencies": dependencies,
    }))
}

/// Returns the dependency graph, without test dependencies.
fn edges(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let is_needed = |dependency: &Value| {
        list(&dependency["dep_kinds"])
            .iter()
            .any(|kind| kind["kind"] != "dev")
    };
    list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let on = list(&node["deps"]);
            let on = on.iter().filter(|dependency| is_needed(dependency));
            (
                text(&node["id"]),
                on.map(|dependency| text(&dependency["pkg"])).collect(),
            )
        })
        .collect()
}

fn component(package: &Package, checksums: &BTreeMap<String, String>) -> Value {
    let Package {
        name,
        version,
        licence,
        ..
    } = package;
    let kind = if name == "lafiya" {
        "application"
    } else {
        "library"
    };
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
        "licenses": [{"expression": licence.replace('/', " OR ")}],
    });
    if let Some(checksum) = checksums.get(&format!("{name} {version}")) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// Returns the checksums in Cargo.lock by `name version`.
fn checksums() -> anyhow::Result<BTreeMap<String, String>> {
    let lock = fs::read_to_string(workspace::root().join("Cargo.lock"))?;
    let value = |block: &str, name: &str| {
        quoted(line_of(block, &format!("{name} = \"")))
            .next()
            .map(str::to_owned)
    };
    let blocks = lock.split("[[package]]");
    Ok(blocks
        .filter_map(|block| {
            let key = format!("{} {}", value(block, "name")?, value(block, "version")?);
            Some((key, value(block, "checksum")?))
        })
        .collect())
}

fn line_of<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines()
        .find(|line| line.starts_with(start))
        .unwrap_or_default()
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}
