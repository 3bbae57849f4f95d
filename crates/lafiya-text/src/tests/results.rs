//! Results of tests as nurses and patients tell them: each row says all that must be found beside the findings.

use super::REAL;
use super::sentences::found;
use crate::ParseContext;

const RDT: &str = "lt_malaria_rapid_diagnostic_test";

#[track_caller]
fn tells(text: &str, expected: &[&str]) {
    let parsed = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    assert_eq!(found(&parsed.tests), expected, "{text}");
}

#[test]
fn a_result_is_told_behind_its_test() {
    for text in [
        "fever for 3 days, malaria RDT positive",
        "mRDT +ve",
        "RDT: positive",
        "RDT (positive)",
        "RDT done today came back positive",
        "the malaria test was positive",
        "malaria parasite positive",
        "malaria rapid test: pos",
        "RDT +",
    ] {
        tells(text, &[RDT]);
    }
    for text in [
        "RDT negative, fever",
        "mRDT -ve",
        "malaria test was negative but still hot body",
        "RDT result is negative",
        "malaria test not positive",
    ] {
        tells(text, &["-lt_malaria_rapid_diagnostic_test"]);
    }
    tells("widal positive", &["lt_widal_test"]);
    tells("urine nitrite positive", &["lt_urine_nitrite"]);
    tells("chest x-ray normal", &["-lt_chest_x_ray"]);
}

#[test]
fn a_result_is_told_before_its_test_or_what_was_looked_for() {
    tells("positive malaria RDT", &[RDT]);
    tells("she tested positive for malaria", &[RDT]);
    tells("tested negative for typhoid", &["-lt_widal_test"]);
    tells("negative RDT", &["-lt_malaria_rapid_diagnostic_test"]);
}

#[test]
fn tests_of_a_list_share_their_result() {
    tells(
        "RDT and widal negative",
        &["-lt_malaria_rapid_diagnostic_test", "-lt_widal_test"],
    );
    tells(
        "RDT negative, widal positive",
        &["-lt_malaria_rapid_diagnostic_test", "lt_widal_test"],
    );
    tells("RDT, widal: both positive", &[RDT, "lt_widal_test"]);
}

#[test]
fn no_result_is_read_where_there_is_none() {
    for text in [
        "if RDT is positive give medicine",
        "awaiting RDT",
        "RDT not done",
        "please do malaria test",
        "malaria RDT positive two years ago",
        "I had malaria last year",
        "my neighbour tested positive for malaria",
        "positive attitude, typhoid season",
        "blood group O positive",
        "pregnancy test positive",
        "HIV positive",
        "normal delivery, chest clear",
    ] {
        tells(text, &[]);
    }
}

#[test]
fn a_result_changes_no_finding_beside_it() {
    let plain = REAL.parser.parse(
        &REAL.base,
        "fever for 3 days, cough",
        &ParseContext::default(),
    );
    let text = "fever for 3 days, cough, RDT negative";
    let tested = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    assert_eq!(plain.mentions, tested.mentions);
    assert_eq!(plain.obvious, tested.obvious);
}
