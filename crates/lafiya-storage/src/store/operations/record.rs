//! Records an assessment: idempotency key, quota, usage, interview, assessment and events in one
//! transaction. [`record`] defines the order of steps; an early return rolls everything back.
//! Writes without a result that later steps need are sent together.

use std::mem;

use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{AssessmentId, Environment, TriageLevel};

use super::sealing::{assessment_place, interview_place};
use super::{outbox, usage};
use crate::store::connection::{Connection, Row, Statement, sql};
use crate::store::sealing::DataKeys;
use crate::store::{
    BeyondQuota, INTERVIEW_LIFE, Month, QUOTA_THRESHOLDS_PERCENT, RecordAssessment, RecordRefusal,
    Recorded, StoreError, ThresholdNotice, ThresholdReached,
};

/// An assessment to record, with its documents already encrypted.
pub(in crate::store) struct SealedRecord {
    new: RecordAssessment,
    /// The id of the key that its documents are encrypted with.
    document_key: Option<String>,
}

impl SealedRecord {
    /// Encrypts the documents before the transaction begins, so that no locks are held meanwhile.
    pub(in crate::store) fn seal(
        mut new: RecordAssessment,
        keys: &DataKeys,
    ) -> Result<Self, StoreError> {
        let place = assessment_place(new.tenant, new.environment, new.assessment_id);
        let document = keys.seal(&place, mem::take(&mut new.document))?;
        new.document = document.bytes;
        let place = interview_place(new.tenant, new.environment, new.interview_id);
        let interview = keys.seal(&place, mem::take(&mut new.interview_document))?;
        new.interview_document = interview.bytes;
        Ok(Self {
            new,
            document_key: document.key,
        })
    }
}

pub(in crate::store) async fn record(
    connection: &mut Connection,
    sealed: &SealedRecord,
) -> Result<Recorded, RecordRefusal> {
    let new = &sealed.new;
    // First of all, as in every transaction that changes a tenant's data: two recordings of one
    // tenant then cannot deadlock on its counters and interviews.
    connection.lock_tenant(new.tenant).await?;
    // Before anything is counted, so that a repetition fails without leaving a trace.
    take_idempotency_key(connection, new).await?;
    let mut interview = interview_before(connection, new).await?;
    let counts = Counts::of(new, &interview);
    if let Some(before) = interview.counted.as_ref().filter(|_| counts.day.is_some()) {
        // Sent alone and not with the other writes: the new count may be of the same row, which a
        // joined statement could change only once.
        uncount_day(connection, new, before).await?;
    }
    let mut writes = Vec::new();
    if let Some(date) = counts.day {
        writes.extend(count_day(new, date));
        interview.counted = Some(CountedInterview {
            date,
            level: new.level,
            condition: new.top_condition.as_ref().map(|top| top.id.clone()),
        });
    }
    let announced = |event| outbox::announcement(new.tenant, new.created_at, event);
    writes.extend(new.events.iter().map(announced));
    writes.push(save_interview(sealed, &interview));
    // A later turn replaces the turn before it; a first turn replaces what its caller says that it
    // corrects.
    let supersedes = interview.latest.or(new.corrects);
    writes.extend(supersedes.map(|old| supersede(new, old)));
    let assessment = insert_assessment(sealed, supersedes);
    // Nothing is billed, so there is no quota to check.
    if !counts.month {
        assessment.all_beside(writes, connection).await?;
        return Ok(Recorded {
            used: None,
            crossed: None,
        });
    }
    writes.push(assessment);
    // The quota is the last condition; if it is used up, the early return rolls back the writes
    // that were sent with it.
    let used = count_month(connection, new, writes).await?;
    count_over_quota(connection, new, used).await?;
    Ok(Recorded {
        used: Some(used),
        crossed: announce_thresholds(connection, new, used).await?,
    })
}

