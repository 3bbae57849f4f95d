//! The wire types of `/keys/rotate`.

use jiff::Timestamp;
use lafiya_service::keys::FreshKey;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiError;
use crate::wire::fields::{Field, Problems, read_object};

#[derive(Deserialize, ToSchema)]
pub(crate) struct RotateRequest {
    /// When the new key expires: not later than the key it replaces. If omitted, the new key
    /// expires when the old one would have
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime, example = "2027-12-31T00:00:00Z")]
    expires_at: Field<String>,
}

impl RotateRequest {
    /// Reads the expiry. An empty body requests a key that expires when the old one would have.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Timestamp>, ApiError> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let request: Self = read_object(bytes)?;
        let mut problems = Problems::default();
        let expires_at = problems
            .optional("/expires_at", request.expires_at)
            .map(|text| {
                let at = text.parse::<Timestamp>();
                if at.is_err() {
                    problems.note("/expires_at", "must be a time such as 2027-12-31T00:00:00Z");
                }
                at.ok()
            });
        problems.into_result(|| Some(expires_at.flatten()))
    }
}

/// The new key. It is shown once and never again.
#[derive(Serialize, ToSchema)]
pub(crate) struct RotatedKey {
    id: Uuid,
    /// The key itself; keep it on your server
    #[schema(example = "sk_live_…")]
    key: String,
    /// `sk_live_` or `sk_test_`
    prefix: &'static str,
    /// `live` or `test`
    environment: &'static str,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// The key that it replaces
    rotated_from: Option<Uuid>,
}

impl From<FreshKey> for RotatedKey {
    fn from(fresh: FreshKey) -> Self {
        let record = fresh.record;
        Self {
            id: record.id.0,
            key: fresh.key,
            prefix: record.environment.key_prefix(),
            environment: record.environment.as_str(),
            created_at: record.created_at.to_string(),
            expires_at: record.expires_at.map(|at| at.to_string()),
            rotated_from: record.rotated_from.map(|id| id.0),
        }
    }
}
