//! Dense indices, which the engine uses instead of comparing names.

use lafiya_model::ConceptKind;
use serde::{Deserialize, Serialize};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u16);

        impl $name {
            /// Returns the position in the knowledge base's list of this kind.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Creates the index for a position in the list. Building the knowledge base checks
            /// that lists are short enough.
            #[inline]
            pub fn at(place: usize) -> Self {
                Self(u16::try_from(place).unwrap_or(u16::MAX))
            }
        }
    };
}

index!(
    /// A condition.
    ConditionIx
);
index!(
    /// A finding.
    FindingIx
);
index!(
    /// A measured value.
    MeasureIx
);
index!(
    /// A risk factor.
    RiskIx
);
index!(
    /// A lab test.
    LabIx
);
index!(
    /// A danger rule.
    RuleIx
);
index!(
    /// A score.
    ScoreIx
);
index!(
    /// A source.
    SourceIx
);
index!(
    /// A belt.
    BeltIx
);
index!(
    /// A medicine.
    MedicineIx
);
index!(
    /// A dose of a medicine.
    DoseIx
);

/// A concept of the knowledge base, of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConceptRef {
    /// A symptom, sign or threshold of a vital sign.
    Finding(FindingIx),
    /// A measured value.
    Measure(MeasureIx),
    /// A risk factor.
    Risk(RiskIx),
    /// A lab test.
    Lab(LabIx),
    /// A condition.
    Condition(ConditionIx),
}

impl ConceptRef {
    /// Returns the kind in the words of the API, where measured values are symptoms.
    pub fn kind(self) -> ConceptKind {
        match self {
            Self::Finding(_) | Self::Measure(_) => ConceptKind::Symptom,
            Self::Risk(_) => ConceptKind::RiskFactor,
            Self::Lab(_) => ConceptKind::LabTest,
            Self::Condition(_) => ConceptKind::Condition,
        }
    }

    /// Returns the finding, if it is one.
    #[inline]
    pub fn finding(self) -> Option<FindingIx> {
        match self {
            Self::Finding(ix) => Some(ix),
            _ => None,
        }
    }

    /// Returns the risk factor, if it is one.
    #[inline]
    pub fn risk(self) -> Option<RiskIx> {
        match self {
            Self::Risk(ix) => Some(ix),
            _ => None,
        }
    }

    /// Returns the lab test, if it is one.
    #[inline]
    pub fn lab(self) -> Option<LabIx> {
        match self {
            Self::Lab(ix) => Some(ix),
            _ => None,
        }
    }

    /// Returns the condition, if it is one.
    #[inline]
    pub fn condition(self) -> Option<ConditionIx> {
        match self {
            Self::Condition(ix) => Some(ix),
            _ => None,
        }
    }
}
