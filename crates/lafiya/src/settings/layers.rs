//! Merges the layers of settings into one table.

use std::path::Path;

use anyhow::{Context, bail};
use clap::ArgMatches;
use toml::{Table, Value};

use super::catalogue::{CATALOGUE, Setting};

/// The settings file that is read if no other is named.
const DEFAULT_FILE: &str = "lafiya.toml";
/// The environment variable that names another settings file.
pub(crate) const FILE_VARIABLE: &str = "LAFIYA_CONFIG";

/// Merges the defaults, the file, and the variables or flags, in this order. (clap has already
/// given flags precedence over variables.)
pub(super) fn merged(arguments: &ArgMatches) -> anyhow::Result<Table> {
    let mut table: Table = CATALOGUE
        .iter()
        .map(|setting| (setting.name.clone(), setting.default.clone()))
        .collect();
    if let Some(file) = file_table(arguments)? {
        table.extend(file);
    }
    for setting in CATALOGUE.iter() {
        if let Some(text) = arguments.get_one::<String>(&setting.name) {
            table.insert(setting.name.clone(), value_of(setting, text)?);
        }
    }
    Ok(table)
}

fn file_table(arguments: &ArgMatches) -> anyhow::Result<Option<Table>> {
    let named = arguments.get_one::<String>("config");
    let path = Path::new(named.map_or(DEFAULT_FILE, String::as_str));
    if named.is_none() && !path.exists() {
        return Ok(None);
    }
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{shown} cannot be read"))?;
    let table: Table = text
        .parse()
        .map_err(|cause| anyhow::anyhow!("{shown} is not valid TOML: {cause}"))?;
    for (name, value) in &table {
        let Some(setting) = CATALOGUE.iter().find(|setting| setting.name == *name) else {
            bail!("{shown}: there is no setting `{name}`{}", suggestion(name));
        };
        // The type of the default is the type of the setting.
        if value.type_str() != setting.default.type_str() {
            bail!(
                "{shown}: {name} must be a {}, as in {name} = {}",
                setting.default.type_str(),
                setting.default
            );
        }
    }
    Ok(Some(table))
}

/// Parses the text of a flag or variable as the type of the default value.
fn value_of(setting: &Setting, text: &str) -> anyhow::Result<Value> {
    let name = &setting.name;
    match &setting.default {
        Value::String(_) => Ok(Value::String(text.to_owned())),
        Value::Integer(_) => match text.trim().parse() {
            Ok(number) => Ok(Value::Integer(number)),
            Err(_) => bail!("{name} must be a whole number, not `{text}`"),
        },
        Value::Boolean(_) => match text.trim() {
            "true" => Ok(Value::Boolean(true)),
            "false" => Ok(Value::Boolean(false)),
            _ => bail!("{name} must be true or false, not `{text}`"),
        },
        _ => list_of(name, text),
    }
}

/// Parses a list: as in the file, or as words separated by commas.
fn list_of(name: &str, text: &str) -> anyhow::Result<Value> {
    let text = text.trim();
    if !text.starts_with('[') {
        let words = text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        return Ok(Value::Array(
            words.map(|word| Value::String(word.to_owned())).collect(),
        ));
    }
    // A TOML parser reads whole documents, so the value is made one.
    let wrapped: Table = format!("{name} = {text}")
        .parse()
        .map_err(|cause| anyhow::anyhow!("{name} is not a valid list: {cause}"))?;
    wrapped
        .get(name)
        .cloned()
        .with_context(|| format!("{name} is not a valid list"))
}

/// Warns of unknown `LAFIYA_` variables. They are not refused, because platforms set variables of
/// their own in every process (a Kubernetes service named lafiya sets LAFIYA_PORT), and those must
/// not prevent a start.
pub(crate) fn warn_of_unknown_variables() {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        if let Some(hint) = hint_for_variable(name) {
            tracing::warn!("The variable {name} names no setting{hint}; it is ignored.");
        }
    }
}

/// Returns the warning about a variable that looks like a setting but is none.
fn hint_for_variable(name: &str) -> Option<String> {
    let rest = name.strip_prefix("LAFIYA_")?;
    let known = name == FILE_VARIABLE || CATALOGUE.iter().any(|setting| setting.variable == name);
    (!known).then(|| suggestion(&rest.to_lowercase()))
}

/// Returns the setting that was most likely meant.
fn suggestion(name: &str) -> String {
    match mistyped(name).or_else(|| sharing_words(name)) {
        Some(setting) => format!(" (did you mean `{}`?)", setting.name),
        None => String::new(),
    }
}

/// Returns the setting within a typing error of a name: one letter wrong, missing, extra or
/// transposed.
fn mistyped(name: &str) -> Option<&'static Setting> {
    let slips = |setting: &Setting| strsim::osa_distance(&setting.name, name);
    let nearest = CATALOGUE.iter().min_by_key(|setting| slips(setting))?;
    // One error in a short name, one more for each eight letters.
    let allowed = 1 + name.len() / 8;
    (slips(nearest) <= allowed).then_some(nearest)
}

/// Returns the setting that shares most words with a name; among equals, the one closest in length.
fn sharing_words(name: &str) -> Option<&'static Setting> {
    let shared = |setting: &Setting| {
        let words: Vec<&str> = setting.name.split('_').collect();
        name.split('_').filter(|word| words.contains(word)).count()
    };
    let nearness = |setting: &&Setting| {
        (
            shared(setting),
            std::cmp::Reverse(setting.name.len().abs_diff(name.len())),
        )
    };
    CATALOGUE
        .iter()
        .max_by_key(nearness)
        .filter(|best| shared(best) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_variable_gets_a_suggestion() {
        for (variable, meant) in [
            ("LAFIYA_LISTNE", "listen"),
            ("LAFIYA_LOG_LEVL", "log_level"),
            ("LAFIYA_DATABSE_URL", "database_url"),
            ("LAFIYA_RATE_LIMIT", "rate_limit_per_minute"),
        ] {
            let hint = hint_for_variable(variable).unwrap();
            assert!(hint.contains(&format!("`{meant}`")), "{variable}: {hint}");
        }
        assert_eq!(hint_for_variable("LAFIYA_PORT").as_deref(), Some(""));
    }

    #[test]
    fn known_and_foreign_variables_get_no_hint() {
        for variable in ["LAFIYA_LISTEN", "LAFIYA_CONFIG", "HOME", "XLAFIYA_LISTEN"] {
            assert_eq!(hint_for_variable(variable), None, "{variable}");
        }
    }
}
