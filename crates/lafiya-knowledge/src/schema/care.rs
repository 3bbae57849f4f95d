//! The second half of a condition's file: how urgent, what to watch, test, give, refer, report and explain.

use lafiya_model::{Phrase, Timeframe, TriageLevel};
use serde::{Deserialize, Serialize};

use super::rule::When;
use crate::words::{CareLevel, Channel, HowFast, Urgency};

/// How urgent the condition is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionTriage {
    /// The level of a typical patient.
    pub default: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// Never to be looked after at home.
    #[serde(default)]
    pub self_care_never: bool,
    /// How to be seen.
    pub channel: Channel,
    /// Whom to see.
    pub specialist: SpecialistAdvice,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// Who needs more.
    #[serde(default)]
    pub higher: Vec<Higher>,
}

/// Whom to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialistAdvice {
    /// Specialist id.
    pub id: String,
    /// Why.
    #[serde(default)]
    pub reasoning: Phrase,
    /// Specialist id of the next step.
    #[serde(default)]
    pub escalate_to: String,
    /// When to take it.
    #[serde(default)]
    pub escalation_trigger: Phrase,
}

/// A group of patients that needs more than the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Higher {
    /// Which patients.
    pub when: When,
    /// Their level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// Why.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// A sign of getting worse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchFor {
    /// What to look for.
    pub sign: Phrase,
    /// What it would mean.
    pub escalates_to: Phrase,
    /// What to do then.
    pub action: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// A test worth doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Investigation {
    /// Lab test id.
    pub test: String,
    /// 1 is first.
    pub priority: u8,
    /// How soon.
    pub urgency: Urgency,
    /// What for.
    pub purpose: Phrase,
    /// How to read the result.
    pub interpretation: Phrase,
    /// Condition ids it tells apart from this one.
    #[serde(default)]
    pub differentiates: Vec<String>,
    /// The lowest level that has it.
    pub level: CareLevel,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// What to do about the condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Treatment {
    /// First minutes.
    #[serde(default)]
    pub immediate_actions: Vec<Phrase>,
    /// The guideline's first choice.
    #[serde(default)]
    pub first_line: Option<Advice>,
    /// The second choice.
    #[serde(default)]
    pub alternative: Option<Advice>,
    /// In pregnancy.
    #[serde(default)]
    pub pregnancy: Option<Advice>,
    /// In children.
    #[serde(default)]
    pub children: Option<Advice>,
    /// What not to give.
    #[serde(default)]
    pub avoid: Vec<Avoid>,
    /// Besides medicines.
    #[serde(default)]
    pub supportive_care: Vec<Phrase>,
}

/// A sentence of treatment and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// Drug, dose, route, frequency, days.
    pub text: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// Something not to give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avoid {
    /// What.
    pub text: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// To whom; empty is to everybody.
    #[serde(default)]
    pub when: Option<When>,
}

/// When to send the patient on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Referral {
    /// Where care begins.
    pub current_level: Phrase,
    /// Where to send.
    pub refer_to: Phrase,
    /// Whom to send.
    pub criteria: Vec<Phrase>,
    /// What to do before.
    pub pre_referral_actions: Vec<Phrase>,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// The report the law wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notifiable {
    /// Under which scheme.
    pub scheme: Phrase,
    /// How fast.
    pub how_fast: HowFast,
    /// To whom.
    pub to: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// What the patient should know, in plain words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Education {
    /// What it is.
    pub overview: String,
    /// What it feels like.
    #[serde(default)]
    pub symptoms: Vec<String>,
    /// How not to get it.
    #[serde(default)]
    pub prevention: Vec<String>,
    /// What to do at home.
    #[serde(default)]
    pub home_care: Vec<String>,
    /// What to remember.
    #[serde(default)]
    pub key_facts: Vec<String>,
    /// What treatment is like.
    #[serde(default)]
    pub treatment_overview: String,
    /// When to come.
    #[serde(default)]
    pub when_to_seek_care: String,
    /// Where to read on.
    #[serde(default)]
    pub resources: Vec<Resource>,
}

/// A page to read on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
}
