//! [`Accounts`] for either database: each method passes its arguments and its operation to the
//! engine.

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::{AccountId, Role, TenantId};

use super::operations::accounts as operations;
use super::operations::attempts;
use super::sql_store::SqlStore;
use super::{
    AccountRecord, Accounts, AttemptBound, NewAccount, NewPassword, NewSession, SessionRecord,
    StoreError,
};

#[async_trait]
impl Accounts for SqlStore {
    async fn create_account(
        &self,
        account: NewAccount,
        actor: &str,
    ) -> Result<AccountRecord, StoreError> {
        self.write((account, actor.to_owned()), |c, (account, actor)| {
            Box::pin(operations::create(c, account, actor))
        })
        .await
    }

    async fn find_account(&self, email: &str) -> Result<Option<AccountRecord>, StoreError> {
        self.read(email.to_owned(), |c, email| {
            Box::pin(operations::find(c, email))
        })
        .await
    }

    async fn list_accounts(&self, tenant: TenantId) -> Result<Vec<AccountRecord>, StoreError> {
        self.read(tenant, |c, &tenant| Box::pin(operations::list(c, tenant)))
            .await
    }

    async fn set_account_role(
        &self,
        tenant: TenantId,
        id: AccountId,
        role: Role,
        actor: &str,
        now: Timestamp,
    ) -> Result<AccountRecord, StoreError> {
        self.write(
            (tenant, id, role, actor.to_owned(), now),
            |c, (tenant, id, role, actor, now)| {
                Box::pin(operations::set_role(c, *tenant, *id, *role, actor, *now))
            },
        )
        .await
    }

    async fn remove_account(
        &self,
        tenant: TenantId,
        id: AccountId,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(
            (tenant, id, actor.to_owned(), now),
            |c, (tenant, id, actor, now)| {
                Box::pin(operations::remove(c, *tenant, *id, actor, *now))
            },
        )
        .await
    }

    async fn set_password(
        &self,
        id: AccountId,
        new: NewPassword,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(
            (id, new, actor.to_owned(), now),
            |c, (id, new, actor, now)| Box::pin(operations::set_password(c, *id, new, actor, *now)),
        )
        .await
    }

    async fn set_totp(
        &self,
        id: AccountId,
        secret: Option<String>,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(
            (self.data_keys.clone(), id, secret, actor.to_owned(), now),
            |c, (keys, id, secret, actor, now)| {
                let secret = secret.as_deref();
                Box::pin(operations::set_totp(c, keys, *id, secret, actor, *now))
            },
        )
        .await
    }

    async fn totp_secret(&self, id: AccountId) -> Result<Option<String>, StoreError> {
        self.read((self.data_keys.clone(), id), |c, (keys, id)| {
            Box::pin(operations::totp_secret(c, keys, *id))
        })
        .await
    }

    async fn take_totp_step(&self, id: AccountId, step: u64) -> Result<bool, StoreError> {
        self.write((id, step), |c, &(id, step)| {
            Box::pin(operations::take_totp_step(c, id, step))
        })
        .await
    }

    async fn take_attempt(
        &self,
        id: AccountId,
        bounds: Vec<AttemptBound>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write((id, bounds, now), |c, (id, bounds, now)| {
            Box::pin(attempts::take(c, *id, bounds, *now))
        })
        .await
    }

    async fn settle_attempt(
        &self,
        id: AccountId,
        bounds: Vec<AttemptBound>,
        source: String,
    ) -> Result<(), StoreError> {
        self.write((id, bounds, source), |c, (id, bounds, source)| {
            Box::pin(attempts::settle(c, *id, bounds, source))
        })
        .await
    }

    async fn begin_session(&self, session: NewSession, how: &str) -> Result<(), StoreError> {
        self.write((session, how.to_owned()), |c, (session, how)| {
            Box::pin(operations::begin_session(c, session, how))
        })
        .await
    }

    async fn find_session(
        &self,
        hash: &[u8; 32],
        idle_since: Timestamp,
        now: Timestamp,
    ) -> Result<Option<SessionRecord>, StoreError> {
        self.read((*hash, idle_since, now), |c, (hash, idle_since, now)| {
            Box::pin(operations::find_session(c, hash, *idle_since, *now))
        })
        .await
    }

    async fn touch_session(&self, hash: &[u8; 32], now: Timestamp) -> Result<(), StoreError> {
        self.write((*hash, now), |c, (hash, now)| {
            Box::pin(operations::touch_session(c, hash, *now))
        })
        .await
    }

    async fn end_session(&self, hash: &[u8; 32]) -> Result<(), StoreError> {
        self.write(*hash, |c, hash| Box::pin(operations::end_session(c, hash)))
            .await
    }

    async fn create_sign_in_link(
        &self,
        account: AccountId,
        hash: [u8; 32],
        expires_at: Timestamp,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(
            (account, hash, expires_at, actor.to_owned(), now),
            |c, (account, hash, expires_at, actor, now)| {
                Box::pin(operations::create_link(
                    c,
                    *account,
                    hash,
                    *expires_at,
                    actor,
                    *now,
                ))
            },
        )
        .await
    }

    async fn find_sign_in_link(
        &self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, StoreError> {
        self.read((*hash, now), |c, (hash, now)| {
            Box::pin(operations::find_link(c, hash, *now))
        })
        .await
    }

    async fn take_sign_in_link(
        &self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, StoreError> {
        self.write((*hash, now), |c, (hash, now)| {
            Box::pin(operations::take_link(c, hash, *now))
        })
        .await
    }
}
