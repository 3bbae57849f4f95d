//! Judges the model's answer claim by claim. A condition must exist in the knowledge base and be
//! possible for this patient, a probability must be a number, and a sentence must be supported by
//! the excerpts. The text of a refused claim is dropped here.

use lafiya_knowledge::{ConditionIx, KnowledgeBase};
use lafiya_model::opinion::{Reason, Verdict};
use lafiya_model::{Age, ConceptId, Opinion, Sex, TriageLevel};
use serde_json::{Map, Value};

use crate::grounding;
use crate::prompt::Asked;

const CONDITIONS_MAX: usize = 12;
const REASONS_MAX: usize = 6;
/// The requested fields.
const FIELDS: &[&str] = &["conditions", "triage", "reasons"];

/// The patient's data that claims are checked against. None of it is sent to the model.
#[derive(Clone, Copy, Debug)]
pub struct Patient {
    /// The age.
    pub age: Age,
    /// The sex.
    pub sex: Sex,
}

/// The accepted claims, and a verdict on every claim.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The accepted claims.
    pub opinion: Opinion,
    /// The verdicts, claim by claim.
    pub verdicts: Vec<Verdict>,
}

/// Judges the text of an answer.
pub fn judge(
    base: &KnowledgeBase,
    asked: &Asked,
    patient: Patient,
    model: &str,
    content: &str,
) -> Judged {
    let mut judged = Judged::default();
    judged.opinion.by = model.to_owned();
    let Some(answer) = object(content) else {
        judged.refuse("answer", "is not the JSON object that was asked for");
        return judged;
    };
    judged.judge_conditions(base, patient, answer.get("conditions"));
    judged.judge_level(answer.get("triage"));
    judged.judge_reasons(asked, answer.get("reasons"));
    for _ in answer.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
        judged.refuse("field", "was not asked for");
    }
    judged
}

/// Parses the JSON object in the text. Servers without structured output often wrap it in a code
/// fence.
fn object(content: &str) -> Option<Map<String, Value>> {
    let text = content.trim();
    let text = text.strip_prefix("```json").unwrap_or(text);
    let text = text.trim_matches('`').trim();
    match serde_json::from_str(text).ok()? {
        Value::Object(answer) => Some(answer),
        _ => None,
    }
}

impl Judged {
    fn refuse(&mut self, claim: &str, reason: &str) {
        self.refuse_about(claim, None, reason);
    }

    fn refuse_about(&mut self, claim: &str, about: Option<ConceptId>, reason: &str) {
        self.verdicts.push(Verdict {
            claim: claim.to_owned(),
            about,
            accepted: false,
            reason: reason.to_owned(),
        });
    }

    fn accept(&mut self, claim: &str, about: Option<ConceptId>) {
        self.verdicts.push(Verdict {
            claim: claim.to_owned(),
            about,
            accepted: true,
            reason: String::new(),
        });
    }

    fn judge_conditions(&mut self, base: &KnowledgeBase, patient: Patient, said: Option<&Value>) {
        let Some(list) = said.and_then(Value::as_array) else {
            self.refuse("conditions", "are not the list that was asked for");
            return;
        };
        for claim in list.iter().take(CONDITIONS_MAX) {
            let named = claim["condition_id"].as_str();
            let Some(ix) = named.and_then(|name| condition_named(base, name)) else {
                self.refuse("condition", "is none of the knowledge base");
                continue;
            };
            let condition = base.condition(ix);
            let id = ConceptId(condition.text.id.clone());
            let probability = claim["probability"].as_f64();
            let probability = probability.filter(|probability| (0.0..=1.0).contains(probability));
            let known = self.opinion.views.iter().any(|(known, _)| *known == id);
            match probability {
                _ if !condition.is_possible(patient.age, patient.sex) => {
                    let reason = "is not possible in a patient of this age and sex";
                    self.refuse_about("condition", Some(id), reason);
                }
                _ if known => self.refuse_about("condition", Some(id), "is named twice"),
                None => {
                    let reason = "has no probability between 0 and 1";
                    self.refuse_about("condition", Some(id), reason);
                }
                Some(probability) => {
                    self.opinion.views.push((id.clone(), probability));
                    self.accept("condition", Some(id));
                }
            }
        }
        if list.len() > CONDITIONS_MAX {
            self.refuse("conditions", "are more than were asked for");
        }
        let whole: f64 = self.opinion.views.iter().map(|(_, share)| share).sum();
        // Models often give each condition a probability of its own. Scaled, their order and ratio
        // stay.
        if whole > 1.0 {
            for (_, share) in &mut self.opinion.views {
                *share /= whole;
            }
        }
    }

