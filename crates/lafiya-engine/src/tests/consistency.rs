//! The base agrees with itself: a textbook patient of each condition is recognised.

use lafiya_knowledge::{Condition, ConditionIx};
use lafiya_model::{Age, AgeBand, Choice, Sex};

use super::{BASE, case, finding_id, item};
use crate::{Parameters, assess};

/// Findings of a textbook patient at most.
const FINDINGS_MAX: usize = 12;
/// Of all conditions, at least this share of textbook patients is ranked in the first three. The
/// rest are pairs of one illness in two degrees, which the report of the test names.
const RECOGNISED_MIN: f64 = 0.97;

fn typical_age(condition: &Condition) -> Age {
    let typical = |band: AgeBand| match band {
        AgeBand::Neonate => Age::from_days(6),
        AgeBand::Infant => Age::from_months(6),
        AgeBand::From1To4 => Age::from_years(3),
        AgeBand::From5To14 => Age::from_years(9),
        AgeBand::From15To49 => Age::from_years(30),
        AgeBand::From50To64 => Age::from_years(57),
        AgeBand::From65 => Age::from_years(72),
    };
    let commonest = AgeBand::ALL
        .iter()
        .copied()
        .max_by(|a, b| condition.per_1000(*a).total_cmp(&condition.per_1000(*b)));
    let ages = AgeBand::ALL
        .iter()
        .copied()
        .map(typical)
        .filter(|age| condition.ages.contains(*age));
    let by_prior = commonest
        .map(typical)
        .filter(|age| condition.ages.contains(*age));
    by_prior
        .or_else(|| {
            ages.max_by(|a, b| {
                condition
                    .per_1000(a.band())
                    .total_cmp(&condition.per_1000(b.band()))
            })
        })
        .unwrap_or(Age::from_years(30))
}

fn place_of(ix: ConditionIx) -> usize {
    let condition = BASE.condition(ix);
    let age = typical_age(condition);
    let sex = if condition.sex.allows(Sex::Female) {
        Sex::Female
    } else {
        Sex::Male
    };
    let mut links: Vec<_> = condition
        .findings
        .iter()
        .filter(|link| {
            let finding = BASE.finding(link.finding);
            link.probability >= 0.4 && finding.sex.allows(sex) && finding.ages.contains(age)
        })
        .collect();
    links.sort_by(|a, b| {
        (b.cardinal, b.probability)
            .partial_cmp(&(a.cardinal, a.probability))
            .expect("probabilities are numbers")
    });
    let mut evidence: Vec<_> = links
        .iter()
        .take(FINDINGS_MAX)
        .map(|link| item(finding_id(link.finding), Choice::Present))
        .collect();
    if let Some(state) = condition.state {
        let says = BASE
            .risks()
            .iter()
            .find(|risk| risk.state == Some(state) && risk.implies.is_empty());
        evidence.extend(says.map(|risk| item(&risk.text.id, Choice::Present)));
    }
    // What puts patients at risk belongs to the textbook too.
    let strongest = condition
        .risks
        .iter()
        .filter(|link| link.ln_odds > 1.0)
        .filter(|link| {
            let risk = BASE.risk(link.risk);
            risk.sex.allows(sex) && risk.ages.contains(age) && risk.implied_by_age.is_none()
        });
    evidence.extend(
        strongest
            .take(1)
            .map(|link| item(&BASE.risk(link.risk).text.id, Choice::Present)),
    );
    let draft = assess(&BASE, &case(age, sex, evidence), &Parameters::default());
    draft
        .differential()
        .ranking()
        .iter()
        .position(|other| *other == ix)
        .map_or(usize::MAX, |place| place + 1)
}

#[test]
fn a_textbook_patient_of_nearly_every_condition_is_in_the_first_three() {
    let missed: Vec<String> = BASE
        .condition_indices()
        .map(|ix| (ix, place_of(ix)))
        .filter(|(_, place)| *place > 3)
        .map(|(ix, place)| format!("{} at {place}", BASE.condition(ix).text.id))
        .collect();
    let recognised = 1.0 - missed.len() as f64 / BASE.conditions().len() as f64;
    assert!(
        recognised >= RECOGNISED_MIN,
        "{:.1} % recognised; not: {}",
        recognised * 100.0,
        missed.join(", ")
    );
}
