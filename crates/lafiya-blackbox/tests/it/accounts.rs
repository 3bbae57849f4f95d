//! Tests of attacks on accounts: operators, one-time links, one-time codes, simultaneous attempts,
//! and strangers who try to lock out an owner.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use lafiya_blackbox::{Answer, Client, Server, at_once, eventually};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::tenants::{form_token, member, page_call, signed_in};

const PASSWORD: &str = "four unrelated words";
const ACCOUNT: &str = "/dashboard/account";

fn operator(server: &Server, email: &str) -> Value {
    let words = [
        "user", "create", email, "--tenant", "demo", "--role", "owner",
    ];
    let made = server.cli(&[&words[..], &["--operator", "--json"]].concat());
    made.json()
}

/// Submits a form in this browser.
fn send(browser: &Client, path: &str, form: &str) -> Answer {
    let token = form_token(&browser.get(ACCOUNT).expect(200));
    page_call(browser, &token, &("POST", path.to_owned(), form)).send()
}

fn set_password(browser: &Client, current: &str, new: &str) -> Answer {
    let form = format!("current={}&new={}", plus(current), plus(new));
    send(browser, "/dashboard/account/password", &form)
}

fn plus(text: &str) -> String {
    text.replace(' ', "+")
}

/// A stranger's browser on the sign-in page.
struct SignInForm {
    browser: Client,
    token: String,
}

impl SignInForm {
    fn of(browser: &Client) -> Self {
        let page = browser.get("/sign-in").expect(200);
        Self {
            browser: browser.with_header("Cookie", &page.cookies()),
            token: form_token(&page),
        }
    }

    fn sign_in(&self, email: &str, password: &str, code: &str) -> Answer {
        let form = format!("email={email}&password={}&code={code}", plus(password));
        let call = ("POST", "/sign-in".to_owned(), form.as_str());
        page_call(&self.browser, &self.token, &call).send()
    }
}

fn browser(server: &Server) -> Client {
    server.client().with_header("Accept", "text/html")
}

/// Returns the cookie that identifies a known browser after sign-in, without the session.
fn device(entered: &Answer) -> String {
    let cookies = entered.cookies();
    let device = cookies
        .split("; ")
        .find(|cooky| cooky.contains("lafiya-device"));
    device.expect("a cookie of the browser").to_owned()
}

fn one_time_path(made: &Value) -> String {
    let link = made["sign_in_link"].as_str().expect("a link");
    let (_, path) = link.split_once("/sign-in/").expect("a link");
    format!("/sign-in/{path}")
}

fn new_link(server: &Server, email: &str) -> String {
    one_time_path(&server.cli(&["user", "link", email, "--json"]).json())
}

/// Returns the code of an authenticator app, `later` steps of 30 s from now.
fn code(secret: &str, later: i64) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = secret.bytes().flat_map(|letter| {
        let value = letters
            .iter()
            .position(|known| *known == letter)
            .expect("base 32");
        (0..5).rev().map(move |bit| value >> bit & 1)
    });
    let bits: Vec<usize> = bits.collect();
    let key: Vec<u8> = bits
        .chunks_exact(8)
        .map(|byte| {
            byte.iter()
                .fold(0, |all, bit| all * 2 + u8::try_from(*bit).expect("a bit"))
        })
        .collect();
    let step = jiff::Timestamp::now().as_second() / 30 + later;
    let mut mac = Hmac::<Sha1>::new_from_slice(&key).expect("a key of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 0x0f);
    let word = u32::from_be_bytes(hash[offset..offset + 4].try_into().expect("four bytes"));
    format!("{:06}", (word & 0x7fff_ffff) % 1_000_000)
}

/// Waits for the start of a time step, so that no code expires between its creation and its use.
fn early_in_a_step() {
    eventually("a step of time begins", Duration::from_secs(30), || {
        (jiff::Timestamp::now().as_second() % 30 < 20).then_some(())
    });
}

/// Turns one-time codes on and returns the secret.
fn turn_codes_on(browser: &Client) -> String {
    let page = browser.get(ACCOUNT).expect(200);
    let page = page.text();
    let (_, rest) = page
        .split_once("name=\"secret\" value=\"")
        .expect("a secret");
    let secret = rest.split('"').next().unwrap_or_default().to_owned();
    early_in_a_step();
    let form = format!("secret={secret}&code={}", code(&secret, -1));
    send(browser, "/dashboard/account/codes", &form).expect(303);
    secret
}

