//! Definitions and the CapabilityStatement, rendered once for a knowledge base and kept: they are
//! public, some are large, and validators ask for them often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use lafiya_fhir::{Resource, Systems};
use sha2::{Digest, Sha256};

use super::Wish;

/// How long a client may believe a definition without asking again.
const CACHE_CONTROL: &str = "public, max-age=300";

/// What was rendered.
pub(crate) struct Shelf {
    /// Our URLs.
    pub(crate) systems: Systems,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// The hash of the knowledge base it all belongs to.
    knowledge: String,
    texts: HashMap<(String, bool), Arc<Rendered>>,
}

/// One text and its tag.
pub(crate) struct Rendered {
    text: Bytes,
    tag: String,
}

impl Shelf {
    /// An empty shelf for a public address.
    pub(crate) fn new(public_url: &str) -> Self {
        Self {
            systems: Systems::new(public_url),
            kept: Mutex::new(Kept::default()),
        }
    }

    /// The text of a name, rendered now if it is not there yet. Names that mean nothing are not
    /// kept, so the shelf cannot grow beyond what exists.
    pub(crate) fn get(
        &self,
        knowledge: &str,
        name: &str,
        wish: Wish,
        render: impl FnOnce() -> Option<Resource<'static>>,
    ) -> Option<Arc<Rendered>> {
        let key = (name.to_owned(), wish.is_pretty());
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.knowledge != knowledge {
                *kept = Kept {
                    knowledge: knowledge.to_owned(),
                    texts: HashMap::new(),
                };
            }
            if let Some(rendered) = kept.texts.get(&key) {
                return Some(Arc::clone(rendered));
            }
        }
        let text = wish.text(&render()?);
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

/// The answer of a kept text: 304 where the client has it already.
pub(crate) fn answer_cached(rendered: &Rendered, wish: Wish, headers: &HeaderMap) -> Response {
    let known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|it| it.to_str().ok())
        .flat_map(|it| it.split(','))
        .any(|it| it.trim() == rendered.tag || it.trim() == "*");
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        wish.answer(rendered.text.clone())
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