    /// Accepts any valid triage level. The engine refuses one that is lower than its own.
    fn judge_level(&mut self, said: Option<&Value>) {
        let level = said.and_then(Value::as_str);
        match level.and_then(|word| word.parse::<TriageLevel>().ok()) {
            Some(level) => {
                self.opinion.level = Some(level);
                self.accept("triage", None);
            }
            None => self.refuse("triage", "is none of the four levels"),
        }
    }

    fn judge_reasons(&mut self, asked: &Asked, said: Option<&Value>) {
        let Some(list) = said.and_then(Value::as_array) else {
            self.refuse("reasons", "are not the list that was asked for");
            return;
        };
        for claim in list.iter().take(REASONS_MAX) {
            let numbers = claim["passages"].as_array();
            let numbers: Vec<u64> = numbers
                .into_iter()
                .flatten()
                .filter_map(Value::as_u64)
                .collect();
            let cited: Vec<_> = asked
                .passages
                .iter()
                .filter(|passage| numbers.contains(&(passage.number as u64)))
                .collect();
            let text = claim["text"].as_str().unwrap_or_default().trim();
            match grounding::objection(text, &cited, &asked.told) {
                Some(reason) => self.refuse("reason", reason),
                None => {
                    let mut sources: Vec<String> = Vec::new();
                    for source in cited.iter().flat_map(|passage| &passage.sources) {
                        if !sources.contains(source) {
                            sources.push(source.clone());
                        }
                    }
                    self.opinion.reasons.push(Reason {
                        text: text.to_owned(),
                        sources,
                    });
                    self.accept("reason", None);
                }
            }
        }
        if list.len() > REASONS_MAX {
            self.refuse("reasons", "are more than were asked for");
        }
    }
}

