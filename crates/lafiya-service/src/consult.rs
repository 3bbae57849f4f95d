//! Consultations in the web app: the same use cases as the API, on behalf of a tenant instead of a
//! key. Assessments are recorded and counted like any other; the first check for danger signs is
//! not.

use lafiya_engine::Parameters;
use lafiya_model::{
    Age, Assessment, AssessmentId, DeidentifiedCase, Environment, Evidence, InterviewId, Sex,
};
use lafiya_storage::store::{AssessmentSummary, TenantRecord};

use crate::authenticate::Caller;
use crate::clock::lagos_date;

use crate::context::Context;
use crate::error::ServiceError;
use crate::library::Library;
use crate::{interview, keys, resolved_location, tenants};

/// The current state of an interview.
#[derive(Clone, Debug)]
pub struct OpenInterview {
    /// The patient's age.
    pub age: Age,
    /// The patient's sex.
    pub sex: Sex,
    /// All evidence so far.
    pub evidence: Vec<Evidence>,
    /// Number of turns so far.
    pub turn: u32,
    /// The assessment of the last turn.
    pub latest: AssessmentId,
}

/// Returns the web app as a caller on behalf of a tenant.
pub async fn caller(context: &Context, tenant: &TenantRecord) -> Result<Caller, ServiceError> {
    let key = keys::of_web_app(context, tenant.id).await?;
    Ok(Caller {
        tenant_id: tenant.id,
        key_id: key,
        key_environment: Environment::Live,
        tier: tenant.tier,
        monthly_quota: tenant.monthly_quota,
        home_country: tenant.home_country.clone(),
        text_to_provider: tenant.text_to_provider,
        is_person: true,
    })
}

/// Returns the demo tenant, in which a local user may try the service.
pub async fn demo_tenant(context: &Context) -> Result<Option<TenantRecord>, ServiceError> {
    Ok(context
        .store
        .find_tenant_by_name(tenants::DEMO_TENANT)
        .await?)
}

/// Returns an interview of this tenant that has not expired.
pub async fn open(
    context: &Context,
    caller: &Caller,
    id: InterviewId,
) -> Result<Option<OpenInterview>, ServiceError> {
    let now = context.clock.now();
    let memory = interview::recall(context, caller.tenant_id, Environment::Live, id, now).await?;
    Ok(memory.opened())
}

/// Unconfirmed input: a case as stated, before the user confirmed it.
pub struct UnconfirmedCase<'a> {
    /// The patient's age.
    pub age: Age,
    /// The patient's sex.
    pub sex: Sex,
    /// The place, as text.
    pub place: Option<&'a str>,
    /// The country whose place names are searched first.
    pub home_country: Option<&'a str>,
    /// The recognised evidence.
    pub evidence: Vec<Evidence>,
}

/// Assesses unconfirmed input without recording anything: a danger sign must interrupt the user
/// before anything is confirmed.
pub fn first_look<'a>(
    context: &Context,
    library: &'a Library,
    told: UnconfirmedCase<'_>,
) -> Assessment<'a> {
    let case = DeidentifiedCase {
        age: told.age,
        sex: told.sex,
        region: told.place.and_then(|place| {
            resolved_location::region_of(context, library, told.home_country, place)
        }),
        month: Some(lagos_date(context.clock.now()).month().unsigned_abs()),
        evidence: told.evidence,
    };
    let draft = lafiya_engine::assess(library.base(), &case, &Parameters::default());
    lafiya_engine::review(draft, 0)
}

/// Lists a tenant's assessments, latest first.
pub async fn assessments(
    context: &Context,
    tenant: &TenantRecord,
    environment: Environment,
    limit: u32,
    before: Option<AssessmentId>,
) -> Result<Vec<AssessmentSummary>, ServiceError> {
    Ok(context
        .store
        .list_assessments(tenant.id, environment, limit, before)
        .await?)
}
