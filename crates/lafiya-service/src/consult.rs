//! Consulting in the web app: the same use cases as the API, in the name of a tenant instead of a
//! key. Assessments are recorded and counted like any other; a first look at danger is not.

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
use crate::{interview, keys, places, tenants};

/// What an interview knows so far.
#[derive(Clone, Debug)]
pub struct OpenInterview {
    /// The patient's age.
    pub age: Age,
    /// The patient's sex.
    pub sex: Sex,
    /// Everything told so far.
    pub evidence: Vec<Evidence>,
    /// How many turns it has had.
    pub turn: u32,
    /// The assessment of the last turn.
    pub latest: AssessmentId,
}

/// The caller that the web app is, in the name of a tenant.
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
    })
}

/// The tenant that whoever sits at the machine may try the service in.
pub async fn demo_tenant(context: &Context) -> Result<Option<TenantRecord>, ServiceError> {
    Ok(context
        .store
        .find_tenant_by_name(tenants::DEMO_TENANT)
        .await?)
}

/// An interview of this tenant, while it lives.
pub async fn open(
    context: &Context,
    caller: &Caller,
    id: InterviewId,
) -> Result<Option<OpenInterview>, ServiceError> {
    let now = context.clock.now();
    let memory = interview::recall(context, caller.tenant_id, Environment::Live, id, now).await?;
    Ok(memory.opened())
}

/// A case as it was told, before anybody confirmed it.
pub struct Told<'a> {
    /// The patient's age.
    pub age: Age,
    /// The patient's sex.
    pub sex: Sex,
    /// The place in words.
    pub place: Option<&'a str>,
    /// The country in which the tenant's place names are looked for first.
    pub home_country: Option<&'a str>,
    /// What was understood.
    pub evidence: Vec<Evidence>,
}

/// What the words told so far would mean, without recording anything: a danger sign must interrupt
/// before anything is confirmed.
pub fn first_look<'a>(context: &Context, library: &'a Library, told: Told<'_>) -> Assessment<'a> {
    let case = DeidentifiedCase {
        age: told.age,
        sex: told.sex,
        region: told
            .place
            .and_then(|place| places::region_of(context, library, told.home_country, place)),
        month: Some(lagos_date(context.clock.now()).month().unsigned_abs()),
        evidence: told.evidence,
    };
    let draft = lafiya_engine::assess(library.base(), &case, &Parameters::default());
    lafiya_engine::review(draft, 0)
}

/// Assessments of a tenant, latest first.
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
