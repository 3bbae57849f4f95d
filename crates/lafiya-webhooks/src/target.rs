//! Checks whether a URL may be called, at registration and again before every attempt. Names are
//! resolved and checked when the connection is made (`resolver`), so that a name cannot change its
//! address in between.

use std::net::IpAddr;

use reqwest::Url;

use crate::addresses::{NetworkKind, place_of};

/// Maximum length of a URL, in characters.
pub const URL_CHARACTERS_MAX: usize = 2048;

/// Which targets the operator allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetPolicy {
    /// `https` to public addresses.
    #[default]
    PublicHttps,
    /// For development: also plain `http`, this machine and private networks. Link-local addresses,
    /// where clouds provide their credentials, stay forbidden.
    Insecure,
}

/// Why a URL may not be called. The messages complete a sentence that starts with the field name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetRefusal {
    /// It is too long.
    #[error("may have at most {URL_CHARACTERS_MAX} characters")]
    TooLong,
    /// It is not a URL.
    #[error("must be an absolute URL such as https://example.org/hooks")]
    NotAUrl,
    /// It has another scheme.
    #[error("must begin with https://")]
    NotHttps,
    /// It contains a user name or a password.
    #[error("must not hold a user name or a password")]
    Credentials,
    /// It has a fragment, which is never sent.
    #[error("must not have a fragment (#...)")]
    Fragment,
    /// It has port 0, which cannot be connected to.
    #[error("must not name port 0")]
    PortZero,
    /// It is not a public address.
    #[error("must lead to a public address, not to a private, local or reserved one")]
    NotPublic,
}

impl TargetPolicy {
    /// Parses the URL and checks everything that can be checked without resolving its name.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_webhooks::TargetPolicy;
    ///
    /// let policy = TargetPolicy::PublicHttps;
    /// assert!(policy.check("https://example.org/hooks").is_ok());
    /// assert!(policy.check("https://127.0.0.1/hooks").is_err());
    /// assert!(policy.check("http://example.org/hooks").is_err());
    /// ```
    pub fn check(self, text: &str) -> Result<Url, TargetRefusal> {
        if text.chars().count() > URL_CHARACTERS_MAX {
            return Err(TargetRefusal::TooLong);
        }
        let url: Url = text.parse().map_err(|_| TargetRefusal::NotAUrl)?;
        match url.scheme() {
            "https" => {}
            "http" if self == Self::Insecure => {}
            _ => return Err(TargetRefusal::NotHttps),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetRefusal::Credentials);
        }
        if url.fragment().is_some() {
            return Err(TargetRefusal::Fragment);
        }
        if url.port() == Some(0) {
            return Err(TargetRefusal::PortZero);
        }
        let host = url.host_str().ok_or(TargetRefusal::NotAUrl)?;
        if self.allows_host(host) {
            Ok(url)
        } else {
            Err(TargetRefusal::NotPublic)
        }
    }

    /// Whether a connection to this address is allowed.
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        match place_of(address) {
            NetworkKind::Public => true,
            NetworkKind::Private => self == Self::Insecure,
            NetworkKind::Special => false,
        }
    }

    /// Checks the host of a URL. The parser has already normalised forms such as `0x7f.1` and
    /// `2130706433` to dotted decimal.
    fn allows_host(self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse() {
            return self.allows(address);
        }
        // A dot at the end means the same name, "localhost.".
        let name = host.trim_end_matches('.');
        // By name as well: what such a name resolves to depends on the machine.
        let is_local = ["localhost", "local", "internal"]
            .iter()
            .any(|last| name.rsplit('.').next() == Some(last));
        !name.is_empty() && (self == Self::Insecure || !is_local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(policy: TargetPolicy, url: &str, expected: Result<(), TargetRefusal>) {
        assert_eq!(policy.check(url).map(drop), expected, "{url}");
    }

    #[test]
    fn only_public_https_is_accepted() {
        use TargetRefusal::{
            Credentials, Fragment, NotAUrl, NotHttps, NotPublic, PortZero, TooLong,
        };
        let policy = TargetPolicy::PublicHttps;
        for url in [
            "https://example.org",
            "https://example.org:8443/hooks?tenant=1",
            "https://8.8.8.8/hooks",
            "https://[2606:4700:4700::1111]/",
            "https://münchen.example/",
        ] {
            check(policy, url, Ok(()));
        }
        for (url, refusal) in [
            ("", NotAUrl),
            ("example.org/hooks", NotAUrl),
            ("https://", NotAUrl),
            ("http://example.org", NotHttps),
            ("ftp://example.org", NotHttps),
            ("file:///etc/passwd", NotHttps),
            ("gopher://127.0.0.1:6379/_", NotHttps),
            ("https://user@example.org", Credentials),
            ("https://user:secret@example.org", Credentials),
            ("https://example.org/#part", Fragment),
            ("https://example.org:0/hooks", PortZero),
            ("https://example.org:00000", PortZero),
            ("https://localhost/", NotPublic),
            ("https://LOCALHOST./", NotPublic),
            ("https://api.localhost:8443/", NotPublic),
            ("https://metadata.google.internal/", NotPublic),
            ("https://printer.local/", NotPublic),
            ("https://127.0.0.1/", NotPublic),
            ("https://127.1/", NotPublic),
            ("https://2130706433/", NotPublic),
            ("https://0x7f000001/", NotPublic),
            ("https://0177.0.0.1/", NotPublic),
            ("https://0/", NotPublic),
            ("https://10.1.2.3/", NotPublic),
            ("https://169.254.169.254/latest/meta-data/", NotPublic),
            ("https://[::1]/", NotPublic),
            ("https://[::]/", NotPublic),
            ("https://[::ffff:127.0.0.1]/", NotPublic),
            ("https://[::ffff:a9fe:a9fe]/", NotPublic),
            ("https://[64:ff9b::a9fe:a9fe]/", NotPublic),
            ("https://[fe80::1]/", NotPublic),
            ("https://[fd00:ec2::254]/", NotPublic),
            ("https://①②⑦.⓪.⓪.①/", NotPublic),
        ] {
            check(policy, url, Err(refusal));
        }
        let long = format!("https://example.org/{}", "a".repeat(URL_CHARACTERS_MAX));
        check(policy, &long, Err(TooLong));
    }

    #[test]
    fn developers_may_use_localhost_but_not_the_metadata_service() {
        let policy = TargetPolicy::Insecure;
        for url in [
            "http://127.0.0.1:9000/hooks",
            "http://localhost:9000",
            "https://192.168.1.4/",
            "http://[::1]:9000/",
            "http://receiver:9000/",
        ] {
            check(policy, url, Ok(()));
        }
        for url in [
            "http://169.254.169.254/latest/meta-data/",
            "http://[fd00:ec2::254]/",
            "http://0.0.0.0:9000/",
        ] {
            check(policy, url, Err(TargetRefusal::NotPublic));
        }
        check(policy, "ftp://127.0.0.1/", Err(TargetRefusal::NotHttps));
        check(policy, "http://127.0.0.1:0/", Err(TargetRefusal::PortZero));
    }
}
