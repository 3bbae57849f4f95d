//! One assessment, from a validated request to a durable record. [`assess`] is the whole product in
//! one function: replay, interview, concepts, quota, reasoning, review, record.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lafiya_engine::{Draft, Parameters};
use lafiya_model::{
    Assessment, AssessmentDocument, AssessmentId, Case, DeidentifiedCase, Environment, EventKind,
    Evidence, IdRefusal, InterviewId, KeyId, Measured, RecordedCase, RecordedEvidence,
    SecondOpinion, Timings, TriageLevel,
};
use lafiya_storage::store::{
    BeyondQuota, ConditionName, IdempotencyRecord, Month, NewEvent, RecordAssessment, RecordRefusal,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;
use uuid::Uuid;

use crate::authenticate::Caller;
use crate::clock::lagos_date;
use crate::context::Context;
use crate::danger::Danger;
use crate::document;
use crate::error::{FieldError, IdempotencyConflict, ServiceError};
use crate::interview::{self, Memory};
use crate::library::Library;
use crate::next_turn::NextTurn;
use crate::quota;
use crate::resolved_location::ResolvedLocation;
use crate::sandbox;
use crate::second_opinion::{self, Advice};

/// How long an idempotency key is remembered.
const IDEMPOTENCY_LIFE: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);
/// How long to wait beyond the deadline for a record that is being written; longer than the store's
/// own timeouts.
const RECORDING_MAX: Duration = Duration::from_secs(60);
/// Maximum number of attempts when other turns of the same interview are recorded first.
const TURN_ATTEMPTS_MAX: usize = 12;
/// The disclaimer in every response.
const DISCLAIMER: &str = "Decision support for trained staff; it does not replace clinical judgement. The clinical \
content of this version awaits sign-off by clinicians.";

/// A request whose shape and limits are already checked.
#[derive(Clone, Debug)]
pub struct AssessRequest {
    /// The patient's case. Never stored in this form.
    pub case: Case,
    /// The interview to continue or to start.
    pub interview_id: Option<InterviewId>,
    /// Digest of the body, used to recognise a repeated request.
    pub digest: [u8; 32],
    /// The client's idempotency key.
    pub idempotency_key: Option<String>,
    /// The request id, which becomes the assessment id.
    pub assessment_id: AssessmentId,
    /// An assessment of another interview that this one corrects; the caller has found it.
    pub corrects: Option<AssessmentId>,
    /// Whether the age and the sex of this turn replace those of the interview. Only the web app
    /// does that, where somebody corrects what was entered.
    pub corrects_patient: bool,
}

/// The result of an assessment and how it was produced.
pub struct Assessed<'a> {
    /// The assessment.
    pub document: AssessmentDocument<'a>,
    /// Whether it repeats the latest turn, because the same body was sent again.
    pub cache_hit: bool,
    /// Whether it is a replay for a repeated idempotency key.
    pub replayed: bool,
}

