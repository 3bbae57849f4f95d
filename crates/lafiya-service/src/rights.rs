//! Data rights of a tenant: to export its data and to have all of it erased.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{
    AccountId, AdverseEventId, AssessmentId, Environment, InterviewId, KeyId, Role, TenantId,
    TenantStatus, Tier, TriageLevel, WebhookId,
};
use lafiya_storage::store::{
    AccountRecord, AdverseEventRecord, AuditRecord, KeptInterview, KeyRecord, NewAct, PageOf,
    StoredAssessment, WebhookRecord,
};
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::document;
use crate::error::ServiceError;
use crate::interview;
use crate::tenants;

/// Maximum number of administrative actions exported; more than a tenant will ever have.
const ACTS_MAX: u32 = 1_000_000;

/// Adverse events read per query.
const EVENTS_PAGE: u32 = 100;

/// A line of an export.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are named as in the API")]
pub enum ExportRecord {
    /// The tenant itself; always the first line.
    Tenant {
        id: TenantId,
        name: String,
        tier: Tier,
        status: TenantStatus,
        monthly_quota: Option<u64>,
        created_at: Timestamp,
    },
    /// An API key, without anything that would allow its use.
    Key {
        id: KeyId,
        environment: Environment,
        display: String,
        created_at: Timestamp,
        expires_at: Option<Timestamp>,
        revoked_at: Option<Timestamp>,
        rotated_from: Option<KeyId>,
        last_used_at: Option<Timestamp>,
        requests: u64,
    },
    /// All usage counts.
    Usage {
        by_month: BTreeMap<String, u64>,
        by_day: BTreeMap<Date, u64>,
        by_level: BTreeMap<TriageLevel, u64>,
    },
    /// An assessment with everything stored about it.
    Assessment {
        id: AssessmentId,
        environment: Environment,
        interview_id: InterviewId,
        turn: u32,
        created_at: Timestamp,
        supersedes: Option<AssessmentId>,
        superseded_by: Option<AssessmentId>,
        document: Value,
    },
    /// An interview that can still be continued.
    Interview {
        id: InterviewId,
        environment: Environment,
        turn: u32,
        created_at: Timestamp,
        expires_at: Timestamp,
        document: Value,
    },
    /// A member's account, without anything that would allow someone else to sign in.
    Account {
        id: AccountId,
        email: String,
        role: Role,
        created_at: Timestamp,
        last_sign_in_at: Option<Timestamp>,
    },
    /// A webhook, without its secret.
    Webhook {
        id: WebhookId,
        environment: Environment,
        url: String,
        events: Vec<&'static str>,
        description: String,
        status: &'static str,
        created_at: Timestamp,
    },
    /// A reported adverse event.
    AdverseEvent {
        id: AdverseEventId,
        environment: Environment,
        assessment_id: AssessmentId,
        description: String,
        seriousness: &'static str,
        created_at: Timestamp,
    },
    /// An administrative action.
    Act {
        at: Timestamp,
        actor: String,
        action: String,
        subject: String,
        detail: Value,
    },
}

/// Passes all data of a tenant to `take`, record by record, and returns the number of records. The
/// export is logged first, so that an interrupted one is logged too.
pub async fn export<E>(
    context: &Context,
    name: &str,
    actor: &str,
    mut take: impl FnMut(ExportRecord) -> Result<(), E>,
) -> Result<u64, ExportFailure<E>> {
    let tenant = tenants::find(context, name).await?;
    let store = &context.store;
    let act = NewAct {
        at: context.clock.now(),
        actor: actor.to_owned(),
        action: "tenant.export",
        tenant: Some(tenant.id),
        subject: tenant.id.to_string(),
        detail: "{}".to_owned(),
    };
    store.log_act(act).await.map_err(ServiceError::from)?;

    let mut count = 0;
    let mut give = |record: ExportRecord| {
        count += 1;
        take(record).map_err(ExportFailure::Taker)
    };
    let id = tenant.id;
    give(ExportRecord::Tenant {
        id,
        name: tenant.name,
        tier: tenant.tier,
        status: tenant.status,
        monthly_quota: tenant.monthly_quota,
        created_at: tenant.created_at,
    })?;
    for key in store
        .list_keys(Some(id))
        .await
        .map_err(ServiceError::from)?
    {
        give(key.into())?;
    }
    let usage = store.usage(id, Date::ZERO, Date::MAX).await;
    let usage = usage.map_err(ServiceError::from)?;
    give(ExportRecord::Usage {
        by_month: usage.months,
        by_day: usage.by_day,
        by_level: usage.by_level,
    })?;
    for &environment in Environment::ALL {
        let mut last = None;
        loop {
            let page = store.export_assessments(id, environment, last).await;
            let page = page.map_err(ServiceError::from)?;
            let Some(end) = page.last() else { break };
            last = Some(end.summary.assessment_id);
            for one in &page {
                give(assessment(context, one, environment).await?)?;
            }
        }
        let mut last = None;
        loop {
            let page = store.export_interviews(id, environment, last).await;
            let page = page.map_err(ServiceError::from)?;
            let Some(end) = page.last() else { break };
            last = Some(end.id);
            for one in &page {
                give(interview(one, environment)?)?;
            }
        }
    }
    let accounts = store.list_accounts(id).await;
    for account in accounts.map_err(ServiceError::from)? {
        give(account.into())?;
    }
    let webhooks = store.list_webhooks(id, None).await;
    for webhook in webhooks.map_err(ServiceError::from)? {
        give(webhook.into())?;
    }
    for &environment in Environment::ALL {
        let mut offset = 0;
        loop {
            let page = PageOf {
                limit: EVENTS_PAGE,
                offset,
            };
            let page = store.list_adverse_events(id, environment, None, page).await;
            let page = page.map_err(ServiceError::from)?.items;
            if page.is_empty() {
                break;
            }
            offset += page.len() as u64;
            for event in page {
                give(event.into())?;
            }
        }
    }
    let acts = store.list_audit(Some(id), ACTS_MAX).await;
    for act in acts.map_err(ServiceError::from)? {
        give(act.into())?;
    }
    Ok(count)
}

