//! Style sheet, scripts and font, embedded in the binary. Their URL contains a hash of all of them,
//! so that browsers may cache them for a year and never show an outdated one.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $kind:literal) => {
        Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("../assets/", $name)),
        }
    };
}

const ASSETS: &[Asset] = &[
    asset!("lafiya.css", "text/css; charset=utf-8"),
    asset!("lafiya.js", "text/javascript; charset=utf-8"),
    asset!("findings.js", "text/javascript; charset=utf-8"),
    asset!("consult.js", "text/javascript; charset=utf-8"),
    asset!("kept.js", "text/javascript; charset=utf-8"),
    asset!("heading.woff2", "font/woff2"),
    asset!("icon.svg", "image/svg+xml"),
];

/// The URL prefix of this binary's assets, such as `/assets/1f2e3d4c5b6a`.
pub(crate) static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for asset in ASSETS {
        hash.update(asset.bytes);
    }
    let digest = hash.finalize();
    format!("/assets/{}", hex::encode(&digest[..6]))
});

/// `GET /assets/{version}/{name}`. The URL of another version serves the current file with
/// `no-cache`.
pub(crate) async fn serve(Path((version, name)): Path<(String, String)>) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    (
        [
            (header::CONTENT_TYPE, HeaderValue::from_static(asset.kind)),
            (
                header::CACHE_CONTROL,
                HeaderValue::from_static(cache_control(&version)),
            ),
        ],
        asset.bytes,
    )
        .into_response()
}

/// A browser may keep a file for long only at an address that changes with the file.
fn cache_control(version: &str) -> &'static str {
    if FOLDER.strip_prefix("/assets/") == Some(version) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    }
}

/// `GET /favicon.ico`, for browsers that request this fixed path.
pub(crate) async fn icon() -> Response {
    serve(Path((String::new(), "icon.svg".to_owned()))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_current_version_is_cached_for_long() {
        let current = FOLDER.strip_prefix("/assets/").unwrap();
        assert!(cache_control(current).contains("immutable"));
        for other in ["", "any", &current[1..]] {
            assert_eq!(cache_control(other), "no-cache", "{other:?}");
        }
    }
}