/// Makes one assessment and returns it as rendered by `render`. Rendering runs while the record is
/// being written; the result is returned only after the record is durable.
pub async fn assess<T: Send>(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    request: AssessRequest,
    render: impl Fn(&Assessed<'_>) -> T + Send + Sync,
) -> Result<T, ServiceError> {
    let deadline = Duration::from_millis(context.limits.pipeline_timeout_ms);
    // Shared with the future that the deadline interrupts.
    let recording = AtomicBool::new(false);
    let mut answering = pin!(assess_in_time(
        context,
        caller,
        environment,
        request,
        &render,
        &recording
    ));
    let late = || Err(ServiceError::DeadlineExceeded);
    match timeout(deadline, answering.as_mut()).await {
        Ok(answered) => answered,
        // A record that is being written may be kept and billed, so its outcome is awaited: a
        // client must not be told that an assessment failed when it was recorded.
        Err(_) if recording.load(Ordering::Relaxed) => {
            let outcome = timeout(RECORDING_MAX, answering).await;
            outcome.unwrap_or_else(|_| late())
        }
        Err(_) => late(),
    }
}

async fn assess_in_time<T: Send>(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    mut request: AssessRequest,
    render: &(impl Fn(&Assessed<'_>) -> T + Send + Sync),
    recording: &AtomicBool,
) -> Result<T, ServiceError> {
    // A placeholder id shared by several requests would merge two patients into one interview.
    // Checked here so that it applies to every API.
    if let Some(InterviewId(id)) = request.interview_id
        && (id.is_nil() || id.is_max())
    {
        return Err(invalid("/interview_id", IdRefusal::Placeholder.to_string()));
    }
    // A plain digest could be matched against guessed bodies by someone with access to the
    // database.
    request.digest = context.hasher.keyed(&request.digest);
    if environment == Environment::Test {
        let now = context.clock.now();
        let wanted = sandbox::raise_wanted_error(request.case.location.as_deref(), now);
        wanted.map_err(|error| with_danger(context, caller, &request.case, now, error))?;
    }
    // Before anything that may fail now, such as a quota that is used up: a repetition gets the
    // first answer.
    if let Some(replay) = replay_of_key(context, caller, environment, &request).await? {
        return Ok(render(&replay));
    }
    for _ in 0..TURN_ATTEMPTS_MAX {
        match one_turn(context, caller, environment, &request, render, recording).await {
            // Another turn was recorded first; this one is computed again, on top of it.
            Err(ServiceError::Conflict(_)) => {}
            // The last of the quota may have been used by another first turn of the same interview.
            // Then this is a further turn, which is free.
            Err(ServiceError::QuotaExceeded { .. })
                if has_begun(context, caller, environment, &request).await? => {}
            other => return other,
        }
    }
    Err(ServiceError::Conflict(
        "other turns of this interview are being answered right now",
    ))
}

/// Adds the danger in the case to a refusal for quota.
fn with_danger(
    context: &Context,
    caller: &Caller,
    case: &Case,
    now: Timestamp,
    error: ServiceError,
) -> ServiceError {
    match error {
        ServiceError::QuotaExceeded {
            limit, used, reset, ..
        } => ServiceError::QuotaExceeded {
            limit,
            used,
            reset,
            danger: Danger::in_case(context, caller, case, now),
        },
        other => other,
    }
}

/// Whether the interview that the caller names has had a turn.
async fn has_begun(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    request: &AssessRequest,
) -> Result<bool, ServiceError> {
    let Some(id) = request.interview_id else {
        return Ok(false);
    };
    let now = context.clock.now();
    let memory = interview::recall(context, caller.tenant_id, environment, id, now).await?;
    Ok(memory.turn() > 0)
}

/// Loads the interview, runs the engine and records the turn. Fails with `Conflict` if another turn
/// was recorded meanwhile.
async fn one_turn<T: Send>(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    request: &AssessRequest,
    render: &(impl Fn(&Assessed<'_>) -> T + Send + Sync),
    recording: &AtomicBool,
) -> Result<T, ServiceError> {
    let started = Instant::now();
    let running = context.running_assessments.begin();
    let now = context.clock.now();
    // Once for the whole turn, so that a reload in between cannot mix two knowledge bases.
    let base = context.knowledge.load_full();
    let (interview_id, memory) = match request.interview_id {
        Some(id) => {
            let memory = interview::recall(context, caller.tenant_id, environment, id, now);
            (id, memory.await?)
        }
        None => (InterviewId(Uuid::now_v7()), Memory::default()),
    };
    // Before the turn is joined to the interview: the same body must not count twice.
    if let Some(answer) = repetition(context, caller, environment, &memory, request).await? {
        return Ok(render(&answer));
    }
    let told = NextTurn::of(&base, &request.case, memory, request.corrects_patient)?;
    let memory = told.memory;
    // A request that waits here holds no connection, and it learns of a used-up quota before the
    // engine runs.
    running.yield_to_others().await;
    // Later turns of an interview are free.
    if memory.is_first_turn() && environment == Environment::Live {
        let checked = quota::check(context, caller, now).await;
        checked.map_err(|error| with_danger(context, caller, &request.case, now, error))?;
    }
    let retrieval_ms = elapsed_ms(started);

    let location = ResolvedLocation::of(context, &base, caller, &request.case);
    let prepared = deidentified(&request.case, location.region(), &memory, now);
    let region = prepared.region.clone();
    let warnings = told.warnings.into_iter().chain(location.warning.clone());
    let warnings = warnings.collect();
    // Before the clock of the reasoning starts: the time of a model is reported apart.
    let advice = advised(context, caller, environment, &base, &prepared).await?;
    let (asked_ms, answered_ms) = advice.as_ref().map_or((0, 0), |advice| {
        (milliseconds(advice.retrieval), milliseconds(advice.latency))
    });
    let questions_asked = memory.questions_asked();
    // Reasoning and review take 0.2 ms. Moving them to another thread and back would disturb other
    // requests for longer than that.
    let begun = Instant::now();
    let mut draft = lafiya_engine::assess(&base, &prepared, &Parameters::default());
    draft.note(warnings);
    let generation_ms = elapsed_ms(begun);
    running.yield_to_others().await;
    let reviewed = review(&base, draft, questions_asked, advice);
    let facilities = location.facilities(context, &base, prepared.age, &reviewed.assessment);

    let document = AssessmentDocument {
        form: document::FORM,
        assessment_id: request.assessment_id,
        interview_id,
        knowledge_version: base.content_hash().to_owned(),
        engine_version: lafiya_engine::ENGINE_VERSION.to_owned(),
        created_at: now,
        environment,
        age_group: prepared.age.band().public_group().to_owned(),
        region,
        case: Some(recorded_case(&base, &prepared)),
        model_used: sandbox::model_name(environment, reviewed.second_opinion.as_ref()),
        disclaimer: sandbox::disclaimer(environment, DISCLAIMER),
        timings: Timings {
            total_ms: elapsed_ms(started),
            retrieval_ms: retrieval_ms + asked_ms,
            generation_ms: generation_ms + answered_ms,
            validation_ms: reviewed.validation_ms,
        },
        assessment: reviewed.assessment,
        facilities,
        second_opinion: reviewed.second_opinion,
    };
    let answer = Assessed {
        document,
        cache_hit: false,
        replayed: false,
    };
    let record = to_record(caller, request, &memory, &base, &answer.document, now)?;
    // The store may still refuse it for quota.
    let is_refusable = record.quota.beyond == BeyondQuota::Refused;
    let danger = is_refusable.then(|| Danger::of(&answer.document.assessment));
    let danger = danger.flatten();
    // From here the record may be kept and billed, whatever happens to this call.
    recording.store(true, Ordering::Relaxed);
    let (recorded, rendered) = tokio::join!(record_it(context, record, danger, now), async move {
        let rendered = render(&answer);
        // Freed here, on the thread that allocated it, and while the record is being written: after
        // the await another thread may continue, and freeing memory of another thread is slower.
        drop((answer, memory, prepared, location));
        rendered
    });
    // Only a durable record is answered.
    recorded?;
    Ok(rendered)
}

/// Asks for a second opinion, if a language model is configured.
async fn advised(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    base: &Arc<Library>,
    case: &DeidentifiedCase,
) -> Result<Option<Advice>, ServiceError> {
    let Some(advisor) = &context.advisor else {
        return Ok(None);
    };
    // Sandbox calls are free, so they must not cost calls of a model.
    if environment != Environment::Live {
        return Ok(None);
    }
    let text = caller.text_to_provider;
    let advice = second_opinion::ask(advisor, base, case, text).await?;
    Ok(Some(advice))
}

/// A reviewed assessment, and the duration of the review.
struct PreparedCase<'a> {
    assessment: Assessment<'a>,
    second_opinion: Option<SecondOpinion>,
    validation_ms: u64,
}

/// Weighs the second opinion, if any, and reviews the draft.
fn review<'a>(
    base: &'a Library,
    mut draft: Draft<'a>,
    questions_asked: usize,
    advice: Option<Advice>,
) -> PreparedCase<'a> {
    let begun = Instant::now();
    let passages = advice.as_ref().map(|advice| advice.passages);
    let second_opinion = advice.map(|advice| advice.weigh(&mut draft, base));
    let mut assessment = lafiya_engine::review(draft, questions_asked);
    if let Some(passages) = passages {
        assessment.chunks_retrieved = passages;
    }
    PreparedCase {
        assessment,
        second_opinion,
        validation_ms: elapsed_ms(begun),
    }
}

/// Removes personal data: returns only what the engine may see.
pub(crate) fn deidentified(
    case: &Case,
    region: Option<String>,
    memory: &Memory,
    now: Timestamp,
) -> DeidentifiedCase {
    // Seasonal illness depends on when the patient was seen, which may be before now.
    let date = case.evaluated_at.unwrap_or_else(|| lagos_date(now));
    DeidentifiedCase {
        age: memory.age().unwrap_or(case.age),
        sex: case.sex,
        region,
        // Only the month: the day would say more than the engine needs.
        month: Some(date.month().unsigned_abs()),
        evidence: memory.evidence().to_vec(),
    }
}

/// What the engine was told, with the names of today: whatever is told later, this is what the
/// answer rests on.
fn recorded_case<'a>(base: &'a Library, case: &DeidentifiedCase) -> RecordedCase<'a> {
    let recorded = |item: &Evidence| {
        let concept = base.resolve(item.id.as_str())?;
        let unit = base.quantity(concept).map(|quantity| quantity.unit.clone());
        let measured = item.value.zip(unit);
        Some(RecordedEvidence {
            id: item.id.clone(),
            name: base.common_name_of(concept).into(),
            kind: concept.kind(),
            choice: item.choice,
            source: item.source,
            duration_days: item.duration_days,
            severity: item.severity,
            measured: measured.map(|(value, unit)| Measured { value, unit }),
        })
    };
    RecordedCase {
        age: case.age,
        sex: case.sex,
        evidence: case.evidence.iter().filter_map(recorded).collect(),
    }
}

