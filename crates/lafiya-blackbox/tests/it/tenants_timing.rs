//! Tests tenant isolation against timing attacks: rejecting another tenant's id takes as long as
//! rejecting a nonexistent one. Both kinds of calls alternate. A difference must show in the median
//! and in the minimum, in every measurement.

use std::time::{Duration, Instant};

use lafiya_blackbox::{Client, Request};
use serde_json::json;

use crate::requests::{ASSESS, assessed, fever, new_uuid, pilot, with};
use crate::tenants::{
    Owned, api_call, api_calls, form_token, list_call, member, page_call, page_calls, signed_in,
    somebody,
};
use crate::webhooks::quick;

/// The number of calls of each kind per measurement.
const TURNS: usize = 11;
/// The number of measurements. A busy machine is slow at random, but a real difference is always
/// there, so one measurement without it is enough.
const LOOKS: usize = 4;
/// The tolerated difference: this ratio, plus this constant.
const TIMES: u32 = 3;
const OF: u32 = 2;
const SLACK: Duration = Duration::from_millis(2);

/// The sorted times of the calls of one kind.
struct Taken(Vec<Duration>);

impl Taken {
    fn fastest(&self) -> Duration {
        self.0[0]
    }

    fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }
}

fn far_apart(one: Duration, other: Duration) -> bool {
    one.max(other) > one.min(other) * TIMES / OF + SLACK
}

/// Returns the medians of the two kinds if they differ enough for a stranger to notice.
fn cliff(mut ours: impl FnMut(), mut nowhere: impl FnMut()) -> Option<(Duration, Duration)> {
    let mut last = None;
    for _ in 0..LOOKS {
        let (one, other) = taken_in_turns(&mut ours, &mut nowhere);
        if !far_apart(one.median(), other.median()) || !far_apart(one.fastest(), other.fastest()) {
            return None;
        }
        last = Some((one.median(), other.median()));
    }
    last
}

fn taken_in_turns(ours: &mut impl FnMut(), nowhere: &mut impl FnMut()) -> (Taken, Taken) {
    let timed = |call: &mut dyn FnMut()| {
        let began = Instant::now();
        call();
        began.elapsed()
    };
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        // The first of the two has colder caches, so the order alternates.
        if turn % 2 == 0 {
            one.push(timed(ours));
            other.push(timed(nowhere));
        } else {
            other.push(timed(nowhere));
            one.push(timed(ours));
        }
    }
    one.sort_unstable();
    other.sort_unstable();
    (Taken(one), Taken(other))
}

#[track_caller]
fn check_no_cliff(ours: &Request, nowhere: &Request) {
    let found = cliff(|| drop(ours.send()), || drop(nowhere.send()));
    let asked = ours.send();
    assert_eq!(found, None, "a stranger can tell by the time: {asked}");
}

#[test]
fn resources_of_another_tenant_take_as_long_as_nonexistent_ones() {
    let server = quick().start();
    let (owned, nothing) = (somebody(&server), Owned::nothing());
    let stranger = pilot(&server, "theirs", 50);
    for (ours, nowhere) in api_calls(&owned).iter().zip(&api_calls(&nothing)) {
        check_no_cliff(&api_call(&stranger, ours), &api_call(&stranger, nowhere));
    }
    let list = |of| stranger.request("GET", &list_call(of));
    check_no_cliff(&list(&owned), &list(&nothing));
    let browser = signed_in(&server, &member(&server, "theirs", "owner@theirs.example"));
    let token = form_token(&browser.get("/dashboard/account").expect(200));
    for (ours, nowhere) in page_calls(&owned).iter().zip(&page_calls(&nothing)) {
        let call = |path| page_call(&browser, &token, path);
        check_no_cliff(&call(ours), &call(nowhere));
    }
}

#[test]
fn another_tenants_interview_takes_as_long_as_a_new_one() {
    let server = quick().start();
    let owner = pilot(&server, "ours", 1000);
    let stranger = pilot(&server, "theirs", 1000);
    // After the first call the id belongs to the stranger, so every call needs a new one.
    let mut taken = Vec::from_iter((0..TURNS * LOOKS).map(|_| begun(&owner))).into_iter();
    let assess = |interview: String| {
        let body = with(fever(), "/interview_id", json!(interview));
        stranger.post(ASSESS, &body).expect(200);
    };
    let found = cliff(
        || assess(taken.next().expect("one for every call")),
        || assess(new_uuid()),
    );
    assert_eq!(found, None, "a stranger can tell an interview by the time");
}

fn begun(owner: &Client) -> String {
    let answer = assessed(owner, &fever());
    answer["interview_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_timing_difference_is_detected_and_noise_is_not() {
    let pause = |ms: u64| move || std::thread::sleep(Duration::from_millis(ms));
    assert!(cliff(pause(9), pause(1)).is_some());
    assert!(cliff(pause(1), pause(9)).is_some());
    let mut calls = 0;
    let now_and_then = || {
        calls += 1;
        pause(if calls % 3 == 0 { 9 } else { 1 })();
    };
    assert_eq!(cliff(now_and_then, pause(1)), None);
}
