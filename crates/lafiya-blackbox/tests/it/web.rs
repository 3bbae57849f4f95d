//! The pages for people, as far as bytes can tell: who gets in, cookies, forms, errors. What people
//! do on them is tried in a real browser.

use lafiya_blackbox::{BackendKind, Client, Server, shared};

fn browser(server: &Server) -> Client {
    server.client().with_header("Accept", "text/html")
}

#[test]
fn only_whoever_sits_at_an_embedded_machine_consults_without_signing_in() {
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
    let shut = Server::with("LAFIYA_CONSULT_AT_THE_MACHINE", "false").start();
    browser(&shut).get("/").expect(303);
}

#[test]
fn the_dashboard_leads_strangers_to_the_door() {
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
fn cookies_are_closed_to_scripts_and_to_other_sites() {
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
fn a_wrong_path_is_a_page_for_people_and_json_for_programs() {
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
fn people_are_made_on_the_command_line_and_their_link_works_once() {
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
fn the_first_start_prints_a_sign_in_link_that_works() {
    let server = Server::start();
    let log = server.log();
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
