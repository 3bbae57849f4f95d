//! The definition cache: FHIR definitions and the CapabilityStatement, rendered once per knowledge
//! base. They are public, some are large, and validators request them often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use lafiya_fhir::{Resource, Systems};
use sha2::{Digest, Sha256};

use super::FhirFormat;

/// How long a client may use a cached definition without revalidation.
const CACHE_CONTROL: &str = "public, max-age=300";

/// The definition cache.
pub(crate) struct DefinitionCache {
    /// Our FHIR URLs.
    pub(crate) systems: Systems,
    kept: Mutex<CachedTexts>,
}

#[derive(Default)]
struct CachedTexts {
    /// The hash of the knowledge base that the texts were rendered from.
    knowledge: String,
    texts: HashMap<(String, bool), Arc<Rendered>>,
}

/// A rendered text and its ETag.
pub(crate) struct Rendered {
    text: Bytes,
    tag: String,
}

impl DefinitionCache {
    /// Creates an empty cache for a public URL.
    pub(crate) fn new(public_url: &str) -> Self {
        Self {
            systems: Systems::new(public_url),
            kept: Mutex::new(CachedTexts::default()),
        }
    }

    /// Returns the text of a definition and renders it on a cache miss. Unknown names are not
    /// cached, so the cache cannot grow beyond the definitions that exist.
    pub(crate) fn get(
        &self,
        knowledge: &str,
        name: &str,
        format: FhirFormat,
        render: impl FnOnce() -> Option<Resource<'static>>,
    ) -> Option<Arc<Rendered>> {
        let key = (name.to_owned(), format.is_pretty());
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.knowledge != knowledge {
                *kept = CachedTexts {
                    knowledge: knowledge.to_owned(),
                    texts: HashMap::new(),
                };
            }
            if let Some(rendered) = kept.texts.get(&key) {
                return Some(Arc::clone(rendered));
            }
        }
        let text = format.text(&render()?);
        let digest = Sha256::digest(&text);
        let tag = hex::encode(&digest[..12]);
        let rendered = Arc::new(Rendered {
            text: text.into(),
            tag: format!("W/\"{tag}\""),
        });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.knowledge == knowledge {
            kept.texts.insert(key, Arc::clone(&rendered));
        }
        Some(rendered)
    }
}

/// Returns a cached text, or 304 if the client already has it.
pub(crate) fn answer_cached(
    rendered: &Rendered,
    format: FhirFormat,
    headers: &HeaderMap,
) -> Response {
    let known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(','))
        .any(|tag| tag.trim() == rendered.tag || tag.trim() == "*");
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        format.answer(rendered.text.clone())
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static(CACHE_CONTROL),
    );
    if let Ok(tag) = HeaderValue::from_str(&rendered.tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
