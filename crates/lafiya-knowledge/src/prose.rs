//! The texts of conditions and rules that may refer to medicines, and the amounts that are still
//! written in them.

use crate::schema::{Condition, Education, Rule, TriageTexts};

/// Returns the texts that say what to give or do.
pub fn of_care(condition: &Condition) -> impl Iterator<Item = &str> {
    let treatment = &condition.treatment;
    let advice = [
        &treatment.first_line,
        &treatment.alternative,
        &treatment.pregnancy,
        &treatment.children,
    ];
    let advice = advice.into_iter().flatten().map(|advice| &*advice.text);
    let lines = treatment
        .immediate_actions
        .iter()
        .chain(&treatment.supportive_care);
    let referral = condition.referral.iter();
    let actions = referral.flat_map(|referral| &referral.pre_referral_actions);
    let watch_for = condition.watch_for.iter().map(|sign| &*sign.action);
    advice
        .chain(lines.map(|line| &**line))
        .chain(actions.map(|line| &**line))
        .chain(watch_for)
}

/// Returns every text of a condition that may refer to medicines.
pub fn of_condition(condition: &Condition) -> impl Iterator<Item = &str> {
    let avoid = condition.treatment.avoid.iter().map(|action| &*action.text);
    let interpretation = condition
        .investigation
        .iter()
        .map(|investigation| &*investigation.interpretation);
    let education = of_education(&condition.education);
    of_care(condition)
        .chain(avoid)
        .chain(interpretation)
        .chain(education)
}

/// Returns the texts for patients.
pub fn of_education(education: &Education) -> impl Iterator<Item = &str> {
    let lists = [
        &education.symptoms,
        &education.prevention,
        &education.home_care,
        &education.key_facts,
    ];
    let single = [
        &education.overview,
        &education.treatment_overview,
        &education.when_to_seek_care,
    ];
    let texts = lists.into_iter().flatten().chain(single);
    texts.map(|text| &**text)
}

/// Returns every text of a rule that may refer to medicines.
pub fn of_rule(rule: &Rule) -> impl Iterator<Item = &str> {
    let effect = &rule.effect;
    std::iter::once(&*effect.action).chain(effect.in_emergency.iter().map(|action| &**action))
}

/// Returns every text of the levels that may refer to medicines.
pub fn of_triage(triage: &TriageTexts) -> impl Iterator<Item = &str> {
    triage.level.iter().flat_map(|level| {
        let usual = [&*level.description, &*level.recommended_action];
        let isolated = level.in_isolation.iter().map(|text| &**text);
        usual.into_iter().chain(isolated)
    })
}

/// How far doses are data: the files that refer to medicines, and the amounts left in prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct DosesInProse {
    /// Files of conditions and rules that refer to medicines.
    pub refer: usize,
    /// Amounts that stand in prose.
    pub amounts: usize,
    /// Conditions and rules with such amounts.
    pub with_amounts: usize,
}

impl DosesInProse {
    /// Adds the texts of one file or rule.
    pub fn add<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        let (mut refers, mut amounts) = (false, 0);
        for text in texts {
            refers |= crate::base::reference::references(text).next().is_some();
            amounts += amounts_in(text);
        }
        self.refer += usize::from(refers);
        self.amounts += amounts;
        self.with_amounts += usize::from(amounts > 0);
    }
}

/// The units that follow an amount of something given.
const UNITS: [&str; 35] = [
    "mg",
    "g",
    "gram",
    "grams",
    "microgram",
    "micrograms",
    "mcg",
    "IU",
    "unit",
    "units",
    "mL",
    "ml",
    "litre",
    "litres",
    "L",
    "tablet",
    "tablets",
    "capsule",
    "capsules",
    "drop",
    "drops",
    "puff",
    "puffs",
    "sachet",
    "sachets",
    "vial",
    "vials",
    "mmol",
    "teaspoon",
    "teaspoons",
    "ampoule",
    "ampoules",
    "suppository",
    "suppositories",
    "lozenge",
];

/// Counts the amounts in a text: a number, or two, and a unit. Concentrations such as "g/dL" are
/// not amounts.
pub fn amounts_in(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_digit()
            && !at.checked_sub(1).is_some_and(|before| {
                let before = bytes[before];
                before.is_ascii_alphanumeric() || matches!(before, b'_' | b'{' | b'.' | b',')
            });
        if !starts {
            at += 1;
            continue;
        }
        let mut end = number_end(text, at);
        let rest = text[end..].trim_start();
        for join in ["to ", "or ", "- ", "-"] {
            if let Some(second) = rest.strip_prefix(join)
                && second.starts_with(|letter: char| letter.is_ascii_digit())
            {
                end = number_end(text, text.len() - second.len());
                break;
            }
        }
        let rest = text[end..].trim_start();
        let rest = rest.strip_prefix("million ").unwrap_or(rest);
        count += usize::from(is_unit(rest));
        at = end;
    }
    count
}

/// Returns where a number ends. A full stop or comma at its end belongs to the sentence.
fn number_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let length = rest
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '.' | ',')))
        .unwrap_or(rest.len());
    start + rest[..length].trim_end_matches(['.', ',']).len()
}

fn is_unit(rest: &str) -> bool {
    let length = rest
        .find(|letter: char| !letter.is_alphanumeric())
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at(length);
    let concentration = [
        "/dL",
        "/L",
        "/mL",
        "/mmol",
        "/mol",
        "/litre",
        " per dL",
        " per litre",
    ];
    UNITS.contains(&word) && !concentration.iter().any(|unit| after.starts_with(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_counted_and_measurements_are_not() {
        let check = |text: &str, count: usize| assert_eq!(amounts_in(text), count, "{text}");
        check("amoxicillin 500 mg three times a day", 1);
        check("500 to 1,000 mg, or 2 tablets", 2);
        check("1.2 million IU once", 1);
        check("15 mg/kg", 1);
        check("haemoglobin below 7 g/dL", 0);
        check("for 5 days", 0);
        check("{amoxicillin.pneumonia}", 0);
        check("{med_5.a}; 20 mL/kg", 1);
        check("Vitamin K1 and B12 units", 0);
    }
}
