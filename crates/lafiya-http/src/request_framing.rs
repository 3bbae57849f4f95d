//! Checks of the request head that HTTP/1.1 requires and hyper does not make. If a proxy and this
//! service disagree about where a request ends or which host it is for, a client can smuggle one
//! request inside another; so every ambiguous request is refused.

use axum::body::Body;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request, Version, header};

/// Returns what is wrong with a request head, as a sentence.
pub(crate) fn fault_of(request: &Request<Body>) -> Option<&'static str> {
    let headers = request.headers();
    fault_of_host(headers, request.version()).or_else(|| fault_of_encoding(headers))
}

fn fault_of_host(headers: &HeaderMap, version: Version) -> Option<&'static str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => Some("The header Host stands more than once."),
        (None, None) if version == Version::HTTP_11 => Some("The header Host is missing."),
        (None, None) => None,
        (Some(host), None) => {
            let is_empty = host.is_empty();
            let authority = Authority::try_from(host.as_bytes());
            let is_host = authority.is_ok_and(|authority| !authority.as_str().contains('@'));
            (!is_empty && !is_host).then_some("The header Host is not a host name and port.")
        }
    }
}

/// Accepts only `chunked`: the other transfer codings are compression, which this service does not
/// decode.
fn fault_of_encoding(headers: &HeaderMap) -> Option<&'static str> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let coding = codings.next()?;
    let is_chunked = coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    (!is_chunked || codings.next().is_some())
        .then_some("Transfer-Encoding may only be `chunked`, once.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&str, &str)], is_fine: bool) {
        let mut request = Request::builder().version(Version::HTTP_11);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        assert_eq!(fault_of(&request).is_none(), is_fine, "{headers:?}");
    }

    #[test]
    fn a_request_needs_exactly_one_valid_host() {
        check(&[("host", "api.example.org")], true);
        check(&[("host", "127.0.0.1:8080")], true);
        check(&[("host", "[::1]:8080")], true);
        check(&[("host", "")], true);
        check(&[], false);
        check(&[("host", "a"), ("host", "a")], false);
        check(&[("host", "user@a")], false);
        check(&[("host", "a b")], false);
        check(&[("host", "a/path")], false);
    }

    #[test]
    fn http_1_0_needs_no_host() {
        let request = Request::builder().version(Version::HTTP_10);
        assert_eq!(fault_of(&request.body(Body::empty()).unwrap()), None);
    }

    #[test]
    fn chunked_is_the_only_transfer_encoding() {
        let host = ("host", "a");
        check(&[host, ("transfer-encoding", "chunked")], true);
        check(&[host, ("transfer-encoding", "Chunked")], true);
        for coding in [
            "gzip, chunked",
            "chunked, chunked",
            "identity",
            "",
            "xchunked",
        ] {
            check(&[host, ("transfer-encoding", coding)], false);
        }
        let chunked = ("transfer-encoding", "chunked");
        check(&[host, chunked, chunked], false);
        check(&[host, ("transfer-encoding", "gzip"), chunked], false);
    }
}
