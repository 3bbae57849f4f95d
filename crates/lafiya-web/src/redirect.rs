//! Validates redirect targets: only paths of this site are allowed. Every redirect of the web app
//! uses this, because some targets come from the client.

use std::sync::LazyLock;

use url::Url;

/// A placeholder origin for this site: a target must not lead away from it, whatever the real
/// address is.
static THIS_SITE: LazyLock<Option<Url>> =
    LazyLock::new(|| Url::parse("http://this-site.invalid").ok());

/// Returns the target as a path with its query, if it stays on this site. It is parsed as browsers
/// parse it (they skip tabs and line breaks and treat `\` as `/`), and returned in the form that
/// was checked.
pub(crate) fn within_site(target: &str) -> Option<String> {
    let strange = |letter: char| letter.is_control() || letter == '\\';
    if !target.starts_with('/') || target.contains(strange) {
        return None;
    }
    let site = THIS_SITE.as_ref()?;
    let url = site.join(target).ok()?;
    let path = &url[url::Position::BeforePath..];
    // `/.//elsewhere` resolves to this site, but its serialized path starts with `//` and would
    // lead to another.
    let stays = url.origin() == site.origin() && !path.starts_with("//");
    stays.then(|| path.to_owned())
}

/// Encodes a path as the value of a query parameter.
pub(crate) fn in_query(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Origin;

    use super::*;

    /// Returns where a browser on a page of this site goes.
    fn followed(target: &str) -> Url {
        let here = Url::parse("https://lafiya.example:8443/sign-in?next=x").unwrap();
        here.join(target).unwrap()
    }

    #[track_caller]
    fn check_stays(target: &str) {
        let Some(path) = within_site(target) else {
            return;
        };
        assert!(path.starts_with('/'), "{target:?}: {path:?}");
        let there = followed(&path);
        let origin: Origin = followed("/").origin();
        assert_eq!(there.origin(), origin, "{target:?} leads to {there}");
        assert!(!path.contains(['\t', '\r', '\n', '\\']), "{path:?}");
        assert_eq!(within_site(&path).as_ref(), Some(&path), "{target:?}");
    }

    #[test]
    fn paths_of_this_site_are_kept_unchanged() {
        for path in [
            "/",
            "/dashboard",
            "/consult/3b241101-e2bb-4255-8caf-4136c566a962",
            "/dashboard/assessments?environment=test&before=x",
            "/docs/start/first-request#keys",
        ] {
            assert_eq!(within_site(path).as_deref(), Some(path));
        }
    }

    #[test]
    fn targets_on_other_sites_are_refused() {
        for target in [
            "",
            "dashboard",
            "?x",
            "//evil.example",
            "///evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r/evil.example",
            "\t//evil.example",
            "/\u{0}/evil.example",
            "/\u{7f}/evil.example",
            "/\u{85}/evil.example",
            "/.//evil.example",
            "/..//evil.example",
            "/a/..//evil.example",
            "/%2e//evil.example",
            "/%2e%2e//evil.example",
        ] {
            assert_eq!(within_site(target), None, "{target:?}");
        }
    }

    proptest! {
        #[test]
        fn no_target_leaves_the_site(target in any::<String>()) {
            check_stays(&target);
            check_stays(&format!("/{target}"));
        }

        /// Targets composed of parts that browsers parse in unusual ways.
        #[test]
        fn no_unusual_target_leaves_the_site(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "/", "\\", ".", "..", "%2e", "%2f", "%5c", "\t", "\n", "\r", "\u{0}", "\u{b}",
                    "\u{a0}", "\u{2028}", "\u{3000}", " ", "@", ":", "?", "#", "[", "]", "%09",
                    "evil.example", "http:", "javascript:", "／", "。", "a",
                ]),
                0..8,
            ),
        ) {
            let target = parts.concat();
            check_stays(&target);
            check_stays(&format!("/{target}"));
        }

        #[test]
        fn a_path_in_a_query_reads_back_unchanged(path in "/[ -~]{0,40}") {
            let url = followed(&format!("/sign-in?next={}", in_query(&path)));
            let next = url.query_pairs().find(|(name, _)| name == "next");
            prop_assert_eq!(next.map(|(_, value)| value.into_owned()), Some(path));
        }
    }
}