/// Why an export was aborted.
#[derive(Debug)]
pub enum ExportFailure<E> {
    /// The service failed.
    Service(ServiceError),
    /// The consumer of the records failed.
    Taker(E),
}

impl<E> From<ServiceError> for ExportFailure<E> {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

/// Permanently deletes a tenant and all its data; returns the number of rows deleted. The audit log
/// is kept: it contains no patient data and records the deletion.
pub async fn erase(context: &Context, name: &str, actor: &str) -> Result<u64, ServiceError> {
    let tenant = tenants::find(context, name).await?;
    let mut removed = 0;
    loop {
        let now = context.clock.now();
        let step = context.store.erase_tenant(tenant.id, actor, now).await?;
        removed += step.removed;
        if step.complete {
            return Ok(removed);
        }
    }
}

async fn assessment(
    context: &Context,
    stored: &StoredAssessment,
    environment: Environment,
) -> Result<ExportRecord, ServiceError> {
    Ok(ExportRecord::Assessment {
        id: stored.summary.assessment_id,
        environment,
        interview_id: stored.summary.interview_id,
        turn: stored.summary.turn,
        created_at: stored.summary.created_at,
        supersedes: stored.summary.supersedes,
        superseded_by: stored.summary.superseded_by,
        document: document::read(context, &stored.document).await?,
    })
}

fn interview(kept: &KeptInterview, environment: Environment) -> Result<ExportRecord, ServiceError> {
    Ok(ExportRecord::Interview {
        id: kept.id,
        environment,
        turn: kept.turn,
        created_at: kept.created_at,
        expires_at: kept.expires_at,
        document: interview::exported(&kept.document)?,
    })
}

impl From<KeyRecord> for ExportRecord {
    fn from(key: KeyRecord) -> Self {
        Self::Key {
            id: key.id,
            environment: key.environment,
            display: key.display,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            rotated_from: key.rotated_from,
            last_used_at: key.last_used_at,
            requests: key.requests,
        }
    }
}

impl From<AccountRecord> for ExportRecord {
    fn from(account: AccountRecord) -> Self {
        Self::Account {
            id: account.id,
            email: account.email,
            role: account.role,
            created_at: account.created_at,
            last_sign_in_at: account.last_sign_in_at,
        }
    }
}

impl From<WebhookRecord> for ExportRecord {
    fn from(webhook: WebhookRecord) -> Self {
        Self::Webhook {
            id: webhook.id,
            environment: webhook.environment,
            url: webhook.url,
            events: webhook.events.iter().map(|kind| kind.as_str()).collect(),
            description: webhook.description,
            status: webhook.status.as_str(),
            created_at: webhook.created_at,
        }
    }
}

impl From<AdverseEventRecord> for ExportRecord {
    fn from(event: AdverseEventRecord) -> Self {
        Self::AdverseEvent {
            id: event.id,
            environment: event.environment,
            assessment_id: event.assessment_id,
            description: String::from_utf8_lossy(&event.description).into_owned(),
            seriousness: event.seriousness.as_str(),
            created_at: event.created_at,
        }
    }
}

impl From<AuditRecord> for ExportRecord {
    fn from(act: AuditRecord) -> Self {
        Self::Act {
            at: act.at,
            actor: act.actor,
            action: act.action,
            subject: act.subject,
            detail: serde_json::from_str(&act.detail).unwrap_or(Value::String(act.detail)),
        }
    }
}