/// Builds the record of an assessment.
fn to_record(
    caller: &Caller,
    request: &AssessRequest,
    memory: &Memory,
    library: &Library,
    document: &AssessmentDocument<'_>,
    now: Timestamp,
) -> Result<RecordAssessment, ServiceError> {
    let top = document.assessment.conditions.first();
    Ok(RecordAssessment {
        assessment_id: document.assessment_id,
        tenant: caller.tenant_id,
        key: caller.key_id,
        environment: document.environment,
        interview_id: document.interview_id,
        turn: memory.turn(),
        new_interview: request.interview_id.is_none(),
        corrects: request.corrects,
        created_at: now,
        lagos_date: lagos_date(now),
        level: document.assessment.triage.level,
        top_condition: top.map(|condition| ConditionName {
            id: condition.id.to_string(),
            name: condition.name.to_string(),
        }),
        document: crate::document::written(document, library.stored_phrase_table())?,
        interview_document: memory.to_bytes()?.into(),
        request_digest: request.digest,
        idempotency: stored_key(request, document.environment).map(|key_text| IdempotencyRecord {
            key_text,
            body_digest: digest_under_key(request),
            expires_at: now.checked_add(IDEMPOTENCY_LIFE).unwrap_or(Timestamp::MAX),
        }),
        events: vec![completed_event(document)],
        quota: quota::rule(caller),
        threshold_notice: Some(quota::threshold_notice(caller)),
        billable: document.environment == Environment::Live,
    })
}