async fn take_idempotency_key(
    connection: &mut Connection,
    new: &RecordAssessment,
) -> Result<(), RecordRefusal> {
    let Some(idempotency) = &new.idempotency else {
        return Ok(());
    };
    let taken = sql(
        "insert into idempotency (api_key, key_text, body_digest, assessment_id, expires_at)
         values ($1, $2, $3, $4, $5)
         on conflict (api_key, key_text) do update set
             body_digest = excluded.body_digest,
             assessment_id = excluded.assessment_id,
             expires_at = excluded.expires_at
         where idempotency.expires_at <= $6",
    )
    .bind(new.key)
    .bind(&idempotency.key_text)
    .bind(idempotency.body_digest.as_slice())
    .bind(new.assessment_id)
    .bind(idempotency.expires_at)
    .bind(new.created_at)
    .execute(connection)
    .await?;
    // The statement changes no row if the key is taken and has not expired.
    match taken {
        0 => Err(RecordRefusal::IdempotencyConflict),
        _ => Ok(()),
    }
}

/// The stored facts about an interview, without its document.
struct Interview {
    turn: u32,
    created_at: Timestamp,
    expires_at: Timestamp,
    counted: Option<CountedInterview>,
    /// The assessment of the turn before.
    latest: Option<AssessmentId>,
}

/// Where an interview was counted.
struct CountedInterview {
    date: Date,
    level: TriageLevel,
    condition: Option<String>,
}

/// Returns the interview that this turn continues, or a new one. Fails if the turn does not follow
/// the stored one.
async fn interview_before(
    connection: &mut Connection,
    new: &RecordAssessment,
) -> Result<Interview, RecordRefusal> {
    let stored = if new.new_interview {
        None
    } else {
        stored_interview(connection, new).await?
    };
    let interview = stored.unwrap_or_else(|| Interview {
        turn: 0,
        created_at: new.created_at,
        expires_at: new
            .created_at
            .checked_add(INTERVIEW_LIFE)
            .unwrap_or(Timestamp::MAX),
        counted: None,
        latest: None,
    });
    // Another request may have recorded a turn between the reading of the interview and this
    // transaction.
    if interview.turn.checked_add(1) == Some(new.turn) {
        Ok(interview)
    } else {
        Err(RecordRefusal::InterviewMoved)
    }
}

/// Loads an interview. An expired one counts as missing.
async fn stored_interview(
    connection: &mut Connection,
    new: &RecordAssessment,
) -> Result<Option<Interview>, StoreError> {
    let row = sql(
        "select turn, created_at, expires_at, counted_date, counted_level, counted_condition,
             last_assessment_id
         from interview
         where tenant = $1 and environment = $2 and id = $3 and expires_at > $4",
    )
    .bind(new.tenant)
    .bind(new.environment)
    .bind(new.interview_id)
    .bind(new.created_at)
    .optional(connection)
    .await?;
    row.as_ref().map(interview_from).transpose()
}

fn interview_from(row: &Row) -> Result<Interview, StoreError> {
    let date: Option<Date> = row.optional_parsed("counted_date")?;
    let level: Option<TriageLevel> = row.optional_parsed("counted_level")?;
    let condition = row.optional_text("counted_condition")?;
    Ok(Interview {
        turn: row.count_u32("turn")?,
        created_at: row.time("created_at")?,
        expires_at: row.time("expires_at")?,
        counted: date.zip(level).map(|(date, level)| CountedInterview {
            date,
            level,
            condition,
        }),
        // Every stored interview has a turn, and every turn an assessment.
        latest: Some(row.parsed("last_assessment_id")?),
    })
}

/// What a turn counts as. An interview is counted at its first billable live turn. Later turns are
/// free, but move it to the triage level and the top condition of the last turn.
struct Counts {
    /// Whether it counts against the monthly quota.
    month: bool,
    /// The day it is counted under.
    day: Option<Date>,
}

impl Counts {
    fn of(new: &RecordAssessment, interview: &Interview) -> Self {
        let before = interview.counted.as_ref().map(|counted| counted.date);
        let (month, day) = match before {
            // The sandbox is never billed and appears in no statistics.
            _ if new.environment == Environment::Test => (false, None),
            Some(date) => (false, Some(date)),
            None if new.billable => (true, Some(new.lagos_date)),
            None => (false, None),
        };
        Self { month, day }
    }
}

