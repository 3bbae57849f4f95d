//! The outbox: events are written in the transaction of their cause, and later turned into
//! deliveries.

use std::collections::HashMap;

use jiff::Timestamp;
use lafiya_model::{Environment, EventKind, TenantId};
use uuid::Uuid;

use super::webhooks::events_from;
use crate::store::connection::{Connection, Engine, Row, Statement, sql};
use crate::store::{NewEvent, StoreError};

/// Writes an event to the outbox in the transaction of its cause. Does nothing if the tenant has no
/// webhooks.
pub(super) async fn announce(
    connection: &mut Connection,
    tenant: TenantId,
    at: Timestamp,
    event: &NewEvent,
) -> Result<(), StoreError> {
    announcement(tenant, at, event).execute(connection).await?;
    Ok(())
}

/// Returns the statement that writes an event to the outbox.
pub(super) fn announcement(tenant: TenantId, at: Timestamp, event: &NewEvent) -> Statement<'_> {
    // Most tenants have no webhook, and events without a receiver would only be deleted again.
    sql(
        "insert into outbox (id, tenant, kind, environment, payload, created_at)
         select $1, $2, $3, $4, $5, $6
         where exists (select 1 from webhook where tenant = $2)",
    )
    .bind(event.id)
    .bind(tenant)
    .bind(event.kind)
    .bind(event.environment)
    .bind(&event.payload)
    .bind(at)
}

/// A webhook that may subscribe to an event.
struct Listener {
    id: String,
    environment: Environment,
    events: Vec<EventKind>,
}

impl Listener {
    fn wants(&self, kind: EventKind, environment: Option<Environment>) -> bool {
        self.events.contains(&kind)
            && environment.is_none_or(|environment| environment == self.environment)
    }
}

/// Turns events into deliveries. Events that another replica is dispatching at the same time are
/// skipped.
pub(in crate::store) async fn dispatch(
    connection: &mut Connection,
    now: Timestamp,
    limit: u32,
    fresh_id: fn() -> Uuid,
) -> Result<u64, StoreError> {
    let events = match connection.engine() {
        Engine::Sqlite => {
            "select id, tenant, kind, environment, payload, created_at from outbox
             order by created_at, id limit $1"
        }
        Engine::Postgres => {
            "select id, tenant, kind, environment, payload, created_at from outbox
             order by created_at, id limit $1 for update skip locked"
        }
    };
    let events = sql(events).bind(limit).all(connection).await?;
    // One batch often has many events of one tenant.
    let mut listeners: HashMap<TenantId, Vec<Listener>> = HashMap::new();
    for event in &events {
        let tenant = event.parsed("tenant")?;
        let listening = match listeners.entry(tenant) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(unknown) => {
                unknown.insert(listeners_of(connection, tenant).await?)
            }
        };
        let (kind, environment) = (event.parsed("kind")?, event.optional_parsed("environment")?);
        for listener in listening
            .iter()
            .filter(|listener| listener.wants(kind, environment))
        {
            queue(connection, listener, event, fresh_id(), now).await?;
        }
        sql("delete from outbox where id = $1")
            .bind(&event.text("id")?)
            .execute(connection)
            .await?;
    }
    Ok(events.len() as u64)
}

/// Lists the active webhooks of a tenant. On PostgreSQL they are locked, so that none is removed
/// before its deliveries are queued.
async fn listeners_of(
    connection: &mut Connection,
    tenant: TenantId,
) -> Result<Vec<Listener>, StoreError> {
    let listeners = match connection.engine() {
        Engine::Sqlite => {
            "select id, environment, events from webhook
             where tenant = $1 and status = 'active' order by id"
        }
        Engine::Postgres => {
            "select id, environment, events from webhook
             where tenant = $1 and status = 'active' order by id for key share"
        }
    };
    let rows = sql(listeners).bind(tenant).all(connection).await?;
    rows.iter()
        .map(|row| {
            Ok(Listener {
                id: row.text("id")?,
                environment: row.parsed("environment")?,
                events: events_from(row)?,
            })
        })
        .collect()
}

async fn queue(
    connection: &mut Connection,
    listener: &Listener,
    event: &Row,
    id: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    sql("insert into delivery
             (id, tenant, webhook, event_id, kind, payload, event_at, status, next_attempt_at,
              created_at)
         values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8)
         on conflict (webhook, event_id) do nothing")
    .bind(id)
    .bind(&event.text("tenant")?)
    .bind(&listener.id)
    .bind(&event.text("id")?)
    .bind(&event.text("kind")?)
    .bind(&event.text("payload")?)
    .bind(event.integer("created_at")?)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}
