//! Tests of statistics, pages and terms, and of the loading time of a large knowledge base.

use std::time::Instant;

use crate::load::SourceFile;
use crate::search_terms::TermKind;
use crate::{KnowledgeBase, artefact, check, show, stats, toy};

#[test]
fn statistics_count_the_content() {
    let stats = stats::stats(&toy::base());
    assert_eq!(stats.version, "toy");
    assert_eq!(stats.totals["conditions"], 5);
    assert_eq!(stats.totals["findings"], 26);
    assert_eq!(stats.conditions_by_level["emergency"], 2);
    assert_eq!(stats.conditions_by_review["awaiting_clinical_sign_off"], 5);
    assert_eq!(stats.findings_by_red_flag["emergency_ambulance"], 1);
    assert_eq!(stats.coverage.must_not_miss, 2);
    assert_eq!(stats.coverage.countries, 1);
    let links: usize = toy::base()
        .conditions()
        .iter()
        .map(|condition| condition.findings.len())
        .sum();
    assert_eq!(stats.coverage.finding_links, links);
}

#[test]
fn a_page_shows_a_concept_to_a_reviewer() {
    let base = toy::base();
    let check = |id: &str, expected: &[&str]| {
        let page = show::show(&base, base.resolve(id).unwrap());
        for line in expected {
            assert!(
                page.lines().any(|shown| shown == *line),
                "no line {line:?} in\n{page}"
            );
        }
    };
    let marsh = [
        "Marsh fever (c_marsh_fever)",
        "Headache: 65, under 5 15",
        "Fever: 95 (cardinal)",
        "1-4: 160",
    ];
    check("c_marsh_fever", &marsh);
    check(
        "c_marsh_fever",
        &["[1] Handbook of invented illness, Toy Press, 2020"],
    );
    check(
        "s_fever",
        &[
            "It follows from: High fever",
            "Brain fever: 90",
            "RF-FEVER-01: Fever with a stiff neck is an emergency.",
        ],
    );
    check(
        "s_body_temperature",
        &["Unit: °C", "Also read: °F", "High fever"],
    );
    check("p_crowded_home", &["Brain fever: 2", "Head cold: 1.4"]);
    check("lt_marsh_fever_rapid_test", &["Marsh fever: 95 / 8"]);
}

#[test]
fn every_term_leads_to_its_concept() {
    let base = toy::base();
    let terms = base.search_terms();
    let check = |term: &str, id: &str, kind: TermKind, language: Option<&str>| {
        let found = terms
            .iter()
            .find(|found| found.term == term)
            .unwrap_or_else(|| panic!("no {term}"));
        assert_eq!(
            (base.id_of(found.concept), found.kind, found.language),
            (id, kind, language)
        );
    };
    check("Fever", "s_fever", TermKind::Name, None);
    check("Hot body", "s_fever", TermKind::CommonName, None);
    check("raised temperature", "s_fever", TermKind::Synonym, None);
    check("body dey hot", "s_fever", TermKind::Lay, None);
    check("body on fire", "s_fever", TermKind::Lay, Some("en"));
    check("carrying belle", "p_pregnancy", TermKind::Lay, None);
    check(
        "marsh strip",
        "lt_marsh_fever_rapid_test",
        TermKind::Synonym,
        None,
    );
    check("swamp fever", "c_marsh_fever", TermKind::Synonym, None);
    assert_eq!(terms.iter().filter(|term| term.term == "Cough").count(), 1);
}

#[test]
fn a_directory_gives_the_same_base_as_its_files() {
    let directory = tempfile::tempdir().unwrap();
    for file in toy::files() {
        let path = directory.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    std::fs::write(directory.path().join("README.md"), "for people").unwrap();
    let base = KnowledgeBase::from_dir(directory.path()).unwrap();
    assert_eq!(base.content_hash(), toy::base().content_hash());
    std::fs::write(directory.path().join("belts.toml"), "[[belt]]").unwrap();
    let refused = KnowledgeBase::from_dir(directory.path()).unwrap_err();
    assert!(refused.to_string().contains("complaints"), "{refused}");
}

#[test]
fn any_changed_byte_changes_the_content_hash() {
    let changed = check(toy::files_with(
        "VERSION.toml",
        "Not medicine.",
        "Not medicine!",
    ));
    assert_ne!(changed.base.content_hash(), toy::base().content_hash());
}

/// Builds a knowledge base with as many conditions and findings as planned for the real one.
fn large_base() -> Vec<SourceFile> {
    let mut files = toy::files();
    let toys: Vec<SourceFile> = files
        .iter()
        .filter(|file| file.path.starts_with("conditions/"))
        .cloned()
        .collect();
    for n in 0..1245 {
        let pattern = &toys[n % toys.len()];
        let stem = pattern
            .path
            .trim_start_matches("conditions/")
            .trim_end_matches(".toml");
        let id = format!("{stem}_{n}");
        let text = pattern
            .text
            .replace(&format!("id = \"{stem}\""), &format!("id = \"{id}\""));
        let padding = "A sentence about this condition that a clinician wrote. ".repeat(80);
        let text = text.replace("overview = \"", &format!("overview = \"{padding}"));
        files.push(SourceFile {
            path: format!("conditions/{id}.toml"),
            text,
        });
    }
    let mut findings = String::new();
    for n in 0..1225 {
        findings += &format!(
            "[[finding]]\nid = \"s_filler_{n}\"\nname = \"Filler {n}\"\nkind = \"sign\"\nbackground_of_100 = 1\n"
        );
    }
    files.push(SourceFile {
        path: "findings/filler.toml".to_owned(),
        text: findings,
    });
    files
}

#[test]
fn a_full_size_base_loads_fast() {
    let loaded = crate::load::parse(large_base());
    let bytes = artefact::pack(&loaded.content).unwrap();
    let load = || {
        let start = Instant::now();
        let base = KnowledgeBase::from_artefact(&bytes).unwrap();
        (start.elapsed(), base)
    };
    // The fastest of three, to exclude the influence of other processes.
    let (took, base) = [load(), load(), load()]
        .into_iter()
        .min_by_key(|(took, _)| *took)
        .unwrap();
    println!(
        "{} conditions x {} findings, {} kB packed: {} ms",
        base.conditions().len(),
        base.findings().len(),
        bytes.len() / 1000,
        took.as_millis()
    );
    // Release builds stay well below 100 ms; this limit guards against accidentally quadratic code.
    assert!(took.as_millis() < 500, "{took:?}");
}