/// Returns the actions for this account on the members page of a browser.
fn acts_offered(browser: &Client, id: &str) -> BTreeSet<String> {
    let page = browser.get("/dashboard/members").expect(200);
    let page = page.text();
    let prefix = format!("action=\"/dashboard/members/{id}/");
    page.split(&prefix)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect()
}

/// An operator's account controls the whole installation.
#[test]
fn only_operators_change_operators() {
    let server = Server::without_limits().start();
    let target = operator(&server, "first@demo.example");
    let id = target["id"].as_str().unwrap().to_owned();
    let target = signed_in(&server, &target);
    set_password(&target, "", PASSWORD).expect(303);
    turn_codes_on(&target);
    let owner = signed_in(&server, &member(&server, "demo", "owner@demo.example"));
    let second = signed_in(&server, &operator(&server, "second@demo.example"));
    let members = || {
        server
            .cli(&["user", "list", "--tenant", "demo", "--json"])
            .json()
    };
    let before = members();

    let acts = acts_offered(&second, &id);
    let known = ["codes", "link", "remove", "role"].map(str::to_owned);
    assert_eq!(acts, BTreeSet::from(known), "every act is tried below");
    assert_eq!(acts_offered(&owner, &id), BTreeSet::new());
    for act in &acts {
        let path = format!("/dashboard/members/{id}/{act}");
        let refused = send(&owner, &path, "role=clinician").expect(403);
        assert!(!refused.text().contains("/sign-in/link/"), "{act}");
    }
    for act in ["create", "tier", "country", "suspend", "resume"] {
        let form = format!("act={act}&name=demo&tier=pilot");
        send(&owner, "/dashboard/operator/tenants", &form).expect(403);
    }
    owner.get("/dashboard/operator").expect(403);
    // An unknown form field makes nobody an operator.
    let form = "email=third@demo.example&role=owner&operator=1&operator=true";
    send(&owner, "/dashboard/members", form).expect(200);
    let third = members();
    let third = third.as_array().unwrap().iter();
    let mut third = third.filter(|member| member["email"] == "third@demo.example");
    assert_eq!(third.next().unwrap()["operator"], json!(false));
    server.cli(&["user", "remove", "third@demo.example"]);

    assert_eq!(members(), before, "nothing was changed");
    let page = target.get(ACCOUNT).expect(200);
    assert!(page.text().contains("Turn codes off"), "codes are still on");

    for (act, status) in [
        ("role", 303),
        ("codes", 303),
        ("link", 200),
        ("remove", 303),
    ] {
        let path = format!("/dashboard/members/{id}/{act}");
        send(&second, &path, "role=developer").expect(status);
    }
    target.get(ACCOUNT).expect(303);
}

/// An owner manages the members of a tenant, except operators among them.
#[test]
fn an_owner_changes_ordinary_members() {
    let server = Server::without_limits().start();
    let owner = signed_in(&server, &member(&server, "demo", "owner@demo.example"));
    let nurse = member(&server, "demo", "nurse@demo.example");
    let id = nurse["id"].as_str().unwrap().to_owned();
    let nurse = signed_in(&server, &nurse);
    set_password(&nurse, "", PASSWORD).expect(303);
    turn_codes_on(&nurse);
    for (act, status) in [
        ("role", 303),
        ("codes", 303),
        ("link", 200),
        ("remove", 303),
    ] {
        let path = format!("/dashboard/members/{id}/{act}");
        send(&owner, &path, "role=developer").expect(status);
    }
}

#[test]
fn a_one_time_link_never_skips_the_second_factor() {
    let server = Server::without_limits().start();
    let email = "ada@demo.example";
    let ada = signed_in(&server, &member(&server, "demo", email));
    set_password(&ada, "", PASSWORD).expect(303);
    let secret = turn_codes_on(&ada);

    let path = new_link(&server, email);
    let browser = browser(&server);
    let page = browser.get(&path).expect(200);
    assert!(page.text().contains("name=\"code\""), "a code is asked for");
    let visiting = browser.with_header("Cookie", &page.cookies());
    let token = form_token(&page);
    let follow = |path: &str, code: &str| {
        let form = format!("code={code}");
        page_call(&visiting, &token, &("POST", path.to_owned(), form.as_str())).send()
    };
    for wrong in ["", "000000", "12345", "no code"] {
        let refused = follow(&path, wrong).expect(401);
        assert_eq!(refused.header("set-cookie"), None, "{wrong:?}");
    }
    early_in_a_step();
    let right = code(&secret, 0);
    let entered = follow(&path, &right).expect(303);
    assert!(entered.cookies().contains("lafiya-session"), "{entered}");
    // The code was used, and so was the link.
    follow(&new_link(&server, email), &right).expect(401);
    follow(&path, &code(&secret, 1)).expect(410);
}

