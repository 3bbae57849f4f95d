//! Checks rules and scores by their own examples.

use std::collections::BTreeMap;

use lafiya_model::TriageLevel;

use super::Report;
use crate::base::PlainFacts;
use crate::schema::{ItemPoints, When};

/// Checks that a rule requires something, raises a level, and has a level that agrees with its
/// seriousness.
pub(super) fn sense(report: &mut Report<'_>) {
    for rule in &report.content.rules {
        let (id, effect) = (&rule.id, &rule.effect);
        if asks_nothing(&rule.when) {
            report.complain(
                id,
                "when",
                "the rule asks for no finding, so it would fire for nobody or for everybody",
            );
        }
        if effect.level == TriageLevel::SelfCare {
            report.complain(id, "effect", "a danger rule cannot lead to self-care");
        }
        if effect.level == TriageLevel::Emergency && effect.in_emergency.is_some() {
            let says = "`in_emergency` belongs to rules below emergency";
            report.complain(id, "in_emergency", says);
        }
        if effect
            .seriousness
            .is_some_and(|seriousness| seriousness.floor() > effect.level)
        {
            report.complain(
                id,
                "effect",
                format!("the flag is more serious than the level {}", effect.level),
            );
        }
    }
    for score in &report.content.scores {
        let odd = score.item.iter().any(|item| {
            let by_value = matches!(item.points, ItemPoints::Steps(_));
            by_value != item.measure.is_some() || by_value != item.any.is_empty()
        });
        if odd {
            report.complain(
                &score.id,
                "item",
                "an item is either a measure with steps of points, or `any` with one number",
            );
        }
        if score.band.is_empty() {
            report.complain(&score.id, "band", "the score leads to no level");
        }
    }
}

/// Whether a rule requires no evidence. Age, sex and state alone are not a danger: the rule itself
/// or each of its branches must require evidence.
fn asks_nothing(when: &When) -> bool {
    let itself = !when.all.is_empty()
        || !when.any.is_empty()
        || !when.severe.is_empty()
        || !when.values.is_empty()
        || when.at_least.is_some()
        || when.days.is_some()
        || when.fresh.is_some();
    !itself && (when.any_of.is_empty() || when.any_of.iter().any(asks_nothing))
}

/// Checks that a rule fires for its example and not for its counter-example, and that a score's
/// example gives the expected points.
pub(super) fn examples(report: &mut Report<'_>) {
    for rule in report.base.rules() {
        let id = &rule.text.id;
        match &rule.text.example {
            None => report.complain(id, "", "the rule has no example"),
            Some(example) => {
                unreadable_values(report, id, &example.values);
                if !rule
                    .when
                    .holds(&PlainFacts::of_example(report.base, example))
                {
                    report.complain(id, "example", "the rule does not fire in its example");
                }
            }
        }
        match &rule.text.not_example {
            None => report.complain(id, "", "the rule has no counter-example"),
            Some(example) => {
                unreadable_values(report, id, &example.values);
                if rule
                    .when
                    .holds(&PlainFacts::of_example(report.base, example))
                {
                    report.complain(id, "not_example", "the rule fires in its counter-example");
                }
            }
        }
    }
    for score in report.base.scores() {
        let id = &score.text.id;
        if score.text.example.is_none() {
            report.complain(id, "", "the score has no example");
        }
        for example in score.text.example.iter().chain(&score.text.not_example) {
            unreadable_values(report, id, &example.values);
            let result = score.count(&PlainFacts::of_score_example(report.base, example));
            let points = result.map(|result| result.points);
            if points != Some(example.points) {
                let got = points.map_or(
                    "nothing: it is not made for this patient".to_owned(),
                    |points| points.to_string(),
                );
                report.complain(
                    id,
                    "example",
                    format!("the example gives {got}, not {} points", example.points),
                );
            }
        }
        let against = score.text.not_example.as_ref();
        let fires = against.and_then(|against| {
            score
                .count(&PlainFacts::of_score_example(report.base, against))?
                .band
        });
        if fires.is_some() {
            report.complain(
                id,
                "not_example",
                "the score reaches a level in its counter-example",
            );
        }
    }
}

fn unreadable_values(report: &mut Report<'_>, id: &str, values: &BTreeMap<String, String>) {
    for (measure, text) in values {
        let Some(concept) = report.base.resolve(measure) else {
            continue;
        };
        if let Err(problem) = report.base.read_value(concept, text) {
            report.complain(id, measure, format!("`{measure}`: {problem}"));
        }
    }
}
