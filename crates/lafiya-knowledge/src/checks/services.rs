//! Checks that everything `services.toml` refers to exists.

use std::collections::BTreeSet;

use super::Report;

/// Checks that services, specialists and categories in the file exist, and that each triage level
/// has one entry.
pub(super) fn known(report: &mut Report<'_>) {
    let content = report.content;
    let file = &content.services;
    let services: BTreeSet<&str> = file.service.iter().map(|service| &*service.id).collect();
    let specialists: BTreeSet<&str> = content
        .specialists
        .iter()
        .map(|specialist| &*specialist.id)
        .collect();
    let categories: BTreeSet<&str> = content
        .conditions
        .iter()
        .map(|condition| &*condition.category)
        .collect();
    for service in &file.service {
        for id in &service.asked_by.specialists {
            if !specialists.contains(&**id) {
                report.complain(&service.id, id, format!("there is no specialist `{id}`"));
            }
        }
        for id in &service.asked_by.categories {
            if !categories.contains(&**id) {
                report.complain(
                    &service.id,
                    id,
                    format!("no condition has the category `{id}`"),
                );
            }
        }
    }
    let named = file
        .care
        .iter()
        .map(|care| (care.level.as_str(), &care.services))
        .chain(
            file.facility_type
                .iter()
                .map(|facility_type| (&*facility_type.id, &facility_type.services)),
        )
        .chain(file.facility_type.iter().filter_map(|facility_type| {
            Some((&*facility_type.id, facility_type.only_for.as_ref()?))
        }));
    for (owner, list) in named {
        for id in list.iter().filter(|id| !services.contains(&***id)) {
            report.complain(owner, id, format!("there is no service `{id}`"));
        }
    }
}
