//! Tests `/docs` and the API reference below it: pages that work without internet access.

use lafiya_blackbox::{Answer, Client, shared};

/// Returns the API reference, after at most one redirect within the service.
fn page(client: &Client) -> (String, Answer) {
    let answer = client.get("/docs/api");
    if !(300..400).contains(&answer.status) {
        return ("/docs/api".to_owned(), answer);
    }
    let location = answer.required_header("location").to_owned();
    assert!(
        location.starts_with('/'),
        "the redirect leaves the service: {answer}"
    );
    let answer = client.get(&location);
    (location, answer)
}

/// Returns the assets that the page loads, as paths of the service.
fn assets(base: &str, html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for attribute in ["src=\"", "href=\""] {
        for part in html.split(attribute).skip(1) {
            let link = part.split('"').next().unwrap_or_default();
            let link = link.trim_start_matches("./");
            if link.starts_with('/') {
                found.push(link.to_owned());
            } else if !link.is_empty() && !link.starts_with("data:") {
                let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
                found.push(format!("{folder}/{link}"));
            }
        }
    }
    found
}

#[test]
fn the_documentation_is_public_and_links_to_the_reference() {
    let client = shared().client();
    let answer = client.get("/docs").expect(200);
    let kind = answer.required_header("content-type");
    assert!(kind.starts_with("text/html"), "{kind}");
    let html = answer.text();
    assert!(html.contains("/docs/api"), "no link to the reference");
    let policy = answer.required_header("content-security-policy");
    assert!(
        policy.contains("default-src 'self'") && !policy.contains("unsafe"),
        "{policy}"
    );
    for path in [
        "/docs/start/first-request",
        "/docs/errors",
        "/docs/clinical/method",
    ] {
        client.get(path).expect(200);
    }
}

#[test]
fn the_api_reference_is_public_html() {
    let (_, answer) = page(&shared().client());
    let answer = answer.expect(200);
    let kind = answer.required_header("content-type");
    assert!(kind.starts_with("text/html"), "{kind}");
}

#[test]
fn all_assets_of_the_page_come_from_the_service() {
    let server = shared();
    let (base, answer) = page(&server.client());
    let html = answer.expect(200).text();
    let assets = assets(&base, &html);
    assert!(
        assets.len() >= 3,
        "a page with scripts and styles: {assets:?}"
    );
    for asset in &assets {
        assert!(!asset.contains("//"), "{asset} leaves the service");
        server.client().get(asset).expect(200);
    }
    for foreign in ["http://", "https://", "cdn"] {
        assert!(
            !html.to_lowercase().contains(foreign),
            "the page names {foreign}"
        );
    }
}

#[test]
fn the_page_uses_the_openapi_document_of_the_service() {
    let server = shared();
    let (base, answer) = page(&server.client());
    let html = answer.expect(200).text();
    let named = |text: &str| text.contains("/v1/openapi.json");
    let in_an_asset = || {
        assets(&base, &html)
            .iter()
            .filter(|asset| asset.contains("initializer"))
            .any(|asset| named(&server.client().get(asset).text()))
    };
    assert!(named(&html) || in_an_asset(), "the page names no document");
}

#[test]
fn the_page_may_not_load_anything_from_elsewhere() {
    let (_, answer) = page(&shared().client());
    let policy = answer.required_header("content-security-policy");
    assert!(policy.contains("default-src 'self'"), "{policy}");
}