/// Finds a condition by its id or by its exact name.
fn condition_named(base: &KnowledgeBase, named: &str) -> Option<ConditionIx> {
    let by_id = base.resolve(named).and_then(|concept| concept.condition());
    by_id.or_else(|| {
        let same = |name: &str| name.eq_ignore_ascii_case(named.trim());
        base.condition_indices().find(|ix| {
            let text = &base.condition(*ix).text;
            same(&text.name) || same(&text.common_name)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use lafiya_model::opinion::Outline;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::prompt::question_about;

    static BASE: LazyLock<KnowledgeBase> = LazyLock::new(|| lafiya_content::load().unwrap());

    fn asked() -> Asked {
        let outline = Outline {
            present: vec![ConceptId::from("s_fever")],
            candidates: vec![ConceptId(BASE.conditions()[0].text.id.clone())],
            ..Outline::default()
        };
        question_about(&BASE, &outline, "adult_15_49", Sex::Female, None)
    }

    fn judged(content: &str) -> Judged {
        let patient = Patient {
            age: Age::from_years(30),
            sex: Sex::Female,
        };
        judge(&BASE, &asked(), patient, "m", content)
    }

    fn refused(judged: &Judged) -> Vec<&str> {
        let refused = judged.verdicts.iter().filter(|verdict| !verdict.accepted);
        refused.map(|verdict| verdict.reason.as_str()).collect()
    }

    #[test]
    fn a_valid_answer_is_accepted_completely() {
        let name = &BASE.conditions()[0].text.name;
        let answer = json!({
            "conditions": [{"condition_id": BASE.conditions()[0].text.id, "probability": 0.6}],
            "triage": "urgent",
            "reasons": [{"text": format!("Fever fits {name}."), "passages": [1]}],
        });
        let judged = judged(&answer.to_string());
        assert_eq!(refused(&judged), [""; 0]);
        assert_eq!(judged.opinion.views.len(), 1);
        assert_eq!(judged.opinion.level, Some(TriageLevel::Urgent));
        assert_eq!(judged.opinion.reasons.len(), 1);
    }

    #[test]
    fn a_fenced_answer_with_a_condition_name_is_accepted() {
        let name = BASE.conditions()[0].text.name.to_uppercase();
        let answer = format!(
            "```json\n{{\"conditions\": [{{\"condition_id\": \"{name}\", \"probability\": 1}}], \"triage\": \"routine\", \"reasons\": []}}\n```"
        );
        assert_eq!(refused(&judged(&answer)), [""; 0]);
    }

    #[test]
    fn each_wrong_claim_is_refused_individually() {
        let impossible = BASE
            .conditions()
            .iter()
            .find(|condition| !condition.is_possible(Age::from_years(30), Sex::Female))
            .unwrap();
        let answer = json!({
            "conditions": [
                {"condition_id": "c_dragon_pox", "probability": 0.9},
                {"condition_id": impossible.text.id, "probability": 0.9},
                {"condition_id": BASE.conditions()[0].text.id, "probability": 7},
                {"condition_id": BASE.conditions()[0].text.id, "probability": 0.5},
                {"condition_id": BASE.conditions()[0].text.id, "probability": 0.4},
                "nonsense",
            ],
            "triage": "no worries",
            "reasons": [{"text": "Give lafiyacillin 900 mg.", "passages": [1]}],
            "treatments": ["lafiyacillin"],
        });
        let judged = judged(&answer.to_string());
        assert_eq!(judged.opinion.views.len(), 1);
        assert_eq!(judged.opinion.level, None);
        assert!(judged.opinion.reasons.is_empty());
        assert_eq!(refused(&judged).len(), 8, "{:?}", judged.verdicts);
        let kept = serde_json::to_string(&judged.verdicts).unwrap();
        for word in ["lafiyacillin", "dragon", "worries", "nonsense"] {
            assert!(!kept.contains(word), "{word} got through: {kept}");
        }
    }

    #[test]
    fn probabilities_above_one_in_total_are_scaled_down() {
        let of = |place: usize| BASE.conditions()[place].text.id.clone();
        let answer = json!({
            "conditions": [{"condition_id": of(0), "probability": 1}, {"condition_id": of(1), "probability": 1}],
            "triage": "urgent", "reasons": [],
        });
        let whole: f64 = judged(&answer.to_string())
            .opinion
            .views
            .iter()
            .map(|view| view.1)
            .sum();
        assert!(whole <= 1.0 + 1e-9, "{whole}");
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(content in ".{0,400}") {
            let judged = judged(&content);
            prop_assert!(judged.verdicts.iter().any(|verdict| !verdict.accepted) || object(&content).is_some());
        }

        #[test]
        fn any_json_is_judged_without_a_panic(text in ".{0,60}", number in prop::num::f64::ANY, depth in 0_usize..20) {
            let mut value = json!({"condition_id": text, "probability": number, "passages": [number], "text": text});
            for _ in 0..depth {
                value = json!([value]);
            }
            let answer = json!({"conditions": value, "triage": value, "reasons": [value]});
            let judged = judged(&answer.to_string());
            prop_assert!(judged.opinion.views.iter().all(|view| (0.0..=1.0).contains(&view.1)));
        }
    }
}
