//! Consulting in the web app: the same use cases as the API, in the name of a tenant instead of a
//! key. Assessments are recorded and counted like any other; a first look at danger is not.

use jiff::Timestamp;
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
use crate::{interview, keys, tenants};

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

/// What the words told so far would mean, without recording anything: a danger sign must interrupt
/// before anything is confirmed.
pub fn first_look(
    library: &Library,
    age: Age,
    sex: Sex,
    place: Option<&str>,
    evidence: Vec<Evidence>,
    now: Timestamp,
) -> Assessment {
    let case = DeidentifiedCase {
        age,
        sex,
        region: place
            .and_then(|place| library.atlas.find(place, None))
            .and_then(|place| place.region),
        month: Some(lagos_date(now).month().unsigned_abs()),
        evidence,
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
