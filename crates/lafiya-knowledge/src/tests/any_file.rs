//! Property tests with arbitrary content files: the loader and the checks never panic, and report
//! every file that they cannot read. `cargo xtask fuzz` uses another seed and a larger budget.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::{SourceFile, check, toy};

const CASES: u32 = 128;
const SEED: u64 = 20_261_115;

fn budget() -> ProptestConfig {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let cases = number("LAFIYA_FUZZ_CASES").and_then(|number| u32::try_from(number).ok());
    ProptestConfig {
        cases: cases.unwrap_or(CASES),
        rng_seed: RngSeed::Fixed(number("LAFIYA_FUZZ_SEED").unwrap_or(SEED)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Typical corruptions: an editing mistake, a bad merge or an attack.
fn slip() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,30}",
        Just("\"".to_owned()),
        Just("= [[[".to_owned()),
        Just("\n[[finding]]\n".to_owned()),
        Just("of_100 = 1e308\n".to_owned()),
        Just("of_100 = -1\n".to_owned()),
        Just("id = \"c_marsh_fever\"\n".to_owned()),
        Just("\u{0}\u{feff}".to_owned()),
    ]
}

proptest! {
    #![proptest_config(budget())]

    #[test]
    fn any_corruption_of_a_file_is_reported_without_a_panic(
        file in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        removed in 0_usize..40,
        slip in slip(),
    ) {
        let mut files = toy::files();
        let chosen = file.index(files.len());
        let text = &files[chosen].text;
        let characters: Vec<char> = text.chars().collect();
        let start = place.index(characters.len().max(1)).min(characters.len());
        let end = (start + removed).min(characters.len());
        let changed: String = characters[..start]
            .iter()
            .copied()
            .chain(slip.chars())
            .chain(characters[end..].iter().copied())
            .collect();
        files[chosen].text = changed;
        for remark in &check(files).remarks {
            prop_assert!(!remark.to_string().is_empty());
        }
    }

    #[test]
    fn any_text_under_any_name_is_read_without_a_panic(name in "[a-z/]{0,20}\\.(toml|csv)", text in ".{0,200}") {
        // A knowledge base of one file lacks nearly everything, and the checks report that.
        let checked = check(vec![SourceFile { path: name, text }]);
        prop_assert!(!checked.remarks.is_empty());
    }
}
