//! DDXPlus (Fansi Tchango et al., NeurIPS 2022): a synthetic dataset of 49 conditions. A knowledge
//! base is built from the rates of its authors' generator, and the same engine runs on it, so that
//! the model can be evaluated independently of our content. It is a closed world: evidence that is
//! not stated is absent.

use std::collections::BTreeMap;
use std::path::Path;

use lafiya_engine::{Draft, Parameters, assess};
use lafiya_knowledge::KnowledgeBase;
use lafiya_knowledge::schema::Content;
use lafiya_model::{Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Sex};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::case::{CaseError, read_lines};
use crate::run::{Mode, Outcome};

/// The age bands, as written in the knowledge base; the rates do not differ by age.
const BANDS: [&str; 7] = ["neonate", "infant", "1-4", "5-14", "15-49", "50-64", "65+"];

/// One line of a DDXPlus case file.
#[derive(Clone, Debug, Deserialize)]
pub struct DdxplusCase {
    id: String,
    #[serde(default)]
    set: String,
    age: u32,
    #[serde(default)]
    sex: Option<String>,
    /// The correct diagnosis.
    diagnosis: String,
    /// Evidence codes, with a value after `_@_` if there is one.
    codes: Vec<String>,
    /// The complaint that starts an interview.
    initial: String,
}

/// Reads DDXPlus cases.
pub fn read_ddxplus_cases(path: &Path) -> Result<Vec<DdxplusCase>, CaseError> {
    read_lines(path)
}

#[derive(Deserialize)]
struct Rates {
    condition_counts: BTreeMap<String, f64>,
    root_rates: BTreeMap<String, BTreeMap<String, f64>>,
}

#[derive(Deserialize)]
struct WrittenCondition {
    #[serde(rename = "icd10-id")]
    icd10: String,
}

#[derive(Deserialize)]
struct WrittenEvidence {
    question_en: String,
}

/// DDXPlus as a knowledge base.
pub struct Ddxplus {
    base: KnowledgeBase,
    roots: Vec<String>,
}

impl Ddxplus {
    /// Reads the rates from a folder and builds a knowledge base from them.
    pub fn read(folder: &Path) -> Result<Self, CaseError> {
        let rates: Rates = read_json(&folder.join("train_root_rates.json"))?;
        let conditions: BTreeMap<String, WrittenCondition> =
            read_json(&folder.join("release_conditions.json"))?;
        let evidences: BTreeMap<String, WrittenEvidence> =
            read_json(&folder.join("release_evidences.json"))?;
        let content = content(&rates, &conditions, &evidences)
            .map_err(|cause| not_a_case(folder, 0, cause))?;
        Ok(Self {
            base: KnowledgeBase::from_content(content),
            roots: evidences.into_keys().collect(),
        })
    }

    /// Returns the untempered model: in this dataset, findings are drawn independently, the rates
    /// are exact, and no other conditions exist.
    pub fn parameters() -> Parameters {
        Parameters {
            present_weight: 1.0,
            absent_weight: 1.0,
            absent_cardinal_weight: 1.0,
            prior_weight: 1.0,
            other_times: 1.0,
            other_prior: 1e-6,
            sure_share: 0.95,
            ..Parameters::default()
        }
    }

    /// Runs one case: with everything known, or as an interview that starts with the first
    /// complaint.
    pub fn run(
        &self,
        case: &DdxplusCase,
        mode: Mode,
        parameters: &Parameters,
        questions_max: usize,
    ) -> Outcome {
        let answer = |root: &str| {
            let is_told = |code: &String| code.split("_@_").next() == Some(root);
            if case.codes.iter().any(is_told) {
                Choice::Present
            } else {
                Choice::Absent
            }
        };
        let mut outcome = Outcome::empty(&case.id, &case.set, &case.diagnosis);
        outcome.covered = true;
        let known = if mode == Mode::Interview {
            vec![item(&case.initial, Choice::Present)]
        } else {
            self.roots
                .iter()
                .map(|root| item(root, answer(root)))
                .collect()
        };
        let mut input = DeidentifiedCase {
            age: Age::from_years(case.age),
            sex: match case.sex.as_deref() {
                Some("female") => Sex::Female,
                Some("male") => Sex::Male,
                _ => Sex::Other,
            },
            region: None,
            month: None,
            evidence: known,
        };
        let mut draft = assess(&self.base, &input, parameters);
        while mode == Mode::Interview && outcome.asked < questions_max {
            let step = draft.next_step(outcome.asked);
            let (false, Some(question)) = (step.should_stop, step.question) else {
                break;
            };
            let root = root_of(question.id.as_str());
            outcome.asked += 1;
            input.evidence.push(item(&root, answer(&root)));
            draft = assess(&self.base, &input, parameters);
        }
        outcome.evidence = input.evidence.len();
        self.judge(case, &draft, &mut outcome);
        outcome
    }

