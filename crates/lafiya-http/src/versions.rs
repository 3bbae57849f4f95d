//! API versions. The current one is `v1`. A table in the settings lists older versions, and v1
//! itself once it has an end: the deprecation date (RFC 9745), the sunset date (RFC 8594) and a
//! reduced rate limit for the time between. After the sunset every call gets 410.

use axum::http::{HeaderMap, HeaderValue};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;

/// The API version that this code implements.
pub const CURRENT: &str = "v1";
/// The value of `X-API-Version`.
pub const CURRENT_HEADER: &str = "1.0";

/// One row of the version table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionPolicy {
    /// The path prefix, such as `v0`.
    pub name: String,
    /// Date of the announcement (YYYY-MM-DD).
    pub deprecated_on: Date,
    /// First day on which calls get 410.
    pub sunset_on: Date,
    /// Requests per minute and key while deprecated.
    #[serde(default)]
    pub rate_limit_per_minute: Option<u32>,
    /// A link to migration instructions.
    #[serde(default)]
    pub link: Option<String>,
}

/// The version table.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    policies: Vec<VersionPolicy>,
}

impl Versions {
    /// Creates a table. Fails if a name is not a version or is listed twice, or if a sunset is not
    /// after the deprecation.
    pub fn new(policies: Vec<VersionPolicy>) -> Result<Self, String> {
        for (position, policy) in policies.iter().enumerate() {
            let name = &policy.name;
            let number = name.strip_prefix('v').unwrap_or_default();
            if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(format!(
                    "versions: `{name}` is not a version name such as v0"
                ));
            }
            if policies
                .iter()
                .take(position)
                .any(|other| other.name == *name)
            {
                return Err(format!("versions: {name} is listed twice"));
            }
            if policy.sunset_on <= policy.deprecated_on {
                return Err(format!("versions: {name} must end after it is deprecated"));
            }
        }
        Ok(Self { policies })
    }

    /// Returns the row of a path prefix.
    pub(crate) fn policy(&self, name: &str) -> Option<&VersionPolicy> {
        self.policies.iter().find(|policy| policy.name == name)
    }
}

impl VersionPolicy {
    /// Whether the version has ended.
    pub(crate) fn has_ended(&self, now: Timestamp) -> bool {
        start_of(self.sunset_on) <= now
    }

    /// Writes the headers `Deprecation`, `Sunset` and `Link`.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        let deprecated = format!("@{}", start_of(self.deprecated_on).as_second());
        insert(headers, "deprecation", &deprecated);
        insert(headers, "sunset", &http_date(start_of(self.sunset_on)));
        if let Some(link) = &self.link {
            insert(
                headers,
                "link",
                &format!("<{link}>; rel=\"deprecation\"; type=\"text/html\""),
            );
        }
    }
}

fn insert(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn start_of(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC)
        .map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

fn http_date(at: Timestamp) -> String {
    at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(name: &str, deprecated_on: &str, sunset_on: &str) -> VersionPolicy {
        VersionPolicy {
            name: name.to_owned(),
            deprecated_on: deprecated_on.parse().unwrap(),
            sunset_on: sunset_on.parse().unwrap(),
            rate_limit_per_minute: None,
            link: None,
        }
    }

    #[test]
    fn deprecation_and_sunset_headers_follow_their_standards() {
        let mut headers = HeaderMap::new();
        policy("v0", "2026-01-01", "2026-07-01").write(&mut headers);
        assert_eq!(headers["deprecation"], "@1767225600");
        assert_eq!(headers["sunset"], "Wed, 01 Jul 2026 00:00:00 GMT");
    }

    #[test]
    fn a_version_ends_on_its_day() {
        let v0 = policy("v0", "2026-01-01", "2026-07-01");
        assert!(!v0.has_ended("2026-06-30T23:59:59Z".parse().unwrap()));
        assert!(v0.has_ended("2026-07-01T00:00:00Z".parse().unwrap()));
    }

    #[test]
    fn an_invalid_version_table_is_refused() {
        assert!(Versions::new(vec![policy("zero", "2026-01-01", "2026-07-01")]).is_err());
        assert!(Versions::new(vec![policy("v0", "2026-07-01", "2026-01-01")]).is_err());
        let v0 = policy("v0", "2026-01-01", "2026-07-01");
        assert!(Versions::new(vec![v0.clone(), v0]).is_err());
    }
}
