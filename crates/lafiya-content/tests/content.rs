//! The real content: it has no complaints, and what is embedded is what lies in `knowledge/`.

use std::path::Path;

use lafiya_knowledge::check_dir;

#[test]
fn the_knowledge_base_has_no_complaints() {
    let checked =
        check_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../knowledge")).unwrap();
    let complaints: Vec<String> = checked.complaints().map(ToString::to_string).collect();
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn the_embedded_base_loads() {
    let base = lafiya_content::load().unwrap();
    assert!(!base.conditions().is_empty());
    assert_eq!(base.content_hash().len(), 64);
}
