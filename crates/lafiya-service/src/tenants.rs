//! Tenants: created, listed and suspended by the operator.

use lafiya_model::{Environment, TenantId, TenantStatus, TextToProvider, Tier, is_country_code};
use lafiya_storage::store::{NewTenant, StoreError, TenantRecord};
use uuid::Uuid;

use crate::context::Context;
use crate::error::{FieldError, ServiceError};
use crate::keys;

/// The tenant that the first start creates, so that a new user can try everything at once.
pub const DEMO_TENANT: &str = "demo";

const NAME_CHARACTERS_MAX: usize = 100;

/// Creates a tenant.
pub async fn create(
    context: &Context,
    name: &str,
    tier: Tier,
    monthly_quota: Option<u64>,
    home_country: Option<&str>,
    actor: &str,
) -> Result<TenantRecord, ServiceError> {
    let name = name.trim();
    if name.is_empty()
        || name.chars().count() > NAME_CHARACTERS_MAX
        || name.chars().any(char::is_control)
    {
        return Err(invalid(
            "/name",
            format!("must be 1 to {NAME_CHARACTERS_MAX} printable characters"),
        ));
    }
    check_quota(tier, monthly_quota)?;
    let home_country = checked_country(home_country)?;
    let new = NewTenant {
        id: TenantId(Uuid::now_v7()),
        name: name.to_owned(),
        tier,
        monthly_quota,
        home_country,
        created_at: context.clock.now(),
    };
    match context.store.create_tenant(new, actor).await {
        Err(StoreError::Conflict) => Err(ServiceError::Conflict(
            "a tenant of that name exists already",
        )),
        other => Ok(other?),
    }
}

/// Finds a tenant by its name.
pub async fn find(context: &Context, name: &str) -> Result<TenantRecord, ServiceError> {
    context
        .store
        .find_tenant_by_name(name)
        .await?
        .ok_or(ServiceError::NotFound("a tenant of that name"))
}

/// Suspends or reactivates a tenant.
pub async fn set_status(
    context: &Context,
    name: &str,
    status: TenantStatus,
    actor: &str,
) -> Result<TenantRecord, ServiceError> {
    let tenant = find(context, name).await?;
    Ok(context
        .store
        .set_tenant_status(tenant.id, status, actor, context.clock.now())
        .await?)
}

/// Lists all tenants by name.
pub async fn list(context: &Context) -> Result<Vec<TenantRecord>, ServiceError> {
    Ok(context.store.list_tenants().await?)
}

/// Changes the tier of a tenant. Without a quota of its own it gets the tier's.
pub async fn set_tier(
    context: &Context,
    name: &str,
    tier: Tier,
    monthly_quota: Option<u64>,
    actor: &str,
) -> Result<TenantRecord, ServiceError> {
    check_quota(tier, monthly_quota)?;
    let tenant = find(context, name).await?;
    Ok(context
        .store
        .set_tenant_tier(tenant.id, tier, monthly_quota, actor, context.clock.now())
        .await?)
}

/// Changes the country whose place names are searched first; `None` uses the installation's
/// default.
pub async fn set_home_country(
    context: &Context,
    name: &str,
    home_country: Option<&str>,
    actor: &str,
) -> Result<TenantRecord, ServiceError> {
    let home_country = checked_country(home_country)?;
    let tenant = find(context, name).await?;
    Ok(context
        .store
        .set_tenant_home_country(tenant.id, home_country, actor, context.clock.now())
        .await?)
}

fn checked_country(code: Option<&str>) -> Result<Option<String>, ServiceError> {
    match code {
        Some(code) if !is_country_code(code) => Err(invalid(
            "/country",
            "must be a country's ISO code of two letters, such as NG",
        )),
        other => Ok(other.map(str::to_uppercase)),
    }
}

/// Sets whether a tenant's texts may be sent to the AI provider.
pub async fn set_text_to_provider(
    context: &Context,
    name: &str,
    allowed: TextToProvider,
    actor: &str,
) -> Result<TenantRecord, ServiceError> {
    let tenant = find(context, name).await?;
    Ok(context
        .store
        .set_text_to_provider(tenant.id, allowed, actor, context.clock.now())
        .await?)
}

fn check_quota(tier: Tier, monthly_quota: Option<u64>) -> Result<(), ServiceError> {
    if tier == Tier::Enterprise && monthly_quota.is_none() {
        return Err(invalid(
            "/quota",
            "an enterprise tenant needs its agreed monthly quota (--quota N)",
        ));
    }
    Ok(())
}

/// The keys that the first start shows once.
pub struct DemoKeys {
    /// For tests: mock data, never billed.
    pub sandbox: String,
    /// For real assessments.
    pub live: String,
}

/// Creates the demo tenant and its two keys if the store has no tenant.
pub async fn first_start(context: &Context) -> Result<Option<DemoKeys>, ServiceError> {
    let now = context.clock.now();
    let tenant = NewTenant {
        id: TenantId(Uuid::now_v7()),
        name: DEMO_TENANT.to_owned(),
        tier: Tier::Pilot,
        monthly_quota: None,
        home_country: None,
        created_at: now,
    };
    let keys = DemoKeys {
        sandbox: keys::generate(Environment::Test),
        live: keys::generate(Environment::Live),
    };
    let new_keys = vec![
        keys::new_key(
            &context.hasher,
            &keys.sandbox,
            tenant.id,
            Environment::Test,
            now,
            None,
            None,
        ),
        keys::new_key(
            &context.hasher,
            &keys.live,
            tenant.id,
            Environment::Live,
            now,
            None,
            None,
        ),
    ];
    let made = context.store.first_start(tenant, new_keys).await?;
    Ok(made.then_some(keys))
}

fn invalid(pointer: &str, reason: impl Into<String>) -> ServiceError {
    ServiceError::InvalidRequest(vec![FieldError::new(pointer, reason)])
}
