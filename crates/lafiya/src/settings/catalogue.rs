//! The list of settings, read from `lafiya.default.toml`: name, default and help text.

use std::sync::LazyLock;

use clap::Arg;

/// The file that defines every setting.
pub(super) const DEFAULTS: &str = include_str!("../../../../lafiya.default.toml");

/// A setting.
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) default: toml::Value,
    /// The environment variable that sets it.
    pub(super) variable: String,
    flag: String,
    help: String,
}

impl Setting {
    /// Whether its value must not be printed.
    fn is_secret(&self) -> bool {
        self.name.ends_with("_secret") || self.name.ends_with("_key") || self.name.ends_with("_url")
    }
}

/// All settings, in the order of the file.
pub(super) static CATALOGUE: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let defaults: toml::Table = DEFAULTS.parse().expect("lafiya.default.toml is valid TOML");
    let mut settings = Vec::new();
    let mut help: Vec<&str> = Vec::new();
    for line in DEFAULTS.lines() {
        // A heading of the file, or the end of a paragraph, is no help text of the next setting.
        if line.starts_with("##") || line.is_empty() {
            help.clear();
        } else if let Some(comment) = line.strip_prefix("# ") {
            help.push(comment);
        } else if let Some((name, _)) = line.split_once(" = ") {
            let default = defaults
                .get(name)
                .expect("the line is a key of the file")
                .clone();
            settings.push(Setting {
                name: name.to_owned(),
                default,
                variable: format!("LAFIYA_{}", name.to_uppercase()),
                flag: name.replace('_', "-"),
                help: help.join(" "),
            });
            help.clear();
        }
    }
    settings
});

/// The heading of the settings in the help.
pub(crate) const HELP_HEADING: &str = "Settings";

/// Returns the settings as command line arguments, each with its environment variable.
pub(crate) fn arguments() -> Vec<Arg> {
    CATALOGUE
        .iter()
        .map(|setting| {
            let default = setting.default.to_string();
            Arg::new(setting.name.as_str())
                .long(setting.flag.as_str())
                .env(setting.variable.as_str())
                .hide_env_values(setting.is_secret())
                .value_name("VALUE")
                .help(format!("{} [default: {default}]", setting.help))
                .help_heading(HELP_HEADING)
                .hide_short_help(true)
                .global(true)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_help_text() {
        assert!(CATALOGUE.len() > 20);
        for setting in CATALOGUE.iter() {
            assert!(
                setting.help.len() > 10,
                "{} has no comment above it",
                setting.name
            );
        }
    }
}
