//! Checks ids: well-formed, unique, and equal to the file name if a file contains one object.

use std::collections::{BTreeMap, BTreeSet};

use super::Report;

/// Checks that ids are a prefix and a slug in lower snake case; those of rules and scores are upper
/// case with hyphens.
pub(super) fn well_formed(report: &mut Report<'_>) {
    let content = report.content;
    let concepts = [
        (
            "c_",
            content
                .conditions
                .iter()
                .map(|condition| &condition.id)
                .collect::<Vec<_>>(),
        ),
        (
            "s_",
            content
                .findings
                .iter()
                .map(|finding| &finding.id)
                .chain(content.measures.iter().map(|measure| &measure.id))
                .collect(),
        ),
        (
            "p_",
            content
                .risk_factors
                .iter()
                .map(|factor| &factor.id)
                .collect(),
        ),
        (
            "m_",
            content
                .medicines
                .iter()
                .map(|medicine| &medicine.id)
                .collect(),
        ),
        (
            "lt_",
            content.lab_tests.iter().map(|test| &test.id).collect(),
        ),
    ];
    for (prefix, ids) in concepts {
        for id in ids {
            if !id.strip_prefix(prefix).is_some_and(is_slug) {
                report.complain(
                    id,
                    "",
                    format!("`{id}` is not `{prefix}` and a slug in lower snake case"),
                );
            }
        }
    }
    for id in content
        .rules
        .iter()
        .map(|rule| &rule.id)
        .chain(content.scores.iter().map(|score| &score.id))
        .chain(content.screens.iter().map(|screen| &screen.id))
        .chain(content.gates.iter().map(|gate| &gate.id))
        .chain(content.exposures.iter().map(|exposure| &exposure.id))
        .chain(content.scales.iter().map(|scale| &scale.id))
    {
        if !is_capital(id) {
            report.complain(id, "", format!("`{id}` is not written like `RF-FEVER-03`"));
        }
    }
}

/// Checks that no id is declared twice, and that no current id is among the retired ones.
pub(super) fn unique(report: &mut Report<'_>) {
    let content = report.content;
    let lists: [Vec<&str>; 6] = [
        concept_ids(report).collect(),
        content
            .rules
            .iter()
            .map(|rule| &*rule.id)
            .chain(content.scores.iter().map(|score| &*score.id))
            .chain(content.screens.iter().map(|screen| &*screen.id))
            .chain(content.gates.iter().map(|gate| &*gate.id))
            .chain(content.exposures.iter().map(|exposure| &*exposure.id))
            .chain(content.scales.iter().map(|scale| &*scale.id))
            .collect(),
        content.sources.iter().map(|source| &*source.id).collect(),
        content
            .specialists
            .iter()
            .map(|specialist| &*specialist.id)
            .collect(),
        content.belts.iter().map(|belt| &*belt.id).collect(),
        content
            .countries
            .iter()
            .flat_map(|country| &country.region)
            .map(|region| &*region.slug)
            .collect(),
    ];
    for ids in lists {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for id in ids {
            *count.entry(id).or_default() += 1;
        }
        for (id, times) in count.into_iter().filter(|(_, times)| *times > 1) {
            report.complain(id, "", format!("`{id}` is declared {times} times"));
        }
    }
    let living: BTreeSet<&str> = concept_ids(report).collect();
    for alias in &content.aliases {
        if living.contains(&*alias.retired) {
            report.complain(
                "aliases.toml",
                &alias.retired,
                format!("`{}` is retired and still alive", alias.retired),
            );
        }
    }
}

/// Checks that the file of a condition or medicine is named after its id.
pub(super) fn file_name(report: &mut Report<'_>) {
    for condition in &report.content.conditions {
        let expected = format!("conditions/{}.toml", condition.id);
        if report.locator.file_of(&condition.id) != Some(&expected) {
            report.complain(
                &condition.id,
                "",
                format!("the file of `{}` must be {expected}", condition.id),
            );
        }
    }
    for medicine in &report.content.medicines {
        let name = medicine.id.strip_prefix("m_").unwrap_or(&medicine.id);
        let expected = format!("medicines/{name}.toml");
        if report.locator.file_of(&medicine.id) != Some(&expected) {
            let says = format!("the file of `{}` must be {expected}", medicine.id);
            report.complain(&medicine.id, "", says);
        }
    }
}

fn concept_ids<'a>(report: &Report<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let content = report.content;
    let findings = content
        .findings
        .iter()
        .map(|finding| &*finding.id)
        .chain(content.measures.iter().map(|measure| &*measure.id));
    let others = content
        .risk_factors
        .iter()
        .map(|factor| &*factor.id)
        .chain(content.lab_tests.iter().map(|test| &*test.id));
    content
        .conditions
        .iter()
        .map(|condition| &*condition.id)
        .chain(findings)
        .chain(others)
        .chain(content.medicines.iter().map(|medicine| &*medicine.id))
}

pub(super) fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text.split('_').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
}

fn is_capital(text: &str) -> bool {
    text.contains('-')
        && text.split('-').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        })
}
