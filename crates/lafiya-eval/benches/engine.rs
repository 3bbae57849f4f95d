//! Measures one turn of reasoning over a knowledge base of 800 conditions and 1,500 findings:
//! posterior, level and next question, with 10 and with 50 pieces of evidence, next to a simple
//! dense implementation of the same arithmetic. It then measures more evidence and larger knowledge
//! bases, to show how the time grows. Prints one line per case; `cargo xtask bench engine` stores
//! the results. If `LAFIYA_BENCH_TURNS` is set to a number, it only runs that many turns without
//! measuring, for counting instructions as the difference of two runs.

use std::hint::black_box;
use std::time::Instant;

use lafiya_engine::{Parameters, assess};
use lafiya_knowledge::schema::Content;
use lafiya_knowledge::{FindingIx, KnowledgeBase};
use lafiya_model::assessment::Question;
use lafiya_model::{
    Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Sex, TriageLevel,
};
use serde_json::{Value, json};

/// The allocator of the service. The C library's allocator returns the memory for the weights of
/// many pieces of evidence to the system after each turn and requests it again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The size of a knowledge base.
#[derive(Clone, Copy)]
struct Size {
    conditions: usize,
    findings: usize,
}

const USUAL: Size = Size {
    conditions: 800,
    findings: 1500,
};
/// Two and four times as much of one dimension.
const GROWN: [Size; 4] = [
    Size {
        conditions: 1600,
        ..USUAL
    },
    Size {
        conditions: 3200,
        ..USUAL
    },
    Size {
        findings: 3000,
        ..USUAL
    },
    Size {
        findings: 6000,
        ..USUAL
    },
];
const LINKS: usize = 25;
const RISKS: usize = 200;
const RULES: usize = 200;
const CASES: usize = 40;
/// The variants alternate, so that a slowdown of the machine affects all of them.
const TURNS: usize = 5;
const ROUNDS: usize = 5;
/// The number of cases that are also measured with the dense implementation.
const BESIDE_DENSE: usize = 2;
const LEVELS: [&str; 4] = ["emergency", "urgent", "routine", "self-care"];

/// A small pseudorandom generator, so that every run measures the same knowledge base.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

fn main() {
    let base = synthetic_base(USUAL);
    let turns = std::env::var("LAFIYA_BENCH_TURNS").ok();
    if let Some(turns) = turns.and_then(|turn| turn.parse().ok()) {
        let cases = synthetic_cases(USUAL, 10);
        for case in cases.iter().cycle().take(turns) {
            black_box(turn(&base, black_box(case)));
        }
        return;
    }
    let dense = Dense::of(&base);
    let grown = GROWN.map(|size| (size, synthetic_base(size)));
    let mut measured: Vec<Measured<'_>> = [10, 50, 20, 40]
        .into_iter()
        .map(|pieces| Measured::new(&base, USUAL, pieces))
        .chain(
            grown
                .iter()
                .map(|(size, base)| Measured::new(base, *size, 10)),
        )
        .collect();
    for _ in 0..TURNS {
        for (place, it) in measured.iter_mut().enumerate() {
            note_least(&mut it.engine_us, &it.cases, |case| turn(it.base, case));
            if place < BESIDE_DENSE {
                note_least(&mut it.dense_us, &it.cases, |case| {
                    dense.turn(it.base, case)
                });
            }
        }
    }
    for (place, it) in measured.iter().enumerate() {
        let (said, engine) = (said(it.size, it.pieces), median(&it.engine_us));
        if place < BESIDE_DENSE {
            let plain = median(&it.dense_us);
            println!("{said}: engine {engine:.1} us, plain dense {plain:.1} us");
        } else {
            println!("{said}: engine {engine:.1} us");
        }
    }
}

/// Cases over a knowledge base, and the minimum time of each so far.
struct Measured<'a> {
    base: &'a KnowledgeBase,
    size: Size,
    pieces: usize,
    cases: Vec<DeidentifiedCase>,
    engine_us: Vec<f64>,
    dense_us: Vec<f64>,
}

impl<'a> Measured<'a> {
    fn new(base: &'a KnowledgeBase, size: Size, pieces: usize) -> Self {
        let cases = synthetic_cases(size, pieces);
        Self {
            base,
            size,
            pieces,
            engine_us: vec![f64::INFINITY; cases.len()],
            dense_us: vec![f64::INFINITY; cases.len()],
            cases,
        }
    }
}

