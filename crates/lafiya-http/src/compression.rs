//! Response compression (Brotli or gzip) for clients that accept it.

use axum::Router;
use tower_http::compression::Compression;
use tower_http::compression::predicate::{And, NotForContentType, Predicate, SizeAbove};

/// Smaller bodies are not compressed: compression costs more than it saves.
const COMPRESSED_BYTES_MIN: u64 = 1400;

/// A router whose responses are compressed.
pub(crate) type Compressing =
    Compression<Router, And<And<SizeAbove, NotForContentType>, NotForContentType>>;

pub(crate) fn compressing(router: Router) -> Compressing {
    let worth_it = SizeAbove::new(COMPRESSED_BYTES_MIN)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/octet-stream"));
    Compression::new(router)
        .br(true)
        .gzip(true)
        .compress_when(worth_it)
}