async fn record_it(
    context: &Context,
    record: RecordAssessment,
    danger: Option<Box<Danger>>,
    now: Timestamp,
) -> Result<(), ServiceError> {
    let (tenant, month) = (record.tenant, Month::from(record.lagos_date));
    let has_hard_quota = record.quota.beyond != BeyondQuota::Billed;
    let (key, idempotency) = (record.key, record.idempotency.clone());
    match context.store.record_assessment(record).await {
        Ok(recorded) => {
            if let Some(used) = recorded.used.filter(|_| has_hard_quota) {
                context.known_usage.note(tenant, month, used);
            }
            Ok(())
        }
        Err(RecordRefusal::QuotaExceeded { limit, used }) => {
            // Another request used up the quota meanwhile. Remember it, so that the next request is
            // refused before the engine runs.
            context.known_usage.note(tenant, month, used);
            Err(quota::exceeded(limit, used, now, danger))
        }
        Err(RecordRefusal::InterviewMoved) => {
            Err(ServiceError::Conflict("the interview has moved on"))
        }
        Err(RecordRefusal::IdempotencyConflict) => {
            let conflict = conflict_of(context, key, idempotency, now).await?;
            Err(ServiceError::IdempotencyConflict(conflict))
        }
        Err(RecordRefusal::Store(error)) => Err(error.into()),
    }
}

/// Returns why the idempotency key is taken: another call took it meanwhile, with the same body or
/// a different one.
async fn conflict_of(
    context: &Context,
    key: KeyId,
    own: Option<IdempotencyRecord>,
    now: Timestamp,
) -> Result<IdempotencyConflict, ServiceError> {
    let Some(own) = own else {
        return Ok(IdempotencyConflict::StillRunning);
    };
    let first = context
        .store
        .find_idempotent(key, &own.key_text, now)
        .await?;
    Ok(match first {
        Some(first) if first.body_digest != own.body_digest => IdempotencyConflict::DifferentBody,
        // The same body, or the first call has failed meanwhile: a retry will find the answer or
        // make it.
        _ => IdempotencyConflict::StillRunning,
    })
}

