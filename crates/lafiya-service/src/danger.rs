//! The danger in a case that is refused for quota: the caller must learn of it all the same.

use jiff::Timestamp;
use lafiya_engine::Parameters;
use lafiya_model::{Assessment, Case, TriageLevel};

use crate::assess::deidentified;
use crate::authenticate::Caller;
use crate::context::Context;
use crate::interview::Memory;
use crate::next_turn::NextTurn;
use crate::resolved_location::ResolvedLocation;

/// The danger in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// The triage level.
    pub level: TriageLevel,
    /// The names of the danger signs that are present.
    pub red_flags: Vec<String>,
    /// What to do.
    pub action: String,
}

impl Danger {
    /// Returns the danger in an assessment: a danger sign, or an emergency.
    pub(crate) fn of(assessment: &Assessment<'_>) -> Option<Box<Self>> {
        let level = assessment.triage.level;
        if assessment.red_flags.is_empty() && level != TriageLevel::Emergency {
            return None;
        }
        let names = assessment.red_flags.iter();
        Some(Box::new(Self {
            level,
            red_flags: names.map(|flag| flag.name.to_string()).collect(),
            action: assessment.triage.recommended_action.to_string(),
        }))
    }

    /// Returns the danger in a case that is the first turn of its interview. Nothing is recorded. A
    /// case that could not be assessed has none.
    pub(crate) fn in_case(
        context: &Context,
        caller: &Caller,
        case: &Case,
        now: Timestamp,
    ) -> Option<Box<Self>> {
        let base = context.knowledge.load_full();
        let told = NextTurn::of(&base, case, Memory::default(), false).ok()?;
        let location = ResolvedLocation::of(context, &base, caller, case);
        let reasoned = deidentified(case, location.region(), &told.memory, now);
        let draft = lafiya_engine::assess(&base, &reasoned, &Parameters::default());
        Self::of(&lafiya_engine::review(draft, 0))
    }
}
