//! From a text to the level: the order of its words makes a patient neither safer nor more ill.

use std::sync::LazyLock;

use lafiya_engine::{Parameters, assess, review};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Age, DeidentifiedCase, Sex, TriageLevel};
use lafiya_text::{ParseContext, Parser, evidence};

static BASE: LazyLock<KnowledgeBase> =
    LazyLock::new(|| lafiya_content::load().expect("the embedded base loads"));
static PARSER: LazyLock<Parser> = LazyLock::new(|| Parser::build(&BASE));

/// The level of a woman of 26, and the ids of the conditions thought of.
fn answer(text: &str) -> (TriageLevel, Vec<String>) {
    let context = ParseContext {
        age: Some(Age::from_years(26)),
        sex: Some(Sex::Female),
        evaluated_at: None,
    };
    let case = DeidentifiedCase {
        age: Age::from_years(26),
        sex: Sex::Female,
        region: None,
        month: Some(6),
        evidence: evidence(&BASE, &PARSER.parse(&BASE, text, &context)),
    };
    let assessment = review(assess(&BASE, &case, &Parameters::default()), 0);
    let conditions = assessment.conditions.iter();
    let conditions = conditions.map(|condition| condition.id.as_str().to_owned());
    (assessment.triage.level, conditions.collect())
}

#[test]
fn the_order_of_words_does_not_change_the_answer_of_late_pregnancy() {
    let mut wrong = Vec::new();
    for template in [
        "pregnant woman T with headache and swollen face",
        "pregnant woman, T, headache and swollen face",
        "headache and swollen face, pregnant woman T",
        "headache and swollen face, T pregnant",
        "headache, swollen face, pregnant, T",
        "pregnant, headache and swollen face, T",
        "T pregnant with headache and swollen face",
        "pregnancy of T, headache and swollen face",
        "she is pregnant (T) and has headache and swollen face",
        "G2P1 at T, headache and swollen face",
        "GA T, headache and swollen face",
        "GA: T, headache and swollen face",
        "T gestation with headache and swollen face",
        "T, antenatal visit, headache and swollen face",
        "antenatal visit at T: headache and swollen face",
        "pregnant T, headache since 2 days and swollen face",
    ] {
        for time in ["34 weeks", "34 wks", "34/40", "30 weeks", "38w"] {
            let text = template.replace('T', time);
            let (level, conditions) = answer(&text);
            let thought_of = conditions
                .iter()
                .any(|condition| condition.ends_with("pre_eclampsia"));
            if level < TriageLevel::Urgent || !thought_of {
                wrong.push(format!("{text}: {level}, {conditions:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
