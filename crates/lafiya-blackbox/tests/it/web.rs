//! Tests the web pages at the HTTP level: access, cookies, forms, errors. Interaction is tested in
//! a real browser.

use lafiya_blackbox::{BackendKind, Client, Server, shared};

use crate::tenants::form_token;

fn browser(server: &Server) -> Client {
    server.client().with_header("Accept", "text/html")
}

#[test]
fn only_local_users_of_an_embedded_setup_skip_signing_in() {
    let server = shared();
    let here = browser(&server).get("/");
    if BackendKind::of_this_run() == BackendKind::Servers {
        assert_eq!(here.status, 303, "{here}");
        return;
    }
    assert!(
        here.expect(200)
            .text()
            .contains("What brings the patient in?")
    );
    let passed_on = browser(&server).with_header("X-Forwarded-For", "203.0.113.9");
    let answer = passed_on.get("/").expect(303);
    assert!(
        answer.required_header("location").starts_with("/sign-in"),
        "{answer}"
    );
    for (setting, value) in [
        ("LAFIYA_CONSULT_AT_THE_MACHINE", "false"),
        // A proxy that adds no header is known only from the settings.
        ("LAFIYA_TRUSTED_PROXIES", "127.0.0.1/32"),
    ] {
        let shut = Server::with(setting, value).start();
        browser(&shut).get("/").expect(303);
    }
}

#[test]
fn signing_in_does_not_reveal_which_accounts_exist() {
    let server = Server::without_limits().start();
    let known = "ada@clinic.example";
    let made = server.cli(&[
        "user", "create", known, "--tenant", "demo", "--role", "owner",
    ]);
    assert!(made.status.success(), "{made:?}");
    // More than enough to lock an account.
    let answers = |email: &str| -> Vec<String> {
        let tries = (0..7).map(|_| said_to_who_signs_in(&server, email));
        tries.collect()
    };
    let (of_known, of_unknown) = (answers(known), answers("eve@clinic.example"));
    assert!(of_known[0].contains("is wrong"), "{}", of_known[0]);
    assert_eq!(of_known, of_unknown);
}

/// Returns the page's message for a wrong password.
fn said_to_who_signs_in(server: &Server, email: &str) -> String {
    let browser = browser(server);
    let page = browser.get("/sign-in").expect(200);
    let token = form_token(&page);
    let answer = browser
        .with_header("Cookie", &page.cookies())
        .request("POST", "/sign-in")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(format!(
            "form_token={token}&email={email}&password=a+wrong+password"
        ))
        .send()
        .expect(401);
    let page = answer.text();
    let (_, alert) = page.split_once("role=\"alert\"").expect("an alert");
    let (said, _) = alert.split_once("</div>").expect("its end");
    said.to_owned()
}

#[test]
fn the_dashboard_redirects_strangers_to_sign_in() {
    for path in [
        "/dashboard",
        "/dashboard/keys",
        "/dashboard/members",
        "/dashboard/operator",
    ] {
        let answer = browser(&shared()).get(path).expect(303);
        let place = answer.required_header("location").to_owned();
        assert_eq!(place, format!("/sign-in?next={path}"));
    }
}

#[test]
fn cookies_are_http_only_and_same_site() {
    let answer = browser(&shared()).get("/sign-in");
    let cookie = answer.required_header("set-cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
}

#[test]
fn a_form_without_its_token_is_refused() {
    let sent = browser(&shared())
        .request("POST", "/sign-in")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(b"email=a%40b.example&password=x".to_vec())
        .send()
        .expect(403);
    assert!(sent.text().contains("no longer valid"), "{sent}");
}

#[test]
fn a_wrong_path_is_html_for_browsers_and_json_for_programs() {
    let page = browser(&shared()).get("/nowhere").expect(404);
    assert!(
        page.required_header("content-type")
            .starts_with("text/html")
    );
    let json = shared().client().get("/nowhere").expect(404);
    assert_eq!(json.required_header("content-type"), "application/json");
    let api = browser(&shared()).get("/v1/nowhere").expect(404);
    assert_eq!(api.required_header("content-type"), "application/json");
}

#[test]
fn users_created_by_cli_get_a_link_that_works_once() {
    let server = Server::start();
    let made = server.cli(&[
        "user",
        "create",
        "Ada@Clinic.example",
        "--tenant",
        "demo",
        "--role",
        "clinician",
        "--json",
    ]);
    let made = made.json();
    assert_eq!(made["email"], "ada@clinic.example");
    let link = made["sign_in_link"].as_str().expect("a link");
    let token = link.rsplit('/').next().expect("a token").to_owned();
    let path = format!("/sign-in/link/{token}");
    assert!(
        browser(&server)
            .get(&path)
            .expect(200)
            .text()
            .contains("ada@clinic.example")
    );
    server.cli(&["user", "link", "ada@clinic.example"]);
    browser(&server).get(&path).expect(410);
    let twice = server.cli(&[
        "user",
        "create",
        "ada@clinic.example",
        "--tenant",
        "demo",
        "--role",
        "owner",
    ]);
    assert!(!twice.status.success(), "{twice:?}");
}

#[test]
fn the_first_start_shows_a_working_sign_in_link() {
    let server = Server::start();
    let log = server.told_at_first_start();
    let link = log
        .split_whitespace()
        .find(|word| word.contains("/sign-in/link/"));
    let link = link.unwrap_or_else(|| panic!("no link:\n{log}"));
    let path = link
        .split_once("/sign-in")
        .map(|(_, rest)| format!("/sign-in{rest}"));
    let page = browser(&server).get(&path.unwrap_or_default()).expect(200);
    assert!(page.text().contains("owner@demo.localhost"));
}