fn said(size: Size, pieces: usize) -> String {
    let Size {
        conditions,
        findings,
    } = size;
    format!("{conditions} conditions, {findings} findings, {pieces} pieces of evidence")
}

/// Computes posterior, level and next question.
fn turn<'a>(
    base: &'a KnowledgeBase,
    case: &DeidentifiedCase,
) -> (TriageLevel, Option<Question<'a>>) {
    let draft = assess(base, case, &Parameters::default());
    (draft.level(), draft.next_step(0).question)
}

/// Updates the minimum time of each case, in microseconds, with the fastest of some rounds.
fn note_least<T>(
    least: &mut [f64],
    cases: &[DeidentifiedCase],
    turn: impl Fn(&DeidentifiedCase) -> T,
) {
    for (least, case) in least.iter_mut().zip(cases) {
        for _ in 0..ROUNDS {
            let start = Instant::now();
            black_box(turn(black_box(case)));
            *least = least.min(start.elapsed().as_secs_f64() * 1e6);
        }
    }
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn finding_id(place: usize) -> String {
    format!("s_finding_{place}")
}

fn made<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the synthetic base has the form of the files")
}

fn synthetic_base(size: Size) -> KnowledgeBase {
    let mut numbers = Numbers(1);
    let mut content = Content::default();
    for place in 0..size.findings {
        // One in five findings is a narrower form of an earlier one; one in fifteen is serious by
        // itself.
        let parent = (place > 300 && place % 5 == 0).then(|| finding_id(numbers.below(300)));
        content.findings.push(made(json!({
            "id": finding_id(place), "name": "finding", "kind": "symptom", "question": "?",
            "background_of_100": 1 + numbers.below(8), "parent": parent,
            "red_flag": if place % 15 == 7 { "serious" } else { "none" }, "danger": "?",
        })));
    }
    for place in 0..RISKS {
        content.risk_factors.push(made(json!({
            "id": format!("p_risk_{place}"), "name": "risk", "common_name": "risk", "category": "risk",
            "kind": "exposure", "question": "?", "caregiver_question": "?", "explanation": "?",
            "background_of_100": 1 + numbers.below(20),
        })));
    }
    for place in 0..size.conditions {
        content
            .conditions
            .push(made(condition(place, size.findings, &mut numbers)));
    }
    for place in 0..RULES {
        let two = [(); 2].map(|()| finding_id(numbers.below(size.findings)));
        content.rules.push(made(json!({
            "id": format!("RF-BENCH-{place}"), "says": "?", "when": {"all": two},
            "effect": {"level": "urgent", "timeframe": "within_24_hours"},
        })));
    }
    KnowledgeBase::from_content(content)
}

fn condition(place: usize, findings_known: usize, numbers: &mut Numbers) -> Value {
    let mut listed = std::collections::BTreeSet::new();
    while listed.len() < LINKS {
        // Common findings belong to many conditions, rare ones to few.
        let (a, b) = (numbers.below(findings_known), numbers.below(findings_known));
        listed.insert(a.min(b));
    }
    let findings: Vec<Value> = listed
        .into_iter()
        .map(|finding| json!({"id": finding_id(finding), "of_100": 5 + numbers.below(90)}))
        .collect();
    let risks: Vec<Value> = (0..5)
        .map(|_| json!({"id": format!("p_risk_{}", numbers.below(RISKS)), "odds_ratio": 2.0}))
        .collect();
    let per_1000 = 0.1 + numbers.below(30) as f32 / 10.0;
    json!({
        "id": format!("c_condition_{place}"), "name": "condition", "common_name": "condition", "icd10": "A00",
        "category": "bench", "severity": "moderate", "description": "",
        "prevalence": {"global": "", "africa": ""}, "prior": {"per_1000": {"15-49": per_1000}},
        "course": {"usual_days": [0.0, 30.0], "possible_days": [0.0, 365.0]},
        "findings": {"list": findings}, "risk_factors": {"list": risks},
        "triage": {"default": LEVELS[place % 4], "timeframe": "within_24_hours", "channel": "personal_visit",
                   "specialist": {"id": "general_practice"}},
    })
}

