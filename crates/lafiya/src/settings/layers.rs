//! Puts the layers of settings together into one table.

use std::path::Path;

use anyhow::{Context, bail};
use clap::ArgMatches;
use toml::{Table, Value};

use super::catalogue::{CATALOGUE, Setting};

/// The file that is read when no other is named.
const DEFAULT_FILE: &str = "lafiya.toml";
/// The variable that names another one.
pub(crate) const FILE_VARIABLE: &str = "LAFIYA_CONFIG";

/// Default, then file, then variable or flag (clap has already let the flag win).
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

/// Reads the text of a flag or variable as the type that the default has.
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

/// A list is written as in the file, or as plain words with commas between them.
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
    let wrapped: Table = format!("{name} = {text}")
        .parse()
        .map_err(|cause| anyhow::anyhow!("{name} is not a valid list: {cause}"))?;
    wrapped
        .get(name)
        .cloned()
        .with_context(|| format!("{name} is not a valid list"))
}

/// A mistyped variable is said, not refused: platforms put variables of their own into every
/// process (a Kubernetes service named lafiya makes LAFIYA_PORT), and those must not stop us.
pub(crate) fn warn_of_unknown_variables() {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        if let Some(hint) = hint_for_variable(name) {
            tracing::warn!("The variable {name} names no setting{hint}; it is ignored.");
        }
    }
}

/// What to say of a variable that looks like ours and is none.
fn hint_for_variable(name: &str) -> Option<String> {
    let rest = name.strip_prefix("LAFIYA_")?;
    let known = name == FILE_VARIABLE || CATALOGUE.iter().any(|setting| setting.variable == name);
    (!known).then(|| suggestion(&rest.to_lowercase()))
}

/// The setting that a name was most likely meant to be.
fn suggestion(name: &str) -> String {
    match mistyped(name).or_else(|| sharing_words(name)) {
        Some(setting) => format!(" (did you mean `{}`?)", setting.name),
        None => String::new(),
    }
}

/// The setting that is a slip of the keys away: a letter wrong, missing, too many or changed about.
fn mistyped(name: &str) -> Option<&'static Setting> {
    let slips = |setting: &Setting| strsim::osa_distance(&setting.name, name);
    let nearest = CATALOGUE.iter().min_by_key(|setting| slips(setting))?;
    let allowed = 1 + name.len() / 8;
    (slips(nearest) <= allowed).then_some(nearest)
}

/// The setting that shares most words with a name, and among those the one nearest in length.
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
    fn a_mistyped_variable_is_told_what_was_meant() {
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
    fn variables_that_are_known_or_of_others_are_not_spoken_of() {
        for variable in ["LAFIYA_LISTEN", "LAFIYA_CONFIG", "HOME", "XLAFIYA_LISTEN"] {
            assert_eq!(hint_for_variable(variable), None, "{variable}");
        }
    }
}
