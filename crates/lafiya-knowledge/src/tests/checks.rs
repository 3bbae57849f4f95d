//! Tests of every check, on a toy knowledge base that is broken in exactly one way. The ways are
//! listed in `broken.txt`.

use std::collections::BTreeSet;

use crate::checks::codes::{is_icd10, is_loinc, is_snomed_ct};
use crate::checks::{CHECKS, check};
use crate::load::SourceFile;
use crate::remark::{Remark, Weight};
use crate::toy;

const GLAND: &str = "conditions/c_gland_trouble.toml";

/// Asserts that all complaints are from this check and that one contains this text.
fn complains(files: Vec<SourceFile>, name: &str, says: &str) -> Vec<Remark> {
    let complaints: Vec<Remark> = check(files).complaints().cloned().collect();
    let told = complaints
        .iter()
        .any(|complaint| complaint.check == name && complaint.says.contains(says));
    assert!(told, "no [{name}] says {says:?} in {complaints:#?}");
    let others: Vec<&Remark> = complaints
        .iter()
        .filter(|complaint| complaint.check != name)
        .collect();
    assert!(others.is_empty(), "not only [{name}]: {others:#?}");
    complaints
}

/// Returns the rows of `broken.txt`: file, old text, new text, check and expected message.
fn rows() -> Vec<[String; 5]> {
    let lines = include_str!("broken.txt").lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let mut cells = line.split(" |").map(|cell| {
                let cell = cell.strip_prefix(' ').unwrap_or(cell);
                cell.replace("\\n", "\n")
            });
            std::array::from_fn(|_| cells.next().expect("five cells"))
        })
        .collect()
}

#[test]
fn every_broken_base_gets_exactly_its_complaint() {
    for [file, old, new, name, says] in rows() {
        complains(toy::files_with(&file, &old, &new), &name, &says);
    }
}