fn synthetic_cases(size: Size, pieces: usize) -> Vec<DeidentifiedCase> {
    let mut numbers = Numbers(2);
    (0..CASES)
        .map(|_| {
            let evidence = (0..pieces).map(|_| {
                let (a, b) = (numbers.below(size.findings), numbers.below(size.findings));
                Evidence {
                    id: ConceptId(finding_id(a.min(b))),
                    // A present finding costs more than an absent one, because it may be dangerous.
                    choice: Choice::Present,
                    source: EvidenceSource::Initial,
                    duration_days: None,
                    severity: None,
                    value: None,
                }
            });
            DeidentifiedCase {
                age: Age::from_years(30),
                sex: Sex::Female,
                region: None,
                month: Some(6),
                evidence: evidence.collect(),
            }
        })
        .collect()
}

/// A simple implementation of the same arithmetic for the usual knowledge base: every condition for
/// every piece of evidence, every finding for every leading candidate.
struct Dense {
    /// By finding, then by condition.
    ln_present: Vec<f32>,
    ln_absent: Vec<f32>,
    probabilities: Vec<f32>,
    prior: Vec<f32>,
    levels: Vec<TriageLevel>,
}

impl Dense {
    fn of(base: &KnowledgeBase) -> Self {
        let figure = |finding, condition| base.likelihood().probability(condition, finding, None);
        let column = |finding| {
            base.condition_indices()
                .map(move |index| figure(finding, index))
        };
        let probabilities: Vec<f32> = base.finding_indices().flat_map(column).collect();
        Self {
            ln_present: probabilities.iter().map(|p| p.ln()).collect(),
            ln_absent: probabilities.iter().map(|p| (1.0 - p).ln()).collect(),
            prior: base
                .conditions()
                .iter()
                .map(|condition| condition.per_1000(lafiya_model::AgeBand::From15To49).ln())
                .collect(),
            levels: base
                .conditions()
                .iter()
                .map(|condition| condition.text.triage.default)
                .collect(),
            probabilities,
        }
    }

    fn turn(&self, base: &KnowledgeBase, case: &DeidentifiedCase) -> (TriageLevel, usize) {
        let mut scores = self.prior.clone();
        let mut asked = vec![false; USUAL.findings];
        for item in &case.evidence {
            let finding: Option<FindingIx> = base
                .resolve(item.id.as_str())
                .and_then(|concept| concept.finding());
            let Some(ix) = finding else { continue };
            asked[ix.index()] = true;
            let table = if item.choice == Choice::Present {
                &self.ln_present
            } else {
                &self.ln_absent
            };
            let column = &table[ix.index() * USUAL.conditions..][..USUAL.conditions];
            for (score, weight) in scores.iter_mut().zip(column) {
                *score += weight;
            }
        }
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = scores
            .iter_mut()
            .map(|score| {
                *score = (*score - highest).exp();
                *score
            })
            .sum();
        let urgent: f32 = scores
            .iter()
            .zip(&self.levels)
            .filter(|(_, level)| **level >= TriageLevel::Urgent)
            .map(|(share, _)| share / total)
            .sum();
        let level = if urgent >= 0.4 {
            TriageLevel::Urgent
        } else {
            TriageLevel::Routine
        };
        let mut leaders: Vec<usize> = (0..USUAL.conditions).collect();
        leaders.select_nth_unstable_by(50, |a, b| scores[*b].total_cmp(&scores[*a]));
        let question = (0..USUAL.findings)
            .filter(|finding| !asked[*finding])
            .map(|finding| (self.information(finding, &leaders[..50], &scores), finding))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        (level, question.map_or(0, |(_, finding)| finding))
    }

    fn information(&self, finding: usize, leaders: &[usize], scores: &[f32]) -> f32 {
        let entropy = |p: f32| -(p * p.ln() + (1.0 - p) * (1.0 - p).ln());
        let column = &self.probabilities[finding * USUAL.conditions..][..USUAL.conditions];
        let (mut expected, mut conditional, mut total) = (0.0, 0.0, 0.0);
        for &leader in leaders {
            expected += scores[leader] * column[leader];
            conditional += scores[leader] * entropy(column[leader]);
            total += scores[leader];
        }
        entropy(expected / total) - conditional / total
    }
}
