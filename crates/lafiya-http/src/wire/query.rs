//! Reads query parameters. Every invalid one is reported; unknown ones are ignored.

use std::ops::RangeInclusive;
use std::str::FromStr;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use jiff::civil::Date;
use lafiya_model::tenant::UnknownWord;

use crate::error::ApiError;
use crate::wire::fields::{Problems, strict_date};

/// The parameters of a request and the problems found in them so far.
pub(crate) struct Params {
    sent: Vec<(String, String)>,
    pub(crate) problems: Problems,
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut problems = Problems::default();
        let sent = match Query::<Vec<(String, String)>>::try_from_uri(&parts.uri) {
            Ok(Query(sent)) => sent,
            Err(_) => {
                problems.note("", "has a query string that is not valid UTF-8 text");
                Vec::new()
            }
        };
        Ok(Self { sent, problems })
    }
}

impl Params {
    fn only(&mut self, name: &str) -> Option<String> {
        let mut values = self
            .sent
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.clone());
        let first = values.next();
        if values.next().is_some() {
            self.problems
                .note(format!("/{name}"), "was sent more than once");
        }
        first
    }

    /// Returns a text of at most `characters_max` characters. An empty one counts as missing.
    pub(crate) fn text(&mut self, name: &str, characters_max: usize) -> Option<String> {
        let text = self.only(name)?;
        if text.chars().count() > characters_max {
            self.problems.note(
                format!("/{name}"),
                format!("may have at most {characters_max} characters"),
            );
            return None;
        }
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns a trimmed id. An empty one is invalid, not missing: a request for one record must
    /// not return all.
    pub(crate) fn id(&mut self, name: &str) -> Option<String> {
        self.only(name).map(|text| text.trim().to_owned())
    }

    /// Returns a value of an enumeration. Unlike a text it may not be empty.
    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(&mut self, name: &str) -> Option<T> {
        let text = self.only(name)?;
        let read = text.trim().parse();
        self.problems.understood(format!("/{name}"), read)
    }

    /// Returns a required date.
    pub(crate) fn date(&mut self, name: &str) -> Option<Date> {
        let pointer = format!("/{name}");
        let Some(text) = self.only(name) else {
            self.problems.require(&pointer);
            return None;
        };
        let date = strict_date(text.trim());
        if date.is_none() {
            self.problems
                .note(pointer, "must be a date such as 2026-09-15");
        }
        date
    }

    /// Returns an integer within bounds, or the default.
    pub(crate) fn integer(&mut self, name: &str, bounds: RangeInclusive<u64>, default: u64) -> u64 {
        self.number(name, bounds).unwrap_or(default)
    }

    /// Returns an integer within bounds, if one was sent.
    pub(crate) fn number(&mut self, name: &str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let text = self.only(name)?;
        match text.parse::<u64>() {
            Ok(number) if bounds.contains(&number) => Some(number),
            _ => {
                let (least, most) = (bounds.start(), bounds.end());
                let reason = if *most == u64::MAX {
                    format!("must be an integer of at least {least}")
                } else {
                    format!("must be an integer from {least} to {most}")
                };
                self.problems.note(format!("/{name}"), reason);
                None
            }
        }
    }

    /// Returns a boolean: `true` or `false`.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.only(name).as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                self.problems
                    .note(format!("/{name}"), "must be true or false");
                false
            }
        }
    }
}
