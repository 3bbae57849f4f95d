//! Identifiers. Each kind is its own type, so that one cannot be passed in place of another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

/// Why a text is not accepted as an id from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdRefusal {
    /// Not a UUID.
    NotAUuid,
    /// The nil or max UUID, which programs send for "none yet". Accepted as an id, it would be
    /// shared by every client without one.
    Placeholder,
}

/// Formatted as the end of a sentence that starts with the field's name.
impl fmt::Display for IdRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAUuid => "must be a UUID",
            Self::Placeholder => "must be a UUID of its own, not the nil or the max UUID",
        })
    }
}

/// Parses a UUID that a client sent.
///
/// # Example
///
/// ```
/// use lafiya_model::ids::uuid_from_client;
///
/// assert!(uuid_from_client("5f0c9e0e-8f6f-4f0e-9d8a-1b2c3d4e5f60").is_ok());
/// // The nil UUID stands for "no id" in many clients, so it names nothing.
/// assert!(uuid_from_client("00000000-0000-0000-0000-000000000000").is_err());
/// ```
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

        /// Serialized as text in every format, so that exporting a document needs no knowledge of
        /// its fields.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut text = Uuid::encode_buffer();
                serializer.serialize_str(self.0.hyphenated().encode_lower(&mut text))
            }
        }

        impl $name {
            /// Parses an id that a client sent. Stored ids are parsed with [`FromStr`], which
            /// accepts every UUID.
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
    /// A customer of the service. Owns keys, interviews, assessments, webhooks and usage.
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
    /// A webhook: an address that events are delivered to.
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

/// The kind of a concept in the knowledge base. The API uses these words for every `type` field.
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
    /// Returns the prefix of all ids of this kind.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Symptom => "s_",
            Self::RiskFactor => "p_",
            Self::LabTest => "lt_",
            Self::Condition => "c_",
        }
    }

    /// Returns the kind that an id's prefix stands for.
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

    /// Returns the name in the API.
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
    /// Returns the id as text.
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
    fn nil_and_max_uuids_are_refused_in_every_notation() {
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
            // Rows written by an older version must stay readable.
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