/// Counts the assessment against the monthly quota, and runs the statements in `beside` with it.
async fn count_month(
    connection: &mut Connection,
    new: &RecordAssessment,
    beside: Vec<Statement<'_>>,
) -> Result<u64, RecordRefusal> {
    let month = Month::from(new.lagos_date);
    let ceiling = new
        .quota
        .limit
        .filter(|_| new.quota.beyond == BeyondQuota::Refused);
    // The statement below inserts the first row without a condition, so a quota of 0 would allow
    // one assessment.
    if ceiling == Some(0) {
        return Err(RecordRefusal::QuotaExceeded { limit: 0, used: 0 });
    }
    let rows = sql(
        "insert into usage_month (tenant, month, used) values ($1, $2, 1)
         on conflict (tenant, month) do update set used = usage_month.used + 1
         where usage_month.used < $3
         returning used",
    )
    .bind(new.tenant)
    .bind(month)
    // `Value` turns a number this large into the maximum of the column, which means "no limit".
    .bind(ceiling.unwrap_or(u64::MAX))
    .all_beside(beside, connection)
    .await?;
    match rows.first() {
        Some(row) => Ok(row.count("used")?),
        // The condition of the update failed, so no row came back; the count is read for the
        // message.
        None => Err(RecordRefusal::QuotaExceeded {
            limit: ceiling.unwrap_or(u64::MAX),
            used: usage::this_month(connection, new.tenant, month).await?,
        }),
    }
}

/// Notes an assessment that was answered although the quota was used up.
async fn count_over_quota(
    connection: &mut Connection,
    new: &RecordAssessment,
    used: u64,
) -> Result<(), StoreError> {
    let is_over = new.quota.limit.is_some_and(|limit| used > limit);
    if !is_over || new.quota.beyond != BeyondQuota::Answered {
        return Ok(());
    }
    sql(
        "insert into usage_over_quota (tenant, date, count) values ($1, $2, 1)
         on conflict (tenant, date) do update set count = usage_over_quota.count + 1",
    )
    .bind(new.tenant)
    .bind(new.lagos_date)
    .execute(connection)
    .await?;
    Ok(())
}

/// Emits an event for each share of the quota the first time it is reached in a month. A row
/// records it, so that neither a changed quota nor another replica repeats it.
async fn announce_thresholds(
    connection: &mut Connection,
    new: &RecordAssessment,
    used: u64,
) -> Result<Option<u8>, StoreError> {
    let Some(limit) = new.quota.limit.filter(|&limit| limit > 0) else {
        return Ok(None);
    };
    let month = Month::from(new.lagos_date);
    let mut crossed = None;
    for percent in QUOTA_THRESHOLDS_PERCENT {
        // Compared as products, because a division would round; in 128 bits, so that no quota
        // overflows.
        if u128::from(used) * 100 < u128::from(limit) * u128::from(percent) {
            continue;
        }
        let first = sql(
            "insert into usage_threshold (tenant, month, percent) values ($1, $2, $3)
             on conflict (tenant, month, percent) do nothing",
        )
        .bind(new.tenant)
        .bind(month)
        .bind(u32::from(percent))
        .execute(connection)
        .await?;
        // Another recording of this month has announced it.
        if first == 0 {
            continue;
        }
        // The highest one counts: a small quota can cross two at once.
        crossed = Some(percent);
        if let Some(ThresholdNotice { tier, event }) = new.threshold_notice {
            let event = event(ThresholdReached {
                percent,
                month,
                tier,
                quota: limit,
            });
            outbox::announce(connection, new.tenant, new.created_at, &event).await?;
        }
    }
    Ok(crossed)
}

