//! Checks of the references to medicines in conditions and rules.

use std::collections::BTreeSet;

use lafiya_model::{Age, Sex};

use super::Report;
use super::doses::{Sample, fits};
use crate::base::reference::references;
use crate::base::{ConceptRef, Reason};
use crate::patient_group::is_well_formed;
use crate::prose;
use crate::schema::{Caution, Condition};
use crate::words::CautionKind;

/// The ages, in days, at which conditions and cautions are compared.
const AGES_DAYS: [u32; 14] = [
    0, 7, 28, 61, 182, 365, 731, 1826, 2922, 4383, 5479, 10_957, 18_628, 27_394,
];

/// Checks that every reference names a medicine and a dose of it, that every part for some patients
/// names them, and that no text has other braces or angle brackets.
pub(super) fn known(report: &mut Report<'_>) {
    let content = report.content;
    let mut check = |owner: &str, text: &str| {
        let mut found = 0;
        for written in references(text) {
            found += 1;
            let Some(medicine) = report.base.find_medicine(written.medicine) else {
                let says = format!("there is no medicine `{}`", written.medicine);
                report.complain(owner, &text[written.range], says);
                continue;
            };
            let Some(dose) = written.dose else { continue };
            if report.base.find_dose(medicine, dose).is_none() {
                let says = format!("`{}` has no dose `{dose}`", written.medicine);
                report.complain(owner, &text[written.range], says);
            }
        }
        if text.matches(['{', '}']).count() != 2 * found {
            let says = "braces are for references such as {medicine} and {medicine.dose}";
            report.complain(owner, text, says);
        }
        if !is_well_formed(text) {
            let says = "angle brackets are for text for some patients, <below 29 days: ...>";
            report.complain(owner, text, says);
        }
    };
    for condition in &content.conditions {
        for text in prose::of_condition(condition) {
            check(&condition.id, text);
        }
    }
    for rule in &content.rules {
        for text in prose::of_rule(rule) {
            check(&rule.id, text);
        }
    }
    for text in prose::of_triage(&content.triage) {
        check("triage.toml", text);
    }
}

/// Checks that no condition gives what its own file, or the medicine, forbids to all its patients.
pub(super) fn not_forbidden(report: &mut Report<'_>) {
    let content = report.content;
    for condition in &content.conditions {
        let forbidden: BTreeSet<&str> = condition
            .treatment
            .avoid
            .iter()
            .filter(|avoid| avoid.when.is_none())
            .flat_map(|avoid| references(&avoid.text))
            .filter(|written| written.dose.is_none())
            .map(|written| written.medicine)
            .collect();
        for text in prose::of_care(condition) {
            for written in references(text) {
                let Some(dose) = written.dose else { continue };
                let reference = &text[written.range.clone()];
                if forbidden.contains(written.medicine) {
                    let says = format!("`{}` is both given and avoided", written.medicine);
                    report.complain(&condition.id, reference, says);
                }
                if let Some(says) = forbidden_by(report, condition, written.medicine, dose) {
                    let says = format!("`{}` is forbidden here: {says}", written.medicine);
                    report.complain(&condition.id, reference, says);
                }
            }
        }
    }
}

/// Returns what a contraindication says that holds for all patients of a condition.
fn forbidden_by(
    report: &Report<'_>,
    condition: &Condition,
    medicine: &str,
    dose: &str,
) -> Option<String> {
    let base = report.base;
    let ix = base.find_medicine(medicine)?;
    let dose = base.find_dose(ix, dose)?;
    let medicine = base.medicine(ix);
    let own = base.resolve(&condition.id);
    let mut cautions = medicine.text.caution.iter().zip(&medicine.cautions);
    let found = cautions.find(|(text, caution)| {
        let is_own = |reason: &Reason| match reason {
            Reason::Concept(concept @ ConceptRef::Condition(_)) => own == Some(*concept),
            _ => false,
        };
        let has_reason = caution.is_by_who || caution.reasons.iter().any(is_own);
        text.kind == CautionKind::Contraindicated
            && has_reason
            && caution.concerns(dose)
            && concerns_all(text, condition)
    })?;
    Some(found.0.says.to_string())
}

/// Whether a caution is for all patients that can have a condition, whatever their weight.
fn concerns_all(caution: &Caution, condition: &Condition) -> bool {
    if caution.who.asks_weight()
        || caution
            .who
            .state
            .is_some_and(|_| condition.who.state.is_none())
    {
        return false;
    }
    let ages = condition.who.ages();
    let state = condition.who.state.map(|state| match state {
        crate::words::State::Pregnant => crate::words::PatientState::Pregnant,
        crate::words::State::Postpartum => crate::words::PatientState::Postpartum,
    });
    let mut patients = AGES_DAYS
        .iter()
        .map(|days| Age::from_days(*days))
        .filter(|age| ages.contains(*age))
        .flat_map(|age| [Sex::Female, Sex::Male].map(|sex| (age, sex)))
        .filter(|(_, sex)| condition.who.sex.allows(*sex))
        .map(|(age, sex)| Sample {
            age,
            kg: 10.0,
            sex,
            state,
        })
        .peekable();
    patients.peek().is_some() && patients.all(|patient| fits(&caution.who, &patient))
}
