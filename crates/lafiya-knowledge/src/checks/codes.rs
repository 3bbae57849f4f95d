//! Checks codes of other terminologies: format and check digits.

use std::collections::BTreeMap;

use super::Report;

/// Checks that ICD-10 codes look like `B50.9`.
pub(super) fn icd10(report: &mut Report<'_>) {
    for condition in &report.content.conditions {
        if !is_icd10(&condition.icd10) {
            report.complain(
                &condition.id,
                "icd10",
                format!("`{}` is not written like an ICD-10 code", condition.icd10),
            );
        }
    }
    let mut bound: BTreeMap<&str, &str> = BTreeMap::new();
    for risk in &report.content.risk_factors {
        for code in &risk.icd10 {
            if !is_icd10(code) {
                report.complain(
                    &risk.id,
                    "icd10",
                    format!("`{code}` is not written like an ICD-10 code"),
                );
            }
            if let Some(other) = bound.insert(code, &risk.id) {
                report.complain(
                    &risk.id,
                    "icd10",
                    format!("`{code}` is already bound to {other}"),
                );
            }
        }
    }
}

/// Checks the check digit of SNOMED CT codes.
pub(super) fn snomed_ct(report: &mut Report<'_>) {
    let content = report.content;
    let conditions = content
        .conditions
        .iter()
        .map(|condition| (&condition.id, &condition.snomed_ct));
    let findings = content
        .findings
        .iter()
        .map(|finding| (&finding.id, &finding.snomed_ct));
    let measures = content
        .measures
        .iter()
        .map(|measure| (&measure.id, &measure.snomed_ct));
    let risks = content
        .risk_factors
        .iter()
        .map(|factor| (&factor.id, &factor.snomed_ct));
    let tests = content
        .lab_tests
        .iter()
        .map(|test| (&test.id, &test.snomed_ct));
    let all = conditions
        .chain(findings)
        .chain(measures)
        .chain(risks)
        .chain(tests);
    for (id, code) in all.filter_map(|(id, code)| Some((id, code.as_ref()?))) {
        if !is_snomed_ct(code) {
            report.complain(
                id,
                "snomed_ct",
                format!("`{code}` is not a SNOMED CT concept: its check digit is wrong"),
            );
        }
    }
}

/// Checks the check digit of LOINC codes.
pub(super) fn loinc(report: &mut Report<'_>) {
    let content = report.content;
    let findings = content
        .findings
        .iter()
        .map(|finding| (&finding.id, &finding.loinc));
    let measures = content
        .measures
        .iter()
        .map(|measure| (&measure.id, &measure.loinc));
    let tests = content.lab_tests.iter().map(|test| (&test.id, &test.loinc));
    for (id, code) in findings
        .chain(measures)
        .chain(tests)
        .filter_map(|(id, code)| Some((id, code.as_ref()?)))
    {
        if !is_loinc(code) {
            report.complain(
                id,
                "loinc",
                format!("`{code}` is not a LOINC code: its check digit is wrong"),
            );
        }
    }
}

/// Whether a code consists of a letter, two digits, and optionally a point with one or two more
/// digits.
pub(crate) fn is_icd10(code: &str) -> bool {
    let (block, detail) = code
        .split_once('.')
        .map_or((code, None), |(block, detail)| (block, Some(detail)));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let block_fits = block.len() == 3
        && block.starts_with(|c: char| c.is_ascii_uppercase())
        && digits(&block[1..]);
    block_fits && detail.is_none_or(|detail| (1..=2).contains(&detail.len()) && digits(detail))
}

/// Whether a code has 6 to 18 digits, of which the last is a Verhoeff check digit and the two
/// before it are `00` or `10` (a concept).
pub(crate) fn is_snomed_ct(code: &str) -> bool {
    const TIMES: [[u8; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    const FIRST: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    if !(6..=18).contains(&code.len()) || !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let mut sum = 0;
    for (place, byte) in code.bytes().rev().enumerate() {
        let mut digit = byte - b'0';
        for _ in 0..place % 8 {
            digit = FIRST[usize::from(digit)];
        }
        sum = TIMES[usize::from(sum)][usize::from(digit)];
    }
    let partition = &code[code.len() - 3..code.len() - 1];
    sum == 0 && (partition == "00" || partition == "10")
}

/// Whether a code has one to seven digits, a hyphen and a valid check digit (the Luhn algorithm:
/// every second digit from the right is doubled).
pub(crate) fn is_loinc(code: &str) -> bool {
    let Some((number, check)) = code.split_once('-') else {
        return false;
    };
    if !(1..=7).contains(&number.len())
        || check.len() != 1
        || !(number.bytes().chain(check.bytes())).all(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    let digits = number
        .bytes()
        .rev()
        .map(|byte| u32::from(byte - b'0'))
        .enumerate();
    let sum: u32 = digits
        .map(|(place, digit)| match place % 2 {
            0 => digit * 2 / 10 + digit * 2 % 10,
            _ => digit,
        })
        .sum();
    check == ((10 - sum % 10) % 10).to_string()
}