fn count_day(new: &RecordAssessment, date: Date) -> Vec<Statement<'_>> {
    let level = sql(
        "insert into usage_day (tenant, date, level, count) values ($1, $2, $3, 1)
         on conflict (tenant, date, level) do update set count = usage_day.count + 1",
    );
    let level = level.bind(new.tenant).bind(date).bind(new.level);
    let condition = new.top_condition.as_ref().map(|condition| {
        sql(
            "insert into usage_condition_day (tenant, date, condition_id, name, count)
             values ($1, $2, $3, $4, 1)
             on conflict (tenant, date, condition_id) do update set
                 name = excluded.name, count = usage_condition_day.count + 1",
        )
        .bind(new.tenant)
        .bind(date)
        .bind(&condition.id)
        .bind(&condition.name)
    });
    std::iter::once(level).chain(condition).collect()
}

async fn uncount_day(
    connection: &mut Connection,
    new: &RecordAssessment,
    before: &CountedInterview,
) -> Result<(), StoreError> {
    sql("update usage_day set count = count - 1 where tenant = $1 and date = $2 and level = $3")
        .bind(new.tenant)
        .bind(before.date)
        .bind(before.level)
        .execute(connection)
        .await?;
    if let Some(condition) = &before.condition {
        sql("update usage_condition_day set count = count - 1
             where tenant = $1 and date = $2 and condition_id = $3")
        .bind(new.tenant)
        .bind(before.date)
        .bind(condition)
        .execute(connection)
        .await?;
    }
    Ok(())
}

fn save_interview<'a>(sealed: &'a SealedRecord, interview: &'a Interview) -> Statement<'a> {
    let new = &sealed.new;
    let counted = interview.counted.as_ref();
    sql("insert into interview
             (tenant, environment, id, turn, document, last_assessment_id, last_request_digest,
              created_at, expires_at, counted_date, counted_level, counted_condition, document_key)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         on conflict (tenant, environment, id) do update set
             turn = excluded.turn, document = excluded.document,
             last_assessment_id = excluded.last_assessment_id,
             last_request_digest = excluded.last_request_digest,
             created_at = excluded.created_at, expires_at = excluded.expires_at,
             counted_date = excluded.counted_date, counted_level = excluded.counted_level,
             counted_condition = excluded.counted_condition,
             document_key = excluded.document_key")
    .bind(new.tenant)
    .bind(new.environment)
    .bind(new.interview_id)
    .bind(new.turn)
    .bind(&new.interview_document)
    .bind(new.assessment_id)
    .bind(new.request_digest.as_slice())
    .bind(interview.created_at)
    .bind(interview.expires_at)
    .bind(counted.map(|counted| counted.date))
    .bind(counted.map(|counted| counted.level))
    .bind(counted.and_then(|counted| counted.condition.as_deref()))
    .bind(sealed.document_key.as_deref())
}

/// Says of an earlier assessment that this one replaced it. Nothing else of it ever changes.
fn supersede(new: &RecordAssessment, old: AssessmentId) -> Statement<'_> {
    sql("update assessment set superseded_by = $1
         where id = $2 and tenant = $3 and environment = $4")
    .bind(new.assessment_id)
    .bind(old)
    .bind(new.tenant)
    .bind(new.environment)
}

fn insert_assessment(sealed: &SealedRecord, supersedes: Option<AssessmentId>) -> Statement<'_> {
    let new = &sealed.new;
    let top = new.top_condition.as_ref();
    sql("insert into assessment
             (id, tenant, environment, api_key, interview_id, turn, created_at, level,
              condition_id, condition_name, document, document_key, supersedes)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)")
    .bind(new.assessment_id)
    .bind(new.tenant)
    .bind(new.environment)
    .bind(new.key)
    .bind(new.interview_id)
    .bind(new.turn)
    .bind(new.created_at)
    .bind(new.level)
    .bind(top.map(|condition| condition.id.as_str()))
    .bind(top.map(|condition| condition.name.as_str()))
    .bind(&new.document)
    .bind(sealed.document_key.as_deref())
    .bind(supersedes)
}