#[test]
fn a_link_sign_in_sets_a_password_without_the_old_one_once() {
    let server = Server::without_limits().start();
    let email = "ada@demo.example";
    let first = signed_in(&server, &member(&server, "demo", email));
    set_password(&first, "", PASSWORD).expect(303);
    set_password(&first, "", "another good word").expect(422);
    let made = server.cli(&["user", "link", email, "--json"]).json();
    let by_link = signed_in(&server, &made);
    let page = by_link.get(ACCOUNT).expect(200);
    assert!(!page.text().contains("name=\"current\""), "{page}");
    let forgotten = "a new one of mine";
    set_password(&by_link, "", forgotten).expect(303);
    set_password(&by_link, "", "a third one of mine").expect(422);
    set_password(&by_link, forgotten, PASSWORD).expect(303);

    let sign_in_form = SignInForm::of(&browser(&server));
    sign_in_form.sign_in(email, forgotten, "").expect(401);
    let entered = sign_in_form.sign_in(email, PASSWORD, "").expect(303);
    let by_password = browser(&server).with_header("Cookie", &entered.cookies());
    set_password(&by_password, "", "a fourth one of mine").expect(422);
}

/// Regression test: all attempts used to be compared before the first one was counted.
#[test]
fn concurrent_password_attempts_are_bounded() {
    let server = Server::without_limits().start();
    let email = "ada@demo.example";
    let ada = signed_in(&server, &member(&server, "demo", email));
    set_password(&ada, "", PASSWORD).expect(303);
    let sign_in_form = SignInForm::of(&browser(&server));
    let answered = AtomicBool::new(false);
    let statuses = at_once(50, |number| {
        if number == 0 {
            eventually("a try is answered", Duration::from_secs(60), || {
                answered.load(Ordering::SeqCst).then_some(())
            });
            return sign_in_form.sign_in(email, PASSWORD, "").status;
        }
        let status = sign_in_form
            .sign_in(email, &format!("wrong password {number}"), "")
            .status;
        answered.store(true, Ordering::SeqCst);
        status
    });
    assert_eq!(statuses, [401; 50], "the right password came too late");
    let log = server.cli(&["audit", "list", "--json"]).json();
    let acts = log.as_array().unwrap().iter();
    let locks = acts.filter(|act| act["action"] == "sign_in.lock").count();
    assert_eq!(locks, 1);
}

#[test]
fn one_of_fifty_concurrent_sign_ins_with_one_code_succeeds() {
    let server = Server::without_limits().start();
    let email = "ada@demo.example";
    let ada = signed_in(&server, &member(&server, "demo", email));
    set_password(&ada, "", PASSWORD).expect(303);
    let secret = turn_codes_on(&ada);
    let sign_in_form = SignInForm::of(&browser(&server));
    early_in_a_step();
    let right = code(&secret, 0);
    let statuses = at_once(50, |_| sign_in_form.sign_in(email, PASSWORD, &right).status);
    let entered = statuses.iter().filter(|&&status| status == 303).count();
    assert_eq!(entered, 1, "{statuses:?}");
}

/// Six digits can be guessed quickly unless attempts are limited.
#[test]
fn one_time_codes_are_limited_to_five_attempts() {
    let server = Server::without_limits().start();
    let email = "ada@demo.example";
    let ada = signed_in(&server, &member(&server, "demo", email));
    set_password(&ada, "", PASSWORD).expect(303);
    let secret = turn_codes_on(&ada);
    let sign_in_form = SignInForm::of(&browser(&server));
    at_once(50, |number| {
        sign_in_form
            .sign_in(email, PASSWORD, &format!("{:06}", 900_000 + number))
            .expect(401);
    });
    early_in_a_step();
    let right = code(&secret, 0);
    sign_in_form.sign_in(email, PASSWORD, &right).expect(401);
    let path = new_link(&server, email);
    let page = browser(&server).get(&path).expect(200);
    let visiting = browser(&server).with_header("Cookie", &page.cookies());
    let form = format!("code={right}");
    let call = ("POST", path, form.as_str());
    page_call(&visiting, &form_token(&page), &call)
        .send()
        .expect(401);
}

