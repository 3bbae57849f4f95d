//! The textbook patient of a condition: its most common age, its cardinal and frequent findings,
//! and its risk factors. The knowledge base must recognise it.

use lafiya_knowledge::{Condition, ConditionIx, KnowledgeBase};
use lafiya_model::{Age, AgeBand, Choice, DeidentifiedCase, Sex};

use crate::case_mix::{says_state, told};

/// The maximum number of findings of a textbook patient.
const FINDINGS_MAX: usize = 12;
/// A finding with a lower frequency is not typical.
const FREQUENT_FROM: f32 = 0.4;
/// A risk factor with a smaller effect on the log-odds is not stated.
const TELLING_LN_ODDS: f32 = 1.0;

/// Returns the textbook patient.
pub fn textbook_patient(base: &KnowledgeBase, ix: ConditionIx) -> DeidentifiedCase {
    let condition = base.condition(ix);
    let age = typical_age(base, condition);
    let sex = if condition.sex.allows(Sex::Female) {
        Sex::Female
    } else {
        Sex::Male
    };
    let mut links: Vec<_> = condition
        .findings
        .iter()
        .filter(|link| {
            let finding = base.finding(link.finding);
            link.probability >= FREQUENT_FROM
                && finding.sex.allows(sex)
                && finding.ages.contains(age)
        })
        .collect();
    links.sort_by(|a, b| {
        b.cardinal
            .cmp(&a.cardinal)
            .then(b.probability.total_cmp(&a.probability))
    });
    let mut evidence: Vec<_> = links
        .iter()
        .take(FINDINGS_MAX)
        .map(|link| told(&base.finding(link.finding).text.id, Choice::Present))
        .collect();
    evidence.extend(condition.state.and_then(|state| says_state(base, state)));
    let strongest = condition.risks.iter().find(|link| {
        let risk = base.risk(link.risk);
        link.ln_odds > TELLING_LN_ODDS
            && risk.sex.allows(sex)
            && risk.ages.contains(age)
            && risk.implied_by_age.is_none()
    });
    evidence.extend(strongest.map(|link| told(&base.risk(link.risk).text.id, Choice::Present)));
    DeidentifiedCase {
        age,
        sex,
        region: None,
        month: None,
        evidence,
    }
}

/// Returns an age in the middle of a band.
fn middle(band: AgeBand) -> Age {
    match band {
        AgeBand::Neonate => Age::from_days(6),
        AgeBand::Infant => Age::from_months(6),
        AgeBand::From1To4 => Age::from_years(3),
        AgeBand::From5To14 => Age::from_years(9),
        AgeBand::From15To49 => Age::from_years(30),
        AgeBand::From50To64 => Age::from_years(57),
        AgeBand::From65 => Age::from_years(72),
    }
}

/// Returns the middle of the band in which the condition is most common, among the bands where that
/// age is possible, or else the youngest possible age. A condition that requires a state is most
/// common where the state is.
fn typical_age(base: &KnowledgeBase, condition: &Condition) -> Age {
    let share = |age: &Age| {
        let of_state = condition
            .state
            .map_or(1.0, |state| base.state_share(state, age.band()));
        condition.per_1000(age.band()) * of_state
    };
    AgeBand::ALL
        .iter()
        .map(|band| middle(*band))
        .filter(|age| condition.ages.contains(*age))
        .max_by(|a, b| share(a).total_cmp(&share(b)))
        .or(condition.ages.from)
        .unwrap_or(Age::from_years(30))
}
