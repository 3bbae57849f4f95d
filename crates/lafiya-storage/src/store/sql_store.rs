//! [`Store`] for either database: each method passes its arguments and its operation to the engine.

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{
    AssessmentId, Environment, InterviewId, KeyId, TenantId, TenantStatus, TextToProvider, Tier,
};

use super::error::Failure;
use super::operations::record::SealedRecord;
use super::operations::sealing::{assessment_place, interview_place};
use super::operations::{
    assessments, audit, keeping, keys, phrase_tables, record, rights, sealing, tenants, usage,
};
use super::postgres::Postgres;
use super::sealing::Sealed;
use super::sqlite::Sqlite;
use super::work::Operation;
use super::*;

/// A store in SQLite or PostgreSQL, and the keys that encrypt its documents.
pub(super) struct SqlStore {
    pub(super) database: Database,
    pub(super) data_keys: DataKeys,
}

/// The database.
pub(super) enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl SqlStore {
    pub(super) async fn read<A, T, E>(
        &self,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.read(arguments, operation).await,
            // Boxed because this future is large, and callers on SQLite would carry its size too.
            Database::Postgres(postgres) => Box::pin(postgres.read(arguments, operation)).await,
        }
    }

    pub(super) async fn write<A, T, E>(
        &self,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.write(arguments, operation).await,
            Database::Postgres(postgres) => Box::pin(postgres.write(arguments, operation)).await,
        }
    }
}

#[async_trait]
impl Store for SqlStore {
    async fn probe(&self, now: Timestamp) -> Result<(), StoreError> {
        self.write(now, |c, &now| Box::pin(keeping::probe(c, now)))
            .await
    }

    async fn secret(&self, name: &str, fresh: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.write((name.to_owned(), fresh.to_vec()), |c, (name, fresh)| {
            Box::pin(keeping::secret(c, name, fresh))
        })
        .await
    }

    async fn create_tenant(
        &self,
        tenant: NewTenant,
        actor: &str,
    ) -> Result<TenantRecord, StoreError> {
        self.write((tenant, actor.to_owned()), |c, (tenant, actor)| {
            Box::pin(tenants::create(c, tenant, actor))
        })
        .await
    }

    async fn first_start(&self, tenant: NewTenant, keys: Vec<NewKey>) -> Result<bool, StoreError> {
        self.write((tenant, keys), |c, (tenant, keys)| {
            Box::pin(tenants::first_start(c, tenant, keys))
        })
        .await
    }

    async fn list_tenants(&self) -> Result<Vec<TenantRecord>, StoreError> {
        self.read((), |c, ()| Box::pin(tenants::list(c))).await
    }

    async fn find_tenant_by_name(&self, name: &str) -> Result<Option<TenantRecord>, StoreError> {
        self.read(name.to_owned(), |c, name| {
            Box::pin(tenants::find_by_name(c, name))
        })
        .await
    }

    async fn find_tenant(&self, id: TenantId) -> Result<Option<TenantRecord>, StoreError> {
        self.read(id, |c, &id| Box::pin(tenants::find(c, id))).await
    }

