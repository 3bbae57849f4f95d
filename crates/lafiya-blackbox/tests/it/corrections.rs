//! Tests that age, sex and place can be corrected during a consultation and that forms can be sent
//! again, without losing what was told and without a second assessment being counted.

use jiff::Timestamp;
use jiff::tz::{TimeZone, offset};
use lafiya_blackbox::{Answer, Client, shared};

use crate::consultation::{Form, browser_of, followed, review, woman};
use crate::requests::tenant;

const CONFIRM: &str = "/consult/confirm";

fn clinic(name: &str) -> (Client, Client) {
    let server = shared();
    let api = tenant(&server, name, "enterprise", 1_000_000);
    (api, browser_of(&server, name))
}

fn counted(api: &Client) -> u64 {
    let today = Timestamp::now().to_zoned(TimeZone::fixed(offset(1))).date();
    let path = format!("/v1/usage?start_date={today}&end_date={today}");
    let used = api.get(&path).expect(200).json();
    used["total_assessments"].as_u64().expect("a number")
}

/// Returns the address of the interview on a page with a question.
#[track_caller]
fn interview_of(page: &Answer) -> String {
    let text = page.text();
    let (before, _) = text.split_once("/answer\"").expect("a question");
    let (_, interview) = before.rsplit_once("action=\"").expect("a form");
    interview.to_owned()
}

#[test]
fn age_sex_and_place_are_corrected_without_telling_the_rest_again() {
    let (api, browser) = clinic("clinic that corrects");
    let form = review(&browser, &woman("Fever and headache for three days."));
    let question = followed(&browser, form.send(&browser));
    let interview = interview_of(&question);
    let path = format!("{interview}/patient");
    let form = Form::of(&browser.get(&path).expect(200), &path);
    assert_eq!(
        (form.value("age"), form.value("unit")),
        (Some("30"), Some("years"))
    );
    assert_eq!(form.value("sex"), Some("female"));

    let wrong = form.clone().with("age", "130").send(&browser).expect(422);
    assert_eq!(Form::of(&wrong, &path).value("age"), Some("130"));
    let corrected = form.with("age", "4").with("sex", "male");
    let page = followed(&browser, corrected.send(&browser));
    assert!(page.text().contains("Boy, 4 years"), "{page}");
    for known in ["Fever", "Headache"] {
        assert!(page.text().contains(known), "{known}: {page}");
    }
    // Sent again, as after a lost connection, it is the same turn.
    followed(&browser, corrected.send(&browser));
    assert_eq!(counted(&api), 1);

    let form = Form::of(&browser.get(&path).expect(200), &path);
    assert_eq!(
        (form.value("age"), form.value("sex")),
        (Some("4"), Some("male"))
    );
    let moved = form.with("place", "Kano").send(&browser).expect(303);
    assert!(moved.cookies().contains("lafiya-place="), "{moved}");
    assert_eq!(counted(&api), 1);
}

#[test]
fn another_patient_on_the_review_page_is_shown_before_the_answer() {
    let (_, browser) = clinic("clinic that reviews");
    let form = review(&browser, &woman("Fever and headache for three days."));
    let child = form.with("age", "8").with("unit", "months");
    let page = child.send(&browser).expect(200);
    assert!(page.text().contains("Age or sex was changed"), "{page}");
    assert!(page.text().contains("Girl, 8 months"), "{page}");
    let again = Form::of(&page, CONFIRM).with("action", "go");
    assert!(again.value("choice.s_headache").is_some(), "{page}");
    followed(&browser, again.send(&browser));

    let wrong = review(&browser, &woman("Fever")).with("age", "many");
    let page = wrong.send(&browser).expect(422);
    let form = Form::of(&page, CONFIRM);
    assert_eq!(form.value("age"), Some("many"));
    assert!(form.value("choice.s_fever").is_some(), "{page}");
}

#[test]
fn the_review_page_sent_again_corrects_the_same_case() {
    let (api, browser) = clinic("clinic that goes back");
    let form = review(&browser, &woman("Fever and headache for three days."))
        .with("measure.s_body_temperature", "39.5");
    let first = followed(&browser, form.send(&browser));
    assert_eq!(
        interview_of(&first),
        interview_of(&followed(&browser, form.send(&browser)))
    );
    // Back in the browser, and one thing is taken away.
    let other = form
        .with("measure.s_body_temperature", "")
        .with("choice.s_headache", "absent");
    let second = followed(&browser, other.send(&browser));
    assert_eq!(interview_of(&first), interview_of(&second));
    assert!(!second.text().contains("39.5 °C"), "{second}");
    assert_eq!(counted(&api), 1);
}

#[test]
fn a_question_keeps_its_place_in_the_history() {
    let (_, browser) = clinic("clinic that asks");
    let question = followed(&browser, review(&browser, &woman("Fever")).send(&browser));
    let interview = interview_of(&question);
    let answer = format!("{interview}/answer");
    let form = Form::of(&question, &answer).with("choice", "absent");
    let concept = form.value("concept").expect("a concept").to_owned();
    let asked = |page: &Answer| Form::of(page, &answer).value("concept").map(str::to_owned);
    let address = format!("{interview}?ask={concept}");
    assert_eq!(
        asked(&browser.get(&address).expect(200)),
        Some(concept.clone())
    );
    let next = followed(&browser, form.send(&browser));
    assert_ne!(asked(&next), Some(concept.clone()));
    let back = browser.get(&address).expect(200);
    assert_eq!(asked(&back), Some(concept));
    assert!(back.text().contains("Answered before"), "{back}");
    // An answer sent twice is the same turn.
    let twice = followed(&browser, form.send(&browser));
    assert_eq!(asked(&twice), asked(&next));
}

#[test]
fn a_script_is_told_the_next_page_without_loading_it() {
    let (_, browser) = clinic("clinic with scripts");
    let script = browser.with_header("x-lafiya-form", "fetch");
    let form = review(&browser, &woman("Fever"));
    let answer = form.send(&script).expect(204);
    assert!(
        answer
            .required_header("x-lafiya-next")
            .starts_with("/consult/")
    );
    assert!(answer.header("location").is_none(), "{answer}");
}