/// Builds an event with ids and levels, never patient data.
fn completed_event(document: &AssessmentDocument<'_>) -> NewEvent {
    #[derive(Serialize)]
    struct Completed {
        assessment_id: AssessmentId,
        interview_id: InterviewId,
        environment: Environment,
        triage_level: TriageLevel,
        escalation_tier: u8,
    }
    let data = Completed {
        assessment_id: document.assessment_id,
        interview_id: document.interview_id,
        environment: document.environment,
        triage_level: document.assessment.triage.level,
        escalation_tier: document.assessment.escalation_tier,
    };
    NewEvent {
        id: Uuid::now_v7(),
        kind: EventKind::AssessmentCompleted,
        environment: Some(document.environment),
        payload: serde_json::to_string(&data).unwrap_or_default(),
    }
}

/// Returns the idempotency key as stored: keys of live and sandbox calls are separate.
fn stored_key(request: &AssessRequest, environment: Environment) -> Option<String> {
    let key = request.idempotency_key.as_deref()?;
    Some(format!("{environment}:{key}"))
}

/// Returns the digest that an idempotency key is bound to: the body and the interview, which a
/// header may name. The same body for another patient is a different request.
fn digest_under_key(request: &AssessRequest) -> [u8; 32] {
    match request.interview_id {
        Some(InterviewId(interview)) => Sha256::new()
            .chain_update(request.digest)
            .chain_update(interview.as_bytes())
            .finalize()
            .into(),
        None => request.digest,
    }
}

/// Returns the stored assessment of a repeated idempotency key.
async fn replay_of_key(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    request: &AssessRequest,
) -> Result<Option<Assessed<'static>>, ServiceError> {
    let Some(key_text) = stored_key(request, environment) else {
        return Ok(None);
    };
    let Some(hit) = context
        .store
        .find_idempotent(caller.key_id, &key_text, context.clock.now())
        .await?
    else {
        return Ok(None);
    };
    if hit.body_digest != digest_under_key(request) {
        return Err(ServiceError::IdempotencyConflict(
            IdempotencyConflict::DifferentBody,
        ));
    }
    let document = find(context, caller, environment, hit.assessment_id).await?;
    Ok(Some(Assessed {
        document,
        cache_hit: false,
        replayed: true,
    }))
}

/// Returns the stored assessment if the body of the latest turn is sent again.
async fn repetition(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    memory: &Memory,
    request: &AssessRequest,
) -> Result<Option<Assessed<'static>>, ServiceError> {
    match memory.latest_answer(&request.digest) {
        Some(id) => {
            let document = find(context, caller, environment, id).await?;
            Ok(Some(Assessed {
                document,
                cache_hit: true,
                replayed: false,
            }))
        }
        None => Ok(None),
    }
}

/// Finds a stored assessment of this tenant.
pub async fn find(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    id: AssessmentId,
) -> Result<AssessmentDocument<'static>, ServiceError> {
    Ok(find_filed(context, caller, environment, id).await?.document)
}

/// A stored assessment, and what it replaced and was replaced by.
pub struct Filed {
    /// The assessment, as it was answered.
    pub document: AssessmentDocument<'static>,
    /// The assessment it replaces.
    pub supersedes: Option<AssessmentId>,
    /// The assessment that replaced it.
    pub superseded_by: Option<AssessmentId>,
}

/// A stored assessment of this tenant, with its place among others about the same patient.
pub async fn find_filed(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    id: AssessmentId,
) -> Result<Filed, ServiceError> {
    let stored = context
        .store
        .find_assessment(caller.tenant_id, environment, id)
        .await?;
    let stored = stored.ok_or(ServiceError::NotFound("an assessment of that id"))?;
    Ok(Filed {
        document: document::read(context, &stored.document).await?,
        supersedes: stored.summary.supersedes,
        superseded_by: stored.summary.superseded_by,
    })
}

/// The latest assessment that replaced this one, directly or by way of others; this one where none
/// did.
pub async fn newest_after(
    context: &Context,
    caller: &Caller,
    environment: Environment,
    id: AssessmentId,
) -> Result<AssessmentId, ServiceError> {
    let newest = context
        .store
        .newest_after(caller.tenant_id, environment, id);
    Ok(newest.await?)
}

fn elapsed_ms(since: Instant) -> u64 {
    milliseconds(since.elapsed())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Creates an error about a single field.
pub(crate) fn invalid(pointer: &str, reason: impl Into<String>) -> ServiceError {
    ServiceError::InvalidRequest(vec![FieldError::new(pointer, reason)])
}

/// A list of evidence, for merging.
pub(crate) type EvidenceList = Vec<Evidence>;
