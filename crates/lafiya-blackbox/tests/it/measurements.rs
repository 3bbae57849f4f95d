//! Tests measured values in the web app: a value that cannot be right is asked again with what was
//! typed, and a value is shown with its unit wherever its finding is shown.

use lafiya_blackbox::{Answer, Client, shared};

use crate::consultation::{Form, boy, browser_of, followed, review, woman};
use crate::requests::tenant;

const CONFIRM: &str = "/consult/confirm";

/// Returns a browser of a tenant with enough quota.
fn clinician(name: &str) -> Client {
    let server = shared();
    tenant(&server, name, "enterprise", 1_000_000);
    browser_of(&server, name)
}

/// Returns the text of the element with this id.
fn element(page: &Answer, id: &str) -> Option<String> {
    let text = page.text();
    let (_, rest) = text.split_once(&format!("id=\"{id}\""))?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.split("</p>").next().unwrap_or_default().to_owned())
}

#[test]
fn what_cannot_be_right_is_asked_again_with_what_was_typed() {
    let browser = clinician("clinic that types");
    let form = review(&browser, &woman("Fever and headache for two days."));
    for (field, typed, danger) in [
        ("s_body_temperature", "abc", false),
        ("s_body_temperature", "398", false),
        ("s_oxygen_saturation", "9", true),
        ("s_oxygen_saturation", "101", false),
        ("s_blood_pressure", "80/120", true),
        ("s_blood_pressure", "many/80", false),
        ("s_glasgow_coma_score", "99", false),
        ("s_glasgow_coma_score", "-3", false),
        ("s_heart_rate", "7e2", false),
        ("s_respiratory_rate", "twenty", false),
        ("s_blood_glucose", "9000", false),
    ] {
        let name = format!("measure.{field}");
        let page = form.clone().with(&name, typed).send(&browser).expect(422);
        let again = Form::of(&page, CONFIRM);
        assert_eq!(again.value(&name), Some(typed), "{field}");
        let problem = element(&page, &format!("p-{field}")).expect("a message");
        assert!(!problem.is_empty(), "{field}");
        if danger {
            assert!(problem.contains("Measure again now"), "{problem}");
        }
        // Nothing was counted: without the value the case goes on.
        followed(
            &browser,
            again.with("action", "go").with(&name, "").send(&browser),
        );
    }
}

#[test]
fn a_value_is_shown_with_its_unit_wherever_its_finding_is() {
    let browser = clinician("clinic that shows values");
    let form = review(&browser, &boy("Fever and cough for two days."))
        .with("measure.s_body_temperature", "39,5")
        .with("measure.s_blood_glucose", "90")
        .with("unit.s_blood_glucose", "mg/dL")
        .with("measure.s_blood_pressure", "100/60");
    // The page of what was understood, when it is shown again.
    let page = form.with("action", "add").send(&browser).expect(200);
    for shown in ["39.5 °C", "90 mg/dL = 5 mmol/L", "100/60 mmHg"] {
        assert!(page.text().contains(shown), "{shown}: {page}");
    }
    let again = Form::of(&page, CONFIRM).with("action", "go");
    assert_eq!(again.value("measure.s_blood_glucose"), Some("90"));
    assert_eq!(again.value("unit.s_blood_glucose"), Some("mg/dL"));
    let question = followed(&browser, again.send(&browser));
    let text = question.text();
    let (_, case) = text
        .split_once("href=\"/cases/")
        .expect("the answer so far");
    let case = format!("/cases/{}", case.split('"').next().unwrap_or_default());
    let record = case.replace("/cases/", "/dashboard/assessments/");
    for path in [case.clone(), format!("{case}/letter"), record] {
        let page = browser.get(&path).expect(200);
        for shown in ["39.5 °C", "5 mmol/L", "100 mmHg", "60 mmHg"] {
            assert!(page.text().contains(shown), "{path} lacks {shown}");
        }
        assert!(
            !page.text().contains("Body temperature</span><span>Yes"),
            "{path}"
        );
    }
}

#[test]
fn an_impossible_value_in_the_story_is_asked_again_at_once() {
    let browser = clinician("clinic that writes values");
    let told = woman("Fever and cough. Oxygen saturation 9%, temperature 39.2.");
    let page = crate::consultation::understood(&browser, &told);
    let form = Form::of(&page, CONFIRM).with("action", "go");
    assert_eq!(form.value("measure.s_body_temperature"), Some("39.2"));
    assert!(form.value("choice.s_oxygen_saturation").is_none());
    assert!(
        form.value("measure.s_oxygen_saturation").is_some(),
        "{page}"
    );
    assert!(page.text().contains("39.2 °C"), "{page}");
}

#[test]
fn a_number_possible_in_two_units_needs_a_unit() {
    let browser = clinician("clinic with two units");
    let form = review(&browser, &woman("Thirsty and passing much urine."));
    let glucose = form.with("measure.s_blood_glucose", "30");
    let page = glucose.send(&browser).expect(422);
    let problem = element(&page, "p-s_blood_glucose").expect("a message");
    assert!(problem.contains("mmol/L or mg/dL"), "{problem}");
    for (unit, shown) in [("mmol/L", "30 mmol/L"), ("mg/dL", "1.67 mmol/L")] {
        let form = review(&browser, &woman("Thirsty and passing much urine."))
            .with("measure.s_blood_glucose", "30")
            .with("unit.s_blood_glucose", unit);
        let page = followed(&browser, form.send(&browser));
        assert!(page.text().contains(shown), "{unit}: {page}");
    }
    let hot = review(&browser, &woman("Headache"))
        .with("measure.s_body_temperature", "104")
        .with("unit.s_body_temperature", "°F");
    let page = followed(&browser, hot.send(&browser));
    assert!(page.text().contains("40 °C"), "{page}");
}

#[test]
fn a_measurement_is_changed_as_a_number_and_never_as_yes() {
    let browser = clinician("clinic that changes values");
    let form = review(&browser, &boy("Fever and cough for two days."))
        .with("measure.s_blood_pressure", "100/60");
    let question = followed(&browser, form.send(&browser));
    let text = question.text();
    let (_, edit) = text
        .split_once("?edit=s_systolic_blood_pressure")
        .expect("a link to change it");
    assert!(edit.contains("100 mmHg"), "{question}");
    let (before, _) = text.split_once("/answer\"").expect("a form");
    let (_, interview) = before.rsplit_once("action=\"").expect("a form");
    let answer = format!("{interview}/answer");
    let page = browser
        .get(&format!("{interview}?edit=s_systolic_blood_pressure"))
        .expect(200);
    let form = Form::of(&page, &answer).with("choice", "present");
    assert_eq!(form.value("measure.s_blood_pressure"), Some("100/60"));
    for typed in ["", "60/100", "high"] {
        let wrong = form.clone().with("measure.s_blood_pressure", typed);
        let page = wrong.send(&browser).expect(422);
        let again = Form::of(&page, &answer);
        assert_eq!(again.value("measure.s_blood_pressure"), Some(typed));
    }
    let page = followed(
        &browser,
        form.clone()
            .with("measure.s_blood_pressure", "110/70")
            .send(&browser),
    );
    assert!(
        page.text().contains("110 mmHg") && page.text().contains("70 mmHg"),
        "{page}"
    );
    let page = followed(&browser, form.with("choice", "unknown").send(&browser));
    assert!(!page.text().contains("110 mmHg"), "{page}");
}
