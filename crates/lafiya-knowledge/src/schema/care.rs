//! The second half of a condition's file: triage, warning signs, tests, treatment, referral,
//! reporting and patient education.

use lafiya_model::{Phrase, Timeframe, TriageLevel};
use serde::{Deserialize, Serialize};

use super::rule::When;
use crate::words::{CareLevel, Channel, HowFast, Urgency};

/// The triage of the condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionTriage {
    /// The level for a typical patient.
    pub default: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// Whether self-care is never appropriate.
    #[serde(default)]
    pub self_care_never: bool,
    /// How the patient should be seen.
    pub channel: Channel,
    /// Whom to see.
    pub specialist: SpecialistAdvice,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// Groups of patients that need a higher level.
    #[serde(default)]
    pub higher: Vec<Higher>,
}

/// Whom to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialistAdvice {
    /// Specialist id.
    pub id: String,
    /// The reason.
    #[serde(default)]
    pub reasoning: Phrase,
    /// Id of the specialist for escalation.
    #[serde(default)]
    pub escalate_to: String,
    /// When to escalate.
    #[serde(default)]
    pub escalation_trigger: Phrase,
}

/// A group of patients that needs a higher level than the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Higher {
    /// Which patients.
    pub when: When,
    /// Their level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// The reason.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// A warning sign.
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

/// A recommended test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Investigation {
    /// Lab test id.
    pub test: String,
    /// The priority; 1 is highest.
    pub priority: u8,
    /// How soon.
    pub urgency: Urgency,
    /// The purpose.
    pub purpose: Phrase,
    /// How to interpret the result.
    pub interpretation: Phrase,
    /// Ids of the conditions that it distinguishes from this one.
    #[serde(default)]
    pub differentiates: Vec<String>,
    /// The lowest level of care where it is available.
    pub level: CareLevel,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// The treatment of the condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Treatment {
    /// Actions in the first minutes.
    #[serde(default)]
    pub immediate_actions: Vec<Phrase>,
    /// The first choice of the guideline.
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
    /// Care other than medicines.
    #[serde(default)]
    pub supportive_care: Vec<Phrase>,
}

/// A sentence of treatment advice and its source.
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
    /// The substance or action.
    pub text: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// The patients concerned; `None` means all.
    #[serde(default)]
    pub when: Option<When>,
}

/// When and where to refer the patient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Referral {
    /// The level of care where treatment begins.
    pub current_level: Phrase,
    /// Where to refer.
    pub refer_to: Phrase,
    /// Which patients to refer.
    pub criteria: Vec<Phrase>,
    /// What to do before the referral.
    pub pre_referral_actions: Vec<Phrase>,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// The report required by law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notifiable {
    /// The reporting scheme.
    pub scheme: Phrase,
    /// How fast to report.
    pub how_fast: HowFast,
    /// Whom to report to.
    pub to: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// Patient education in plain words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Education {
    /// What it is.
    pub overview: String,
    /// What it feels like.
    #[serde(default)]
    pub symptoms: Vec<String>,
    /// How to prevent it.
    #[serde(default)]
    pub prevention: Vec<String>,
    /// What to do at home.
    #[serde(default)]
    pub home_care: Vec<String>,
    /// The key facts.
    #[serde(default)]
    pub key_facts: Vec<String>,
    /// What treatment involves.
    #[serde(default)]
    pub treatment_overview: String,
    /// When to seek care.
    #[serde(default)]
    pub when_to_seek_care: String,
    /// Further reading.
    #[serde(default)]
    pub resources: Vec<Resource>,
}

/// A page for further reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The title.
    pub title: String,
    /// The URL.
    pub url: String,
}