#[test]
fn every_check_is_tested_and_has_a_unique_name_and_a_sentence() {
    let names: BTreeSet<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(names.len(), CHECKS.len());
    assert!(CHECKS.iter().all(|check| check.says.ends_with('.')));
    let rows = rows();
    let mut tested: BTreeSet<&str> = rows.iter().map(|row| row[3].as_str()).collect();
    // These need more than one replaced text; they have separate tests below.
    tested.extend(["prior-sum", "equal-profiles", "used-once"]);
    tested.extend(["interview-form", "question-family"]);
    let untested: Vec<&&str> = names.difference(&tested).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

#[test]
fn a_remark_names_file_and_line() {
    let path = "conditions/c_marsh_fever.toml";
    let files = toy::files_with(path, "\"s_fatigue\"", "\"s_tired\"");
    let text = &files.iter().find(|file| file.path == path).unwrap().text;
    let line = text
        .lines()
        .position(|line| line.contains("s_tired"))
        .unwrap()
        + 1;
    let expected = format!("{path}:{line}: `s_tired` does not exist [unknown-id]");
    let remarks = complains(files, "unknown-id", "s_tired");
    assert_eq!(remarks.len(), 1);
    assert_eq!(remarks[0].to_string(), expected);
}

#[test]
fn one_bad_entry_does_not_hide_the_others() {
    let path = "findings/general.toml";
    let checked = check(toy::files_with(
        path,
        "kind = \"symptom\"",
        "kind = \"smell\"",
    ));
    let bad: Vec<String> = checked
        .complaints()
        .filter(|complaint| complaint.check == "unreadable")
        .map(ToString::to_string)
        .collect();
    assert_eq!(bad.len(), 1, "{bad:#?}");
    assert!(
        bad[0].starts_with("findings/general.toml:2: s_fever: unknown variant `smell`"),
        "{bad:#?}"
    );
    assert!(checked.base.resolve("s_chills").is_some());
}

#[test]
fn an_unknown_file_is_a_complaint() {
    let mut files = toy::files();
    let text = String::new();
    files.push(SourceFile {
        path: "notes.toml".to_owned(),
        text,
    });
    complains(files, "unknown-file", "no file of this name");
}

#[test]
fn a_planned_condition_may_be_named() {
    let path = "conditions/c_marsh_fever.toml";
    let mut files = toy::files_with(path, "\"c_head_cold\", ", "\"c_planned\", ");
    let text = "# soon\nc_planned\n".to_owned();
    files.push(SourceFile {
        path: "planned.txt".to_owned(),
        text,
    });
    assert_eq!(check(files).complaints().count(), 0);
}

#[test]
fn a_cycle_of_parents_is_a_complaint() {
    let path = "findings/general.toml";
    let files = toy::files_with(
        path,
        "synonyms = [\"raised temperature\"]",
        "parent = \"s_high_fever\"",
    );
    let complaints: Vec<String> = check(files).complaints().map(ToString::to_string).collect();
    for id in ["s_fever", "s_high_fever"] {
        let says = format!("`{id}` is, through its parents, a kind of itself");
        assert!(
            complaints.iter().any(|complaint| complaint.contains(&says)),
            "{complaints:#?}"
        );
    }
}

#[test]
fn priors_must_not_add_up_to_more_than_everybody() {
    let mut files = toy::files();
    for file in &mut files {
        file.text = file.text.replace("\"65+\" = 30", "\"65+\" = 490");
        file.text = file.text.replace("\"65+\" = 50", "\"65+\" = 490");
    }
    let remarks = complains(
        files,
        "prior-sum",
        "male patients of the band 65+ add up to 1470 of 1,000",
    );
    assert_eq!(remarks.len(), 1, "women have no such gland: {remarks:#?}");
}

#[test]
fn a_finding_used_once_is_only_a_note() {
    let checked = check(toy::files());
    let noted = |id: &str| {
        let says = format!("lists `{id}`");
        checked
            .notes()
            .any(|note| note.check == "used-once" && note.says.contains(&says))
    };
    assert!(noted("s_weak_urine_stream"));
    assert!(!noted("s_fever"));
    assert!(checked.notes().all(|note| note.weight == Weight::Note));
}

#[test]
fn an_unreachable_emergency_is_a_complaint() {
    let mut files = toy::files_with(GLAND, "default = \"routine\"", "default = \"emergency\"");
    let file = files.iter_mut().find(|file| file.path == GLAND).unwrap();
    for quiet in ["lower_abdominal_pain", "abdominal_pain", "fever"] {
        file.text = file
            .text
            .replace(&format!("\"s_{quiet}\""), "\"s_sneezing\"");
    }
    let says: Vec<String> = check(files).complaints().map(ToString::to_string).collect();
    let found = says
        .iter()
        .any(|say| say.contains("nothing leads to this emergency"));
    assert!(found, "{says:#?}");
}

#[test]
fn two_indistinguishable_conditions_are_a_complaint() {
    let mut files = toy::files();
    let gland = files.iter().find(|file| file.path == GLAND).unwrap();
    let twin = gland.text.replace("c_gland_trouble", "c_gland_twin");
    let twin = twin
        .replace("slow gland", "twin gland")
        .replace("of_100 = 85", "of_100 = 75");
    files.push(SourceFile {
        path: "conditions/c_gland_twin.toml".to_owned(),
        text: twin,
    });
    complains(files, "equal-profiles", "looks the same as `c_gland_twin`");
}

#[test]
fn a_phrase_may_repeat_across_sexes() {
    let mut files = toy::files();
    for file in &mut files {
        if file.path.starts_with("findings/") {
            let lay = "\nlay = [\"trouble below\"]\n";
            file.text = file
                .text
                .replacen("sex = \"male\"\n", &format!("sex = \"male\"{lay}"), 1);
            file.text =
                file.text
                    .replacen("sex = \"female\"\n", &format!("sex = \"female\"{lay}"), 1);
        }
    }
    assert_eq!(check(files).complaints().count(), 0);
}

#[test]
fn malformed_external_codes_are_detected() {
    fn test(is_right: fn(&str) -> bool, right: &[&str], wrong: &[&str]) {
        for code in right {
            assert!(is_right(code), "{code}");
        }
        for code in wrong {
            assert!(!is_right(code), "{code}");
        }
    }
    test(
        is_icd10,
        &["B50.9", "J00", "T63.01"],
        &["b50", "B5", "B50.", "B50.123", "", "ÄÖ"],
    );
    test(
        is_snomed_ct,
        &["61462000", "386661006", "25064002"],
        &["61462001", "386661060", "12", "6146200x"],
    );
    test(
        is_loinc,
        &["718-7", "8310-5", "8867-4"],
        &["718-8", "7187", "-7", "718-77", "8301-5"],
    );
}

/// A screen of the toy base, with what is to be broken in it.
const SCREEN: &str = r#"[[screen]]
id = "SCREEN-FEVER"
says = "Danger with fever"
when = { any = ["s_fever"], age = { from = "5 years" } }
items = ["s_neck_stiffness"]
question = "Do you have any of these?"
caregiver_question = "Does the patient have any of these?"
explanation = "They must be seen at once."
source = "WHO-TEST"
"#;

#[test]
fn a_screen_without_items_texts_complaint_or_source_is_refused() {
    let source = toy::files();
    let sources = source.iter().find(|file| file.path == "sources.toml");
    let id = sources.unwrap().text.split('"').nth(1).unwrap().to_owned();
    let whole = SCREEN.replace("WHO-TEST", &id);
    let with = |text: String| {
        let mut files = toy::files();
        files.push(SourceFile {
            path: "screens.toml".to_owned(),
            text,
        });
        files
    };
    assert_eq!(check(with(whole.clone())).complaints().count(), 0);
    for (old, new, name) in [
        (r#"["s_neck_stiffness"]"#, "[]", "interview-form"),
        ("Do you have any of these?", "", "interview-form"),
        (
            "any = [\"s_fever\"], age = { from = \"5 years\" }",
            "",
            "interview-form",
        ),
        (r#"["s_neck_stiffness"]"#, r#"["s_nothing"]"#, "unknown-id"),
        ("SCREEN-FEVER", "screen", "malformed-id"),
        (id.as_str(), "NOWHERE", "unknown-source"),
    ] {
        assert!(whole.contains(old), "{old}");
        complains(with(whole.replace(old, new)), name, "");
    }
}

#[test]
fn a_family_of_one_is_noted() {
    let path = "findings/general.toml";
    let files = toy::files_with(
        path,
        "background_of_100",
        "family = \"alone\"\nbackground_of_100",
    );
    let notes = check(files);
    let noted = notes.notes().any(|note| note.check == "question-family");
    assert!(noted, "{:?}", notes.remarks);
    assert_eq!(notes.complaints().count(), 0);
}