    async fn set_tenant_status(
        &self,
        id: TenantId,
        status: TenantStatus,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError> {
        self.write(
            (id, status, actor.to_owned(), now),
            |c, (id, status, actor, now)| {
                Box::pin(tenants::set_status(c, *id, *status, actor, *now))
            },
        )
        .await
    }

    async fn set_tenant_tier(
        &self,
        id: TenantId,
        tier: Tier,
        monthly_quota: Option<u64>,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError> {
        self.write(
            (id, tier, monthly_quota, actor.to_owned(), now),
            |c, (id, tier, quota, actor, now)| {
                Box::pin(tenants::set_tier(c, *id, *tier, *quota, actor, *now))
            },
        )
        .await
    }

    async fn set_tenant_home_country(
        &self,
        id: TenantId,
        home_country: Option<String>,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError> {
        self.write(
            (id, home_country, actor.to_owned(), now),
            |c, (id, country, actor, now)| {
                let country = country.as_deref();
                Box::pin(tenants::set_home_country(c, *id, country, actor, *now))
            },
        )
        .await
    }

    async fn set_text_to_provider(
        &self,
        id: TenantId,
        allowed: TextToProvider,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError> {
        self.write(
            (id, allowed, actor.to_owned(), now),
            |c, (id, allowed, actor, now)| {
                Box::pin(tenants::set_text_to_provider(c, *id, *allowed, actor, *now))
            },
        )
        .await
    }

    async fn create_key(&self, key: NewKey, actor: &str) -> Result<KeyRecord, StoreError> {
        self.write((key, actor.to_owned()), |c, (key, actor)| {
            Box::pin(keys::create(c, key, actor))
        })
        .await
    }

    async fn find_key(&self, hash: &[u8; 32]) -> Result<Option<FoundKey>, StoreError> {
        self.read(*hash, |c, hash| Box::pin(keys::find(c, hash)))
            .await
    }

    async fn find_key_by_id(&self, id: KeyId) -> Result<Option<KeyRecord>, StoreError> {
        self.read(id, |c, &id| Box::pin(keys::find_by_id(c, id)))
            .await
    }

    async fn list_keys(&self, tenant: Option<TenantId>) -> Result<Vec<KeyRecord>, StoreError> {
        self.read(tenant, |c, &tenant| Box::pin(keys::list(c, tenant)))
            .await
    }

    async fn revoke_key(
        &self,
        id: KeyId,
        actor: &str,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError> {
        self.write((id, actor.to_owned(), now), |c, (id, actor, now)| {
            Box::pin(keys::revoke(c, *id, actor, *now))
        })
        .await
    }

    async fn rotate_key(
        &self,
        old: KeyId,
        new: NewKey,
        actor: &str,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError> {
        self.write(
            (old, new, actor.to_owned(), now),
            |c, (old, new, actor, now)| Box::pin(keys::rotate(c, *old, new, actor, *now)),
        )
        .await
    }

    async fn record_key_use(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.write(uses.to_vec(), |c, uses| Box::pin(keys::record_use(c, uses)))
            .await
    }

    async fn list_audit(
        &self,
        tenant: Option<TenantId>,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        self.read((tenant, limit), |c, &(tenant, limit)| {
            Box::pin(audit::list(c, tenant, limit))
        })
        .await
    }

    async fn store_phrase_table(
        &self,
        id: &str,
        phrases: Bytes,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write((id.to_owned(), phrases, now), |c, (id, phrases, now)| {
            Box::pin(phrase_tables::keep(c, id, phrases, *now))
        })
        .await
    }

    async fn find_phrase_table(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(id.to_owned(), |c, id| Box::pin(phrase_tables::find(c, id)))
            .await
    }

    async fn record_assessment(&self, new: RecordAssessment) -> Result<Recorded, RecordRefusal> {
        let operation: Operation<Box<SealedRecord>, Recorded, RecordRefusal> =
            |c, sealed| Box::pin(record::record(c, sealed));
        // A recording locks the tenant first, so the tenant determines the order.
        let order = new.tenant.0.as_u128();
        // Boxed because it is moved several times on its way to the writer.
        let sealed = Box::new(SealedRecord::seal(new, &self.data_keys)?);
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.write(sealed, operation).await,
            Database::Postgres(postgres) => {
                Box::pin(postgres.write_grouped(order, sealed, operation)).await
            }
        }
    }

    async fn find_assessment(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: AssessmentId,
    ) -> Result<Option<StoredAssessment>, StoreError> {
        self.read(
            (self.data_keys.clone(), tenant, environment, id),
            |c, (keys, tenant, environment, id)| {
                Box::pin(assessments::find(c, keys, *tenant, *environment, *id))
            },
        )
        .await
    }

    async fn newest_after(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: AssessmentId,
    ) -> Result<AssessmentId, StoreError> {
        self.read(
            (tenant, environment, id),
            |c, &(tenant, environment, id)| {
                Box::pin(assessments::newest_after(c, tenant, environment, id))
            },
        )
        .await
    }

    async fn list_assessments(
        &self,
        tenant: TenantId,
        environment: Environment,
        limit: u32,
        before: Option<AssessmentId>,
    ) -> Result<Vec<AssessmentSummary>, StoreError> {
        self.read(
            (tenant, environment, limit, before),
            |c, &(tenant, environment, limit, before)| {
                Box::pin(assessments::list(c, tenant, environment, limit, before))
            },
        )
        .await
    }

    async fn load_interview(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: InterviewId,
        now: Timestamp,
    ) -> Result<Option<StoredInterview>, StoreError> {
        self.read(
            (self.data_keys.clone(), tenant, environment, id, now),
            |c, (keys, tenant, environment, id, now)| {
                Box::pin(assessments::load_interview(
                    c,
                    keys,
                    *tenant,
                    *environment,
                    *id,
                    *now,
                ))
            },
        )
        .await
    }

    async fn find_idempotent(
        &self,
        key: KeyId,
        key_text: &str,
        now: Timestamp,
    ) -> Result<Option<IdempotentHit>, StoreError> {
        self.read((key, key_text.to_owned(), now), |c, (key, text, now)| {
            Box::pin(assessments::find_idempotent(c, *key, text, *now))
        })
        .await
    }

    async fn usage(
        &self,
        tenant: TenantId,
        from: Date,
        to: Date,
    ) -> Result<UsageReport, StoreError> {
        self.read((tenant, from, to), |c, &(tenant, from, to)| {
            Box::pin(usage::report(c, tenant, from, to))
        })
        .await
    }

    async fn usage_this_month(&self, tenant: TenantId, month: Month) -> Result<u64, StoreError> {
        self.read((tenant, month), |c, &(tenant, month)| {
            Box::pin(usage::this_month(c, tenant, month))
        })
        .await
    }

    async fn purge(
        &self,
        now: Timestamp,
        kept_since: Option<Timestamp>,
    ) -> Result<u64, StoreError> {
        self.write((now, kept_since), |c, &(now, kept_since)| {
            Box::pin(keeping::purge(c, now, kept_since))
        })
        .await
    }

    async fn purge_sandbox(
        &self,
        kept_since: Option<Timestamp>,
        kept_max: u32,
    ) -> Result<u64, StoreError> {
        self.write((kept_since, kept_max), |c, &(kept_since, kept_max)| {
            Box::pin(keeping::purge_sandbox(c, kept_since, kept_max))
        })
        .await
    }

    async fn settle_data_keys(&self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        self.write((self.data_keys.clone(), now), |c, (keys, now)| {
            Box::pin(sealing::settle_keys(c, keys, *now))
        })
        .await
    }

    async fn reseal_assessments(
        &self,
        after: Option<AssessmentId>,
    ) -> Result<Resealed, StoreError> {
        self.write((self.data_keys.clone(), after), |c, (keys, after)| {
            Box::pin(sealing::reseal_assessments(c, keys, *after))
        })
        .await
    }

    async fn reseal_interviews(&self) -> Result<u64, StoreError> {
        self.write(self.data_keys.clone(), |c, keys| {
            Box::pin(sealing::reseal_interviews(c, keys))
        })
        .await
    }

    async fn reseal_codes(&self) -> Result<u64, StoreError> {
        self.write(self.data_keys.clone(), |c, keys| {
            Box::pin(sealing::reseal_codes(c, keys))
        })
        .await
    }

    async fn reseal_webhook_secrets(&self) -> Result<u64, StoreError> {
        self.write(self.data_keys.clone(), |c, keys| {
            Box::pin(sealing::reseal_webhook_secrets(c, keys))
        })
        .await
    }

    async fn retire_data_keys(&self) -> Result<u64, StoreError> {
        self.write(self.data_keys.clone(), |c, keys| {
            Box::pin(sealing::retire_keys(c, keys))
        })
        .await
    }

    async fn log_act(&self, act: NewAct) -> Result<(), StoreError> {
        self.write(act, |c, act| Box::pin(rights::log_act(c, act)))
            .await
    }

    async fn export_assessments(
        &self,
        tenant: TenantId,
        environment: Environment,
        before: Option<AssessmentId>,
    ) -> Result<Vec<StoredAssessment>, StoreError> {
        let page = self.read(
            (tenant, environment, before),
            |c, &(tenant, environment, before)| {
                Box::pin(rights::export_assessments(c, tenant, environment, before))
            },
        );
        // Decrypted after the connection was returned, because that takes time for a page of
        // documents.
        let open = |(summary, sealed): (AssessmentSummary, Sealed)| {
            let place = assessment_place(tenant, environment, summary.assessment_id);
            let document = self.data_keys.open(&place, sealed)?;
            Ok(StoredAssessment { summary, document })
        };
        page.await?.into_iter().map(open).collect()
    }

    async fn export_interviews(
        &self,
        tenant: TenantId,
        environment: Environment,
        after: Option<InterviewId>,
    ) -> Result<Vec<KeptInterview>, StoreError> {
        let page = self.read(
            (tenant, environment, after),
            |c, &(tenant, environment, after)| {
                Box::pin(rights::export_interviews(c, tenant, environment, after))
            },
        );
        let open = |(interview, sealed): (KeptInterview, Sealed)| {
            let place = interview_place(tenant, environment, interview.id);
            let document = self.data_keys.open(&place, sealed)?;
            Ok(KeptInterview {
                document,
                ..interview
            })
        };
        page.await?.into_iter().map(open).collect()
    }

    async fn erase_tenant(
        &self,
        id: TenantId,
        actor: &str,
        now: Timestamp,
    ) -> Result<Erased, StoreError> {
        self.write((id, actor.to_owned(), now), |c, (id, actor, now)| {
            Box::pin(rights::erase(c, *id, actor, *now))
        })
        .await
    }

    async fn close(&self) {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.close().await,
            Database::Postgres(postgres) => postgres.close().await,
        }
    }
}