/// Someone who knows an address must not be able to lock out its owner with wrong attempts.
#[test]
fn failed_attempts_of_strangers_do_not_lock_the_owner_out() {
    let server = Server::without_limits()
        .with("LAFIYA_TRUSTED_PROXIES", "127.0.0.1/32")
        .start();
    let from = |address| browser(&server).with_header("X-Forwarded-For", address);
    let email = "ada@demo.example";
    let ada = signed_in(&server, &member(&server, "demo", email));
    set_password(&ada, "", PASSWORD).expect(303);
    let entered = SignInForm::of(&from("198.51.100.7")).sign_in(email, PASSWORD, "");
    let known = device(&entered.expect(303));

    let stranger = SignInForm::of(&from("203.0.113.9"));
    for number in 0..8 {
        stranger
            .sign_in(email, &format!("wrong password {number}"), "")
            .expect(401);
    }
    stranger.sign_in(email, PASSWORD, "").expect(401);
    // Not locked: another address, and a known browser even at the stranger's address.
    SignInForm::of(&from("198.51.100.8"))
        .sign_in(email, PASSWORD, "")
        .expect(303);
    let SignInForm { browser, token } = stranger;
    let form = format!("email={email}&password={}", plus(PASSWORD));
    let visit = browser.get("/sign-in").expect(200);
    assert_eq!(
        visit.header("set-cookie"),
        None,
        "the browser has its cookie"
    );
    let form = ("POST", "/sign-in".to_owned(), form.as_str());
    let with_device = |device: &str| {
        let request = page_call(&browser, &token, &form);
        request.header("Cookie", device).send().status
    };
    assert_eq!(with_device("lafiya-device=made-up"), 401);
    let (name, value) = known.split_once('=').unwrap();
    let of_nobody = value.split('.').next().unwrap();
    assert_eq!(
        with_device(&format!("{name}={of_nobody}.{}", "0".repeat(32))),
        401
    );
    assert_eq!(with_device(&known), 303);
}

/// Someone who finds an open session must not be able to find out the password in it.
#[test]
fn an_open_session_does_not_allow_password_guessing() {
    let server = Server::without_limits().start();
    let ada = signed_in(&server, &member(&server, "demo", "ada@demo.example"));
    set_password(&ada, "", PASSWORD).expect(303);
    at_once(20, |number| {
        set_password(&ada, &format!("wrong password {number}"), "something new").expect(422);
    });
    set_password(&ada, PASSWORD, "something new").expect(422);
    send(
        &ada,
        "/dashboard/account/codes",
        &format!("password={}", plus(PASSWORD)),
    )
    .expect(422);
}

#[test]
fn signing_in_never_redirects_to_another_site() {
    let server = Server::without_limits().start();
    let email = "ada@demo.example";
    let ada = signed_in(&server, &member(&server, "demo", email));
    set_password(&ada, "", PASSWORD).expect(303);
    let sign_in_form = SignInForm::of(&browser(&server));
    for next in [
        "/%09/evil.example",
        "/%0a/evil.example",
        "/%0d/evil.example",
        "/%5Cevil.example",
        "%09//evil.example",
        "//evil.example",
        "/.//evil.example",
        "/%252e//evil.example/..",
        "https://evil.example",
        "javascript:alert(1)",
    ] {
        let signed_in = ada.get(&format!("/sign-in?next={next}")).expect(303);
        check_stays(&signed_in);
        let page = sign_in_form
            .browser
            .get(&format!("/sign-in?next={next}"))
            .expect(200);
        assert!(!page.text().contains("value=\"//"), "{next}");
        let form = format!("email={email}&password={}&next={next}", plus(PASSWORD));
        let call = ("POST", "/sign-in".to_owned(), form.as_str());
        check_stays(
            &page_call(&sign_in_form.browser, &sign_in_form.token, &call)
                .send()
                .expect(303),
        );
    }
    let kept = ada
        .get("/sign-in?next=/dashboard/keys%3Fpage=2")
        .expect(303);
    assert_eq!(kept.required_header("location"), "/dashboard/keys?page=2");
}

#[track_caller]
fn check_stays(answer: &Answer) {
    let place = answer.required_header("location");
    let stays = place.starts_with('/')
        && !place.starts_with("//")
        && !place.contains(|letter: char| letter.is_control() || letter == '\\');
    assert!(stays, "{answer}");
}
