//! Checks of the files of medicines: names, forms, cautions, and what a class requires.

use std::collections::BTreeSet;

use super::Report;
use crate::base::ConceptRef;
use crate::schema::{Caution, DoseSource, Medicine, MedicineForm, Requirement};
use crate::words::{Basis, FormUnit};

impl Report<'_> {
    /// Adds a complaint about a medicine, at the first line of its file with a text. Doses and
    /// forms declare ids of their own, so the line is searched in the whole file.
    pub(super) fn complain_of(&mut self, medicine: &Medicine, near: &str, says: impl Into<String>) {
        let file = self.locator.file_of(&medicine.id).map(str::to_owned);
        self.complain(&file.unwrap_or_default(), near, says);
    }
}

/// Checks that a file says what the medicine is, and that its forms can be measured out.
pub(super) fn sense(report: &mut Report<'_>) {
    for medicine in &report.content.medicines {
        for (field, text) in [
            ("name", &*medicine.name),
            ("class", &*medicine.class),
            ("says", &medicine.says),
        ] {
            if text.trim().is_empty() {
                report.complain_of(medicine, "id", format!("`{field}` is empty"));
            }
        }
        if has_amount(&medicine.says) {
            report.complain_of(
                medicine,
                "says",
                "`says` has digits; amounts belong in doses",
            );
        }
        if medicine.review.is_none() {
            report.complain_of(medicine, "id", "the medicine has no review status");
        }
        if medicine.sources.is_empty() {
            report.complain_of(medicine, "id", "the medicine names no sources");
        }
        let forms = medicine.form.iter().map(|form| &form.id);
        unique(report, medicine, "form", forms.collect());
        let doses = medicine.dose.iter().map(|dose| &dose.id);
        unique(report, medicine, "dose", doses.collect());
        for form in &medicine.form {
            of_form(report, medicine, form);
        }
        for caution in &medicine.caution {
            of_caution(report, medicine, caution);
        }
    }
}

fn unique(report: &mut Report<'_>, medicine: &Medicine, what: &str, ids: Vec<&String>) {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !super::ids::is_slug(id) {
            let says = format!("the {what} `{id}` is not a slug in lower snake case");
            report.complain_of(medicine, id, says);
        }
        if !seen.insert(id) {
            report.complain_of(medicine, id, format!("the {what} `{id}` stands twice"));
        }
    }
}

fn of_form(report: &mut Report<'_>, medicine: &Medicine, form: &MedicineForm) {
    if !(form.amount.is_finite() && form.amount > 0.0) {
        let says = format!("the form `{}` contains no amount", form.id);
        report.complain_of(medicine, &form.id, says);
    }
    if form.routes.is_empty() {
        report.complain_of(
            medicine,
            &form.id,
            format!("the form `{}` has no route", form.id),
        );
    }
    match (form.per, form.split) {
        (_, None) | (FormUnit::Tablet | FormUnit::Sachet, Some(1 | 2 | 4)) => {}
        (FormUnit::Tablet | FormUnit::Sachet, Some(_)) => {
            let says = format!("the form `{}` splits into 1, 2 or 4 parts", form.id);
            report.complain_of(medicine, &form.id, says);
        }
        _ => {
            let says = format!(
                "the form `{}` is no tablet or sachet and cannot be split",
                form.id
            );
            report.complain_of(medicine, &form.id, says);
        }
    }
}

fn of_caution(report: &mut Report<'_>, medicine: &Medicine, caution: &Caution) {
    let near = &caution.says;
    if caution.says.trim().is_empty() {
        report.complain_of(medicine, "[[caution]]", "a caution says nothing");
    }
    if caution.if_any.is_empty() && caution.belt.is_none() && caution.who.is_everybody() {
        report.complain_of(
            medicine,
            near,
            "the caution has no reason: if_any, who or belt",
        );
    }
    for id in &caution.doses {
        if !medicine.dose.iter().any(|dose| dose.id == *id) {
            report.complain_of(medicine, id, format!("the caution is for no dose `{id}`"));
        }
    }
    super::doses::of_who(report, medicine, near, &caution.who);
}

