//! People who sign in.

use lafiya_model::{AccountId, Role, TenantId};

use super::given::{Given, at, fresh_digest, fresh_id};
use crate::store::*;

fn new_account(tenant: TenantId, email: &str) -> NewAccount {
    NewAccount {
        id: AccountId(fresh_id()),
        tenant,
        email: email.to_owned(),
        role: Role::Clinician,
        operator: false,
        created_at: at(0),
    }
}

fn new_session(account: AccountId) -> NewSession {
    NewSession {
        hash: fresh_digest(),
        account,
        created_at: at(10),
        expires_at: at(1000),
    }
}

pub(super) async fn an_address_is_one_account_in_all_tenants(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let other = given.tenant("Other").await;
    let created = store.create_account(new_account(tenant, "ada@acme.example"), "cli");
    let created = created.await.unwrap();
    assert_eq!(
        store.find_account("ada@acme.example").await.unwrap(),
        Some(created.clone())
    );
    let twin = store.create_account(new_account(other, "ada@acme.example"), "cli");
    assert!(matches!(twin.await, Err(StoreError::Conflict)));
    let orphan = new_account(TenantId(fresh_id()), "who@acme.example");
    let orphan = store.create_account(orphan, "cli").await;
    assert!(matches!(orphan, Err(StoreError::NotFound)));
    assert_eq!(store.list_accounts(tenant).await.unwrap(), [created]);
    assert_eq!(store.list_accounts(other).await.unwrap(), []);
}

pub(super) async fn only_the_own_tenant_changes_a_member(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let other = given.tenant("Other").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = new.id;
    store.create_account(new, "cli").await.unwrap();
    let foreign = store.set_account_role(other, id, Role::Owner, "x", at(1));
    assert!(matches!(foreign.await, Err(StoreError::NotFound)));
    let foreign = store.remove_account(other, id, "x", at(1)).await;
    assert!(matches!(foreign, Err(StoreError::NotFound)));
    let changed = store.set_account_role(tenant, id, Role::Owner, "x", at(1));
    assert_eq!(changed.await.unwrap().role, Role::Owner);

    let session = new_session(id);
    store.begin_session(session.clone(), "link").await.unwrap();
    store.remove_account(tenant, id, "x", at(2)).await.unwrap();
    let gone = store.find_session(&session.hash, at(0), at(11)).await;
    assert_eq!(gone.unwrap(), None);
}

pub(super) async fn a_session_lives_until_it_ends_idles_or_expires(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = new.id;
    store.create_account(new, "cli").await.unwrap();
    let session = new_session(id);
    store
        .begin_session(session.clone(), "password")
        .await
        .unwrap();
    let hash = &session.hash;

    let found = store
        .find_session(hash, at(5), at(11))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((found.account.id, found.tenant.id), (id, tenant));
    assert_eq!(found.account.last_sign_in_at, Some(at(10)));
    assert_eq!(
        store.find_session(hash, at(10), at(11)).await.unwrap(),
        None
    );
    assert_eq!(
        store.find_session(hash, at(5), at(1000)).await.unwrap(),
        None
    );
    store.touch_session(hash, at(50)).await.unwrap();
    let seen = store.find_session(hash, at(20), at(51)).await.unwrap();
    assert_eq!(seen.unwrap().seen_at, at(50));
    store.end_session(hash).await.unwrap();
    store.end_session(hash).await.unwrap();
    assert_eq!(store.find_session(hash, at(5), at(51)).await.unwrap(), None);
}

pub(super) async fn wrong_passwords_lock_and_a_sign_in_forgets_them(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = new.id;
    store.create_account(new, "cli").await.unwrap();
    for expected in 1..=3 {
        let counted = store.record_sign_in_failure(id, 3, at(900), at(expected));
        assert_eq!(counted.await.unwrap(), u64::try_from(expected).unwrap());
        let account = store
            .find_account("ada@acme.example")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(account.locked_until, (expected == 3).then_some(at(900)));
    }
    store
        .begin_session(new_session(id), "password")
        .await
        .unwrap();
    let account = store
        .find_account("ada@acme.example")
        .await
        .unwrap()
        .unwrap();
    assert_eq!((account.failures, account.locked_until), (0, None));
}

pub(super) async fn a_new_password_ends_the_other_sessions(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = new.id;
    store.create_account(new, "cli").await.unwrap();
    let (kept, other) = (new_session(id), new_session(id));
    store.begin_session(kept.clone(), "link").await.unwrap();
    store.begin_session(other.clone(), "link").await.unwrap();
    let set = store.set_password(id, "$argon2id$x", Some(kept.hash), "ada", at(20));
    set.await.unwrap();
    assert!(
        store
            .find_session(&kept.hash, at(5), at(21))
            .await
            .unwrap()
            .is_some()
    );
    assert_eq!(
        store
            .find_session(&other.hash, at(5), at(21))
            .await
            .unwrap(),
        None
    );
    let account = store
        .find_account("ada@acme.example")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(account.password_hash.as_deref(), Some("$argon2id$x"));
}

pub(super) async fn a_link_and_a_code_work_once(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = new.id;
    store.create_account(new, "cli").await.unwrap();
    let (old, link) = (fresh_digest(), fresh_digest());
    store
        .create_sign_in_link(id, old, at(100), "cli", at(1))
        .await
        .unwrap();
    store
        .create_sign_in_link(id, link, at(100), "cli", at(2))
        .await
        .unwrap();
    assert_eq!(store.take_sign_in_link(&old, at(3)).await.unwrap(), None);
    assert!(
        store
            .find_sign_in_link(&link, at(3))
            .await
            .unwrap()
            .is_some()
    );
    assert_eq!(store.find_sign_in_link(&link, at(100)).await.unwrap(), None);
    assert!(
        store
            .take_sign_in_link(&link, at(3))
            .await
            .unwrap()
            .is_some()
    );
    assert_eq!(store.take_sign_in_link(&link, at(3)).await.unwrap(), None);

    let secret = Some("ABC".to_owned());
    store
        .set_totp(id, secret.clone(), "ada", at(4))
        .await
        .unwrap();
    let account = store
        .find_account("ada@acme.example")
        .await
        .unwrap()
        .unwrap();
    assert!(account.has_codes);
    assert_eq!(store.totp_secret(id).await.unwrap(), secret);
    assert!(store.take_totp_step(id, 7).await.unwrap());
    assert!(!store.take_totp_step(id, 7).await.unwrap());
    assert!(!store.take_totp_step(id, 6).await.unwrap());
    assert!(store.take_totp_step(id, 8).await.unwrap());
}
