//! The warnings of an answer: evidence that does not fit together, values to measure again,
//! patients who worsen quickly, and answers that rest on little.

use lafiya_knowledge::Facts as _;
use lafiya_knowledge::words::State;
use lafiya_model::assessment::{AssessedCondition, Warning, WarningKind, WarningSeverity};
use lafiya_model::{Age, AgeBand, Text};

use crate::danger::Alarm;
use crate::facts::PatientFacts;
use crate::triage::Verdict;

/// Below this confidence the answer says that no condition stands out.
const LOW_CONFIDENCE: f64 = 0.35;

/// Returns the warnings of an answer: first what may have been entered wrongly, then the patient,
/// the danger and the confidence.
pub(crate) fn warnings<'a>(
    facts: &PatientFacts<'a>,
    alarms: &[Alarm<'a>],
    verdict: &Verdict,
    confidence: f64,
    conditions: &[AssessedCondition<'_>],
) -> Vec<Warning<'a>> {
    let mut warnings = Vec::new();
    if !facts.misfit_alarms.is_empty() {
        warnings.push(Warning {
            kind: WarningKind::ValidationConcern,
            severity: WarningSeverity::High,
            message: "A danger sign does not fit the age or sex that was entered.".into(),
            recommended_action: "Check the age and the sex now. Until then the danger sign counts."
                .into(),
            details: facts
                .misfit_alarms
                .iter()
                .map(|alarm| alarm.flag.name.clone())
                .collect(),
        });
    }
    if !facts.concerns.is_empty() {
        warnings.push(Warning {
            kind: WarningKind::ValidationConcern,
            severity: if facts.concerns.iter().any(|concern| concern.left_out) {
                WarningSeverity::Medium
            } else {
                WarningSeverity::Low
            },
            message: "Some of the evidence does not fit together.".into(),
            recommended_action: "Check what was entered.".into(),
            details: facts
                .concerns
                .iter()
                .map(|concern| concern.says.clone().into())
                .collect(),
        });
    }
    if !facts.impossible.is_empty() {
        warnings.push(Warning {
            kind: WarningKind::ValidationConcern,
            severity: WarningSeverity::High,
            message: "A measured value cannot be right.".into(),
            recommended_action:
                "Measure again now. Until then the value counts as unknown, not as normal.".into(),
            details: facts
                .impossible
                .iter()
                .map(|value| value.clone().into())
                .collect(),
        });
    }
    if !facts.unusual.is_empty() {
        warnings.push(Warning {
            kind: WarningKind::ValidationConcern,
            severity: WarningSeverity::Medium,
            message: "A measured value is far outside what is usual at this age.".into(),
            recommended_action: "Measure again. If it is still so, a clinician must judge it."
                .into(),
            details: facts
                .unusual
                .iter()
                .map(|value| value.clone().into())
                .collect(),
        });
    }
    if let Some(message) = vulnerability(facts) {
        warnings.push(Warning {
            kind: WarningKind::AgeVulnerability,
            severity: if facts.age.band() == AgeBand::Neonate {
                WarningSeverity::High
            } else {
                WarningSeverity::Medium
            },
            message: message.into(),
            recommended_action: "Lower the threshold for examination and referral.".into(),
            details: Vec::new(),
        });
    }
    // Only if danger decides: the clinician must know why the level is above what the list
    // suggests.
    if let Some(floor) = verdict
        .floor
        .filter(|floor| *floor > verdict.candidate_level)
    {
        warnings.push(Warning {
            kind: WarningKind::TriageMismatch,
            severity: WarningSeverity::High,
            message: format!(
                "Danger signs ask for {floor}, the likely conditions alone for {}.",
                verdict.candidate_level
            )
            .into(),
            recommended_action: "Act on the danger signs first.".into(),
            details: alarms
                .iter()
                .take(5)
                .map(|alarm| alarm.flag.name.clone())
                .collect(),
        });
    }
    for alarm in alarms.iter().filter(|alarm| alarm.isolate) {
        warnings.push(Warning {
            kind: WarningKind::ValidationConcern,
            severity: WarningSeverity::High,
            message: "A dangerous contagious disease is possible.".into(),
            recommended_action: "Isolate the patient and protect staff before anything else."
                .into(),
            details: std::iter::once(alarm.flag.name.clone())
                .chain(alarm.notify.map(Text::from))
                .collect(),
        });
    }
    if confidence < LOW_CONFIDENCE {
        let insufficient = conditions
            .first()
            .is_none_or(|condition| condition.insufficient_data);
        warnings.push(Warning {
            kind: WarningKind::ConfidenceLow,
            severity: if insufficient {
                WarningSeverity::Medium
            } else {
                WarningSeverity::Low
            },
            message: "The evidence does not yet single out a condition.".into(),
            recommended_action: "Answer the next questions or examine the patient.".into(),
            details: Vec::new(),
        });
    }
    warnings
}

fn vulnerability(facts: &PatientFacts<'_>) -> Option<&'static str> {
    if facts.age < Age::from_months(2) {
        Some("Babies under two months worsen within hours and show few signs.")
    } else if facts.age < Age::from_years(5) {
        Some("Children under five worsen quickly.")
    } else if facts.age >= Age::from_years(65) {
        Some("Older people show fewer signs of serious illness.")
    } else if facts.is_in(State::Pregnant) || facts.is_in(State::Postpartum) {
        Some("Pregnancy and the weeks after birth make many illnesses more dangerous.")
    } else {
        None
    }
}