    fn judge(&self, case: &DdxplusCase, draft: &Draft<'_>, outcome: &mut Outcome) {
        let differential = draft.differential();
        let ranking = differential.ranking();
        let name = |place: usize| &self.base.condition(ranking[place]).text.name;
        outcome.rank = (0..ranking.len())
            .find(|&place| *name(place) == case.diagnosis)
            .map(|place| place + 1);
        let probability = |place: usize| differential.probability(ranking[place]);
        outcome.probability_of_right = outcome.rank.map_or(0.0, |rank| probability(rank - 1));
        outcome.probability_of_first = if ranking.is_empty() {
            0.0
        } else {
            probability(0)
        };
        outcome.top = (0..ranking.len().min(5))
            .map(|place| format!("{} {:.2}", name(place), probability(place)))
            .collect();
    }
}

fn item(root: &str, choice: Choice) -> Evidence {
    Evidence {
        id: ConceptId(finding_id(root)),
        choice,
        source: EvidenceSource::Initial,
        duration_days: None,
        severity: None,
        value: None,
    }
}

/// Returns the id of a finding: `E_53` becomes `s_e_53`.
fn finding_id(root: &str) -> String {
    format!("s_{}", root.to_lowercase())
}

fn root_of(finding: &str) -> String {
    finding.trim_start_matches("s_").to_uppercase()
}

fn content(
    rates: &Rates,
    conditions: &BTreeMap<String, WrittenCondition>,
    evidences: &BTreeMap<String, WrittenEvidence>,
) -> Result<Content, serde_json::Error> {
    let patients: f64 = rates.condition_counts.values().sum();
    let rate = |condition: &str, root: &str| {
        let of_condition = rates.root_rates.get(condition);
        of_condition
            .and_then(|rates| rates.get(root))
            .copied()
            .unwrap_or(0.0)
    };
    let count = |condition: &str| rates.condition_counts.get(condition).copied();
    let background = |root: &str| {
        let seen = conditions
            .keys()
            .map(|condition| count(condition).unwrap_or(0.0) * rate(condition, root));
        seen.sum::<f64>() / patients
    };
    let mut made = Content::default();
    for (root, evidence) in evidences {
        made.findings.push(serde_json::from_value(json!({
            "id": finding_id(root),
            "name": evidence.question_en,
            "kind": "symptom",
            "question": evidence.question_en,
            "background_of_100": background(root) * 100.0,
        }))?);
    }
    for (place, (name, condition)) in conditions.iter().enumerate() {
        let per_1000 = count(name).unwrap_or(0.0) / patients * 1000.0;
        let findings: Vec<_> = evidences
            .keys()
            .map(|root| json!({"id": finding_id(root), "of_100": rate(name, root) * 100.0}))
            .collect();
        made.conditions.push(serde_json::from_value(json!({
            "id": format!("c_ddxplus_{place}"),
            "name": name,
            "common_name": name,
            "icd10": condition.icd10,
            "category": "ddxplus",
            "severity": "moderate",
            "description": "",
            "prevalence": {"global": "", "africa": ""},
            "prior": {"per_1000": BANDS.map(|band| (band, per_1000)).into_iter().collect::<BTreeMap<_, _>>()},
            "course": {"usual_days": [0.0, 3650.0], "possible_days": [0.0, 36500.0]},
            "findings": {"list": findings},
            "triage": {
                "default": "routine",
                "timeframe": "within_2_weeks",
                "channel": "personal_visit",
                "specialist": {"id": "general_practice"},
            },
        }))?);
    }
    Ok(made)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, CaseError> {
    let text = std::fs::read_to_string(path).map_err(|cause| CaseError::Unreadable {
        file: path.display().to_string(),
        cause,
    })?;
    serde_json::from_str(&text).map_err(|cause| not_a_case(path, cause.line(), cause))
}

fn not_a_case(path: &Path, line: usize, cause: serde_json::Error) -> CaseError {
    CaseError::NotACase {
        file: path.display().to_string(),
        line,
        cause,
    }
}
