//! The fixtures: an empty store, and ready-made tenants, keys and assessments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};
use lafiya_model::{AssessmentId, Environment, InterviewId, KeyId, TenantId, Tier, TriageLevel};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use uuid::Uuid;

use crate::store::*;

/// The date of the tests.
pub(super) const TODAY: Date = date(2026, 11, 15);

pub(super) fn at(seconds: i64) -> Timestamp {
    let morning: Timestamp = "2026-11-15T09:00:00Z".parse().unwrap();
    morning + SignedDuration::from_secs(seconds)
}

/// No quota.
pub(super) const UNLIMITED: QuotaRule = QuotaRule {
    limit: None,
    beyond: BeyondQuota::Billed,
};

/// An empty store for one test.
pub(super) struct Given {
    pub(super) store: Arc<dyn Store>,
    pub(super) settings: StoreSettings,
    folder: Option<tempfile::TempDir>,
    schema: Option<(String, String)>,
}

impl Given {
    pub(super) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new folder").join("lafiya.db");
        let settings = StoreSettings::new(StoreUrl::Sqlite(path));
        Self::with(settings, Some(folder), None).await
    }

    /// Opens a store on PostgreSQL; `None` if none is configured and none is required.
    pub(super) async fn postgres() -> Option<Self> {
        let Ok(url) = std::env::var("LAFIYA_TEST_POSTGRES_URL") else {
            let demanded = std::env::var("LAFIYA_TEST_BACKENDS").is_ok_and(|which| which == "all");
            assert!(!demanded, "LAFIYA_TEST_POSTGRES_URL is not set");
            return None;
        };
        let schema = format!("lafiya_test_{}", Uuid::new_v4().simple());
        on_schema(
            &url,
            &schema,
            "do $$ begin
                 execute format('create schema %I', current_setting('lafiya_test.schema'));
             end $$",
        )
        .await;
        let separator = if url.contains('?') { '&' } else { '?' };
        let in_schema = format!("{url}{separator}options[search_path]={schema}");
        let mut settings = StoreSettings::new(in_schema.parse().unwrap());
        settings.connections_max = 8;
        Some(Self::with(settings, None, Some((url, schema))).await)
    }

    async fn with(
        settings: StoreSettings,
        folder: Option<tempfile::TempDir>,
        schema: Option<(String, String)>,
    ) -> Self {
        Self {
            store: connect(&settings).await.unwrap(),
            settings,
            folder,
            schema,
        }
    }

    /// Opens the same store as another process would.
    pub(super) async fn replica(&self) -> Arc<dyn Store> {
        connect(&self.settings).await.unwrap()
    }

    /// Opens the same store with data keys.
    pub(super) async fn replica_with_keys(&self, data_keys: &str) -> Arc<dyn Store> {
        let settings = StoreSettings {
            data_keys: DataKeys::parse(data_keys).unwrap(),
            ..self.settings.clone()
        };
        connect(&settings).await.unwrap()
    }

    /// Runs a statement directly on the database; returns whether it succeeded.
    pub(super) async fn behind_its_back(&self, statement: &'static str) -> bool {
        match &self.settings.url {
            StoreUrl::Sqlite(path) => {
                let options = SqliteConnectOptions::new().filename(path);
                let mut connection = options.connect().await.unwrap();
                connection.execute(statement).await.is_ok()
            }
            StoreUrl::Postgres(url) => {
                let mut connection = PgConnection::connect(url).await.unwrap();
                connection.execute(statement).await.is_ok()
            }
        }
    }

    pub(super) async fn finish(self) {
        self.store.close().await;
        if let Some((url, schema)) = &self.schema {
            on_schema(
                url,
                schema,
                "do $$ begin
                     execute format('drop schema %I cascade', current_setting('lafiya_test.schema'));
                 end $$",
            )
            .await;
        }
        drop(self.folder);
    }

    pub(super) async fn tenant(&self, name: &str) -> TenantId {
        let tenant = new_tenant(name);
        self.store
            .create_tenant(tenant.clone(), "test")
            .await
            .unwrap();
        tenant.id
    }

    pub(super) async fn key(&self, tenant: TenantId) -> KeyId {
        let key = new_key(tenant);
        self.store.create_key(key.clone(), "test").await.unwrap();
        key.id
    }

    /// Creates a tenant with a key.
    pub(super) async fn caller(&self, name: &str) -> (TenantId, KeyId) {
        let tenant = self.tenant(name).await;
        (tenant, self.key(tenant).await)
    }
}

/// Runs a statement that reads the schema name from a setting, so that no text is formatted into
/// SQL.
async fn on_schema(url: &str, schema: &str, statement: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::query("select set_config('lafiya_test.schema', $1, false)")
        .bind(schema)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.execute(statement).await.unwrap();
    connection.close().await.unwrap();
}

/// Returns a number that is unique in this run.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub(super) fn fresh_id() -> Uuid {
    Uuid::from_u128(u128::from(fresh()))
}

pub(super) fn fresh_digest() -> [u8; 32] {
    let mut digest = [7; 32];
    digest[..8].copy_from_slice(&fresh().to_be_bytes());
    digest
}

pub(super) fn new_tenant(name: &str) -> NewTenant {
    NewTenant {
        id: TenantId(fresh_id()),
        name: name.to_owned(),
        tier: Tier::Pilot,
        monthly_quota: None,
        home_country: None,
        created_at: at(0),
    }
}

pub(super) fn new_key(tenant: TenantId) -> NewKey {
    NewKey {
        id: KeyId(fresh_id()),
        tenant,
        environment: Environment::Live,
        hash: fresh_digest(),
        display: "sk_live_abcd…".to_owned(),
        created_at: at(0),
        expires_at: None,
        rotated_from: None,
    }
}

pub(super) fn condition(id: &str) -> Option<ConditionName> {
    Some(ConditionName {
        id: id.to_owned(),
        name: format!("Name of {id}"),
    })
}

/// Returns a first turn: live, routine, with malaria as the top condition and no quota.
pub(super) fn new_assessment((tenant, key): (TenantId, KeyId)) -> RecordAssessment {
    RecordAssessment {
        assessment_id: AssessmentId(fresh_id()),
        tenant,
        key,
        environment: Environment::Live,
        interview_id: InterviewId(fresh_id()),
        turn: 1,
        new_interview: false,
        corrects: None,
        created_at: at(0),
        lagos_date: TODAY,
        level: TriageLevel::Routine,
        top_condition: condition("c_malaria"),
        document: b"the assessment".as_slice().into(),
        interview_document: b"the interview".as_slice().into(),
        request_digest: fresh_digest(),
        idempotency: None,
        events: Vec::new(),
        quota: UNLIMITED,
        threshold_notice: None,
        billable: true,
    }
}

/// Returns the turn that follows another.
pub(super) fn next_turn(before: &RecordAssessment) -> RecordAssessment {
    RecordAssessment {
        assessment_id: AssessmentId(fresh_id()),
        turn: before.turn + 1,
        request_digest: fresh_digest(),
        ..before.clone()
    }
}

pub(super) fn event(kind: &str) -> NewEvent {
    NewEvent {
        id: fresh_id(),
        kind: kind.parse().unwrap(),
        environment: Some(Environment::Live),
        payload: "{}".to_owned(),
    }
}