/// Checks that the concepts, medicines and belts that medicines name exist.
pub(super) fn known(report: &mut Report<'_>) {
    let content = report.content;
    for medicine in &content.medicines {
        for caution in &medicine.caution {
            for id in &caution.if_any {
                if !is_reason(report, id) {
                    report.complain_of(medicine, id, format!("`{id}` does not exist"));
                }
            }
            let unknown = |id: &&String| !content.belts.iter().any(|belt| belt.id == **id);
            if let Some(id) = caution.belt.as_ref().filter(unknown) {
                report.complain_of(medicine, id, format!("there is no belt `{id}`"));
            }
        }
    }
    let classes = &content.medicine_classes;
    for id in classes.state.iter().flat_map(|state| &state.any) {
        if !matches!(report.base.resolve(id), Some(ConceptRef::Risk(_))) {
            let says = format!("`{id}` is no risk factor");
            report.complain("medicine-classes.toml", id, says);
        }
    }
    let weights = &content.weight_for_age;
    for id in &weights.not_if {
        if report.base.resolve(id).is_none() {
            let says = format!("`{id}` does not exist");
            report.complain("weight-for-age.toml", id, says);
        }
    }
    let months = weights.median.iter().map(|row| row.months);
    if !months.is_sorted_by(|a, b| a < b) {
        let says = "the ages of the medians are in order";
        report.complain("weight-for-age.toml", "median", says);
    }
    if let Some(source) = &weights.source
        && report.base.find_source(&source.id).is_none()
    {
        let says = format!("the source `{}` is not in sources.toml", source.id);
        report.complain("weight-for-age.toml", &source.id, says);
    }
    if !weights.measure.is_empty() && report.base.weights().measure.is_none() {
        let says = format!("`{}` is no measured value", weights.measure);
        report.complain("weight-for-age.toml", &weights.measure, says);
    }
}

fn is_reason(report: &Report<'_>, id: &str) -> bool {
    if report
        .content
        .medicines
        .iter()
        .any(|medicine| medicine.id == id)
        || report.content.planned.iter().any(|planned| planned == id)
    {
        return true;
    }
    let found = report.base.resolve(id);
    found.is_some_and(|concept| {
        report.base.id_of(concept) == id && !matches!(concept, ConceptRef::Measure(_))
    })
}

/// Checks the sources of medicines: they exist, and what was read is quoted.
pub(super) fn sources(report: &mut Report<'_>) {
    let content = report.content;
    for medicine in &content.medicines {
        for id in &medicine.sources {
            known_source(report, medicine, id);
        }
        for dose in &medicine.dose {
            of_source(report, medicine, &dose.id, &dose.source);
        }
        for caution in &medicine.caution {
            of_source(report, medicine, &caution.says, &caution.source);
        }
    }
}

fn of_source(report: &mut Report<'_>, medicine: &Medicine, near: &str, source: &DoseSource) {
    known_source(report, medicine, &source.id);
    let is_empty = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    if source.basis == Basis::Read && (is_empty(&source.place) || is_empty(&source.quote)) {
        let says = "a source that was read has its place and its words: `place` and `quote`";
        report.complain_of(medicine, near, says);
    }
}

fn known_source(report: &mut Report<'_>, medicine: &Medicine, id: &str) {
    if report.base.find_source(id).is_none() {
        let says = format!("the source `{id}` is not in sources.toml");
        report.complain_of(medicine, id, says);
    }
}

/// Checks what `medicine-classes.toml` requires of medicines.
pub(super) fn requirements(report: &mut Report<'_>) {
    let content = report.content;
    for requirement in &content.medicine_classes.requirement {
        let meant = content.medicines.iter().filter(|medicine| {
            requirement.classes.contains(&medicine.class)
                || requirement.medicines.contains(&medicine.id)
        });
        for medicine in meant {
            if let Some(lack) = lack(medicine, requirement) {
                let says = format!("{lack}: {}", requirement.says);
                report.complain_of(medicine, "class", says);
            }
        }
    }
}

/// Returns what a medicine lacks of a requirement.
fn lack(medicine: &Medicine, requirement: &Requirement) -> Option<String> {
    if requirement.is_narrow && !medicine.narrow {
        return Some("`narrow = true` is missing".to_owned());
    }
    let needed = &requirement.needs_caution_on;
    let is_named = |caution: &Caution| {
        let mut ids = caution.if_any.iter().chain(&caution.belt);
        ids.any(|id| needed.contains(id))
    };
    if !needed.is_empty() && !medicine.caution.iter().any(is_named) {
        return Some(format!("no caution names {}", needed.join(" or ")));
    }
    let below_kg = requirement.newborn_row_below_kg?;
    let lacking = medicine.dose.iter().find(|dose| {
        let newborn = |row: &&crate::schema::DoseRow| {
            row.per_kg.is_some() && row.who.from.is_none_or(|from| from.days() < 28)
        };
        let mut rows = dose.rows.iter().filter(newborn).peekable();
        let is_split = |row: &crate::schema::DoseRow| {
            let [from, to] = [row.who.from_kg, row.who.to_kg];
            from.is_some_and(|from| from >= below_kg) || to.is_some_and(|to| to <= below_kg)
        };
        rows.peek().is_some() && !rows.any(is_split)
    })?;
    Some(format!(
        "the dose `{}` has no row below {below_kg} kg",
        lacking.id
    ))
}

/// Whether a sentence has a number. Digits inside a word, as in "vitamin B12", are part of a name.
fn has_amount(sentence: &str) -> bool {
    sentence
        .split_whitespace()
        .any(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}
