//! What we build on: licences, banned crates and sources as `deny.toml` states them, and a bill of
//! materials. `cargo deny check bans licenses sources` judges the same file; this does it without
//! compiling that tool for minutes in every test run. Advisories need a database from the network
//! and are looked through at each release.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::workspace;

const POLICY: &str = "deny.toml";
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Everything in the dependencies that the policy does not allow, in sentences.
pub(crate) fn complaints() -> anyhow::Result<Vec<String>> {
    let policy = fs::read_to_string(workspace::root().join(POLICY)).context(POLICY)?;
    let allowed: BTreeSet<&str> = quoted(line_of(&policy, "allow = [")).collect();
    let banned: BTreeSet<&str> = policy
        .lines()
        .filter(|line| line.contains("{ crate = "))
        .filter_map(|line| quoted(line).next())
        .collect();
    ensure!(!allowed.is_empty(), "{POLICY} allows no licence");
    ensure!(!banned.is_empty(), "{POLICY} bans no crate");
    let packages = packages(&metadata()?);
    ensure!(packages.len() > 100, "the list of packages is not whole");
    Ok(packages
        .values()
        .flat_map(|package| package.complaints(&allowed, &banned))
        .collect())
}

/// Writes the bill of materials of the service (CycloneDX 1.5) and says where it lies.
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
    /// Nothing for our own crates.
    source: Option<String>,
}

impl Package {
    fn complaints(&self, allowed: &BTreeSet<&str>, banned: &BTreeSet<&str>) -> Vec<String> {
        let Self { name, version, .. } = self;
        let mut complaints = Vec::new();
        if banned.contains(name.as_str()) {
            complaints.push(format!("{name} {version} is banned"));
        }
        if !is_allowed(&self.licence, allowed) {
            let licence = &self.licence;
            complaints.push(format!(
                "{name} {version}: the licence `{licence}` is not allowed"
            ));
        }
        if self
            .source
            .as_deref()
            .is_some_and(|source| source != REGISTRY)
        {
            complaints.push(format!("{name} {version} does not come from crates.io"));
        }
        complaints
    }
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

/// The packages that are really used on our platform, by id.
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
                source: package["source"].as_str().map(str::to_owned),
            };
            (text(&package["id"]), found)
        })
        .collect()
}

/// What the binary is made of: everything reachable from it without tests.
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

/// Who needs whom, tests aside.
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
            let on = on.iter().filter(|it| is_needed(it));
            (text(&node["id"]), on.map(|it| text(&it["pkg"])).collect())
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

/// The checksums of Cargo.lock by `name version`.
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

/// Whether an SPDX expression can be satisfied with the allowed licences.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut place = 0;
    let verdict = either(&words, &mut place, allowed);
    verdict && place == words.len() && !words.is_empty()
}

fn either(words: &[&str], place: &mut usize, allowed: &BTreeSet<&str>) -> bool {
    let mut verdict = both(words, place, allowed);
    while words.get(*place) == Some(&"OR") {
        *place += 1;
        verdict |= both(words, place, allowed);
    }
    verdict
}

fn both(words: &[&str], place: &mut usize, allowed: &BTreeSet<&str>) -> bool {
    let mut verdict = one(words, place, allowed);
    while words.get(*place) == Some(&"AND") {
        *place += 1;
        verdict &= one(words, place, allowed);
    }
    verdict
}

fn one(words: &[&str], place: &mut usize, allowed: &BTreeSet<&str>) -> bool {
    let Some(&word) = words.get(*place) else {
        return false;
    };
    *place += 1;
    if word == "(" {
        let verdict = either(words, place, allowed);
        *place += 1;
        return verdict;
    }
    if words.get(*place) == Some(&"WITH") {
        let exception = words.get(*place + 1).copied().unwrap_or_default();
        *place += 2;
        return allowed.contains(format!("{word} WITH {exception}").as_str());
    }
    allowed.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_allowed_when_a_way_through_it_is() {
        let allowed = BTreeSet::from(["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"]);
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("ISC AND (GPL-3.0 OR MIT)", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }

    #[test]
    fn a_crate_that_is_banned_or_comes_from_elsewhere_is_named() {
        let package = Package {
            name: "openssl".to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            source: Some("git+https://example.org".to_owned()),
        };
        let complaints = package.complaints(&BTreeSet::from(["MIT"]), &BTreeSet::from(["openssl"]));
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }
}
