//! Measures the parts of one turn with the shipped knowledge base: reasoning, the full review, and
//! the stored document. `cargo run --release -p lafiya-eval --example turn`.

use std::hint::black_box;
use std::time::Instant;

use lafiya_engine::{Parameters, assess, review};
use lafiya_model::{Age, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, Sex};

const ROUNDS: usize = 3000;

fn main() {
    let base = lafiya_content::load().expect("the base that is shipped can be read");
    let parameters = Parameters::default();
    let case = feverish_child();
    time("assess", || assess(&base, &case, &parameters));
    time("assess, next question", || {
        assess(&base, &case, &parameters).next_step(0)
    });
    time("assess, review", || {
        review(assess(&base, &case, &parameters), 0)
    });
    let assessment = review(assess(&base, &case, &parameters), 0);
    time("document", || serde_json::to_vec(&assessment));
    println!(
        "{} bytes",
        serde_json::to_vec(&assessment).map_or(0, |it| it.len())
    );
}

/// Prints the time of the fastest round.
fn time<T>(what: &str, turn: impl Fn() -> T) {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let made = black_box(turn());
        let took = start.elapsed();
        drop(made);
        took
    });
    let least = rounds.min().unwrap_or_default();
    println!("{what}: {:.1} us", least.as_secs_f64() * 1e6);
}

fn feverish_child() -> DeidentifiedCase {
    let present = [
        "fever",
        "vomiting",
        "headache",
        "convulsion",
        "chills",
        "fatigue",
    ];
    let absent = ["neck_stiffness", "cough", "diarrhoea", "rash"];
    let item = |name: &&str, choice| Evidence {
        id: ConceptId(format!("s_{name}")),
        choice,
        source: EvidenceSource::Initial,
        duration_days: Some(2),
        severity: None,
        value: None,
    };
    DeidentifiedCase {
        age: Age::from_years(4),
        sex: Sex::Male,
        region: Some("kano".to_owned()),
        month: Some(6),
        evidence: present
            .iter()
            .map(|name| item(name, Choice::Present))
            .chain(absent.iter().map(|name| item(name, Choice::Absent)))
            .collect(),
    }
}
