//! The first steps of every assessment: the concepts of a case, joined to its interview.

use lafiya_model::Case;
use lafiya_model::assessment::Warning;

use crate::concepts;
use crate::error::ServiceError;
use crate::interview::{Memory, TurnInput};
use crate::library::Library;

/// What a case adds to its interview, and what was wrong with it.
pub(crate) struct NextTurn {
    /// The interview including this turn.
    pub(crate) memory: Memory,
    /// What the clinician must know about the input.
    pub(crate) warnings: Vec<Warning<'static>>,
}

impl NextTurn {
    /// Resolves the concepts of a case and joins its evidence to the interview. Fails if the
    /// interview then has no symptom.
    pub(crate) fn of(
        base: &Library,
        case: &Case,
        before: Memory,
        corrects_patient: bool,
    ) -> Result<Self, ServiceError> {
        let claims = concepts::resolve(base, case)?;
        let told = TurnInput {
            corrects_patient,
            ..TurnInput::of(case, claims.evidence)
        };
        let memory = before.continued(told)?;
        if !memory.has_symptom(base) {
            return Err(ServiceError::InsufficientData);
        }
        Ok(Self {
            memory,
            warnings: claims.warnings,
        })
    }
}
