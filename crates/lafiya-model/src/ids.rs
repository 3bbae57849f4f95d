//! Identifiers. Each kind is its own type, so that one can never be passed for another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

/// Why a text is no id that a client may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdRefusal {
    /// No UUID.
    NotAUuid,
    /// The nil or the max UUID, which programs send for "none yet": taken as the id of something,
    /// it would be the same for everybody who has none.
    Placeholder,
}

/// As the end of a sentence that begins with the field's name.
impl fmt::Display for IdRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAUuid => "must be a UUID",
            Self::Placeholder => "must be a UUID of its own, not the nil or the max UUID",
        })
    }
}

/// Reads a UUID that a client sent.
pub fn uuid_from_client(text: &str) -> Result<Uuid, IdRefusal> {
    let id = Uuid::parse_str(text).map_err(|_| IdRefusal::NotAUuid)?;
    if id.is_nil() || id.is_max() {
        return Err(IdRefusal::Placeholder);
    }
    Ok(id)
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        /// As text in every format: whoever exports a document need not know its fields.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut text = Uuid::encode_buffer();
                serializer.serialize_str(self.0.hyphenated().encode_lower(&mut text))
            }
        }

        impl $name {
            /// Reads an id that a client sent. What is stored is read by [`FromStr`], which takes
            /// every UUID.
            pub fn from_client(text: &str) -> Result<Self, IdRefusal> {
                uuid_from_client(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A customer of the service; owns keys, interviews, assessments, webhooks and usage.
    TenantId
);
uuid_id!(
    /// A person who can sign in to the web app.
    AccountId
);
uuid_id!(
    /// One API key (never the key itself).
    KeyId
);
uuid_id!(
    /// One interview: a series of assessments about one patient.
    InterviewId
);
uuid_id!(
    /// One assessment: one turn of an interview. Equals the request id of the call that made it.
    AssessmentId
);
uuid_id!(
    /// One HTTP request.
    RequestId
);
uuid_id!(
    /// One webhook: an address that events are delivered to.
    WebhookId
);
uuid_id!(
    /// One delivery of one event to one webhook.
    DeliveryId
);
uuid_id!(
    /// One adverse event.
    AdverseEventId
);

/// What a concept of the knowledge base is. The word the API uses wherever a `type` appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConceptKind {
    /// A symptom, sign, vital sign or measurement (`s_`).
    Symptom,
    /// A risk factor, exposure or piece of history (`p_`).
    RiskFactor,
    /// A laboratory test, image or bedside test (`lt_`).
    LabTest,
    /// A condition (`c_`).
    Condition,
}

impl ConceptKind {
    /// The prefix that every id of this kind carries.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Symptom => "s_",
            Self::RiskFactor => "p_",
            Self::LabTest => "lt_",
            Self::Condition => "c_",
        }
    }

    /// The kind an id says it is of, by its prefix.
    pub fn of(id: &str) -> Option<Self> {
        [
            Self::Symptom,
            Self::RiskFactor,
            Self::LabTest,
            Self::Condition,
        ]
        .into_iter()
        .find(|kind| id.starts_with(kind.prefix()))
    }

    /// The word for it in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symptom => "symptom",
            Self::RiskFactor => "risk_factor",
            Self::LabTest => "lab_test",
            Self::Condition => "condition",
        }
    }
}

/// The id of a concept in the knowledge base, such as `s_fever`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConceptId(pub String);

impl ConceptId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ConceptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for ConceptId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_that_stands_for_none_is_no_id_in_whatever_form_it_is_written() {
        for id in [Uuid::nil(), Uuid::max()] {
            for text in [
                id.hyphenated().to_string(),
                id.simple().to_string(),
                id.braced().to_string(),
                id.urn().to_string(),
                id.hyphenated().to_string().to_uppercase(),
            ] {
                let read = InterviewId::from_client(&text);
                assert_eq!(read, Err(IdRefusal::Placeholder), "{text}");
            }
            // A row of an older version must stay readable.
            assert!(id.to_string().parse::<InterviewId>().is_ok());
        }
        let id = Uuid::from_u128(7);
        assert_eq!(
            InterviewId::from_client(&id.to_string()),
            Ok(InterviewId(id))
        );
        let no_uuid = InterviewId::from_client("int_7");
        assert_eq!(no_uuid, Err(IdRefusal::NotAUuid));
    }
}
