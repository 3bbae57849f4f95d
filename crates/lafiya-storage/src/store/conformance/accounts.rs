//! Accounts, sessions and links.

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
        password_reset_until: None,
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

fn bound(source: &str, limit: u64, ends_at: i64) -> AttemptBound {
    AttemptBound {
        source: source.to_owned(),
        limit,
        ends_at: at(ends_at),
    }
}

pub(super) async fn attempts_are_taken_up_to_their_bound_and_counted_anew_when_it_ends(
    given: &Given,
) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let id = new_account(tenant, "ada@acme.example");
    let id = store.create_account(id, "cli").await.unwrap().id;
    let take = async |bounds: &[AttemptBound], now| {
        let taken = store.take_attempt(id, bounds.to_vec(), at(now)).await;
        taken.unwrap()
    };
    let here = bound("address:here", 3, 900);
    for now in 1..=3 {
        assert!(take(std::slice::from_ref(&here), now).await);
    }
    assert!(!take(std::slice::from_ref(&here), 4).await);
    assert!(take(&[bound("address:there", 3, 900)], 4).await);
    let locked = store.list_audit(Some(tenant), 10).await.unwrap();
    let locked: Vec<&AuditRecord> = locked
        .iter()
        .filter(|act| act.action == "sign_in.lock")
        .collect();
    assert_eq!(locked.len(), 1);
    assert!(!locked[0].detail.contains("here"), "{}", locked[0].detail);

    assert!(!take(&[bound("address:here", 3, 1800)], 899).await);
    assert!(take(&[bound("address:here", 3, 1800)], 900).await);
    assert!(take(&[bound("address:here", 3, 9000)], 901).await);
    assert!(take(&[bound("address:here", 3, 9000)], 902).await);
    assert!(!take(&[bound("address:here", 3, 9000)], 1799).await);
    assert!(take(&[bound("address:here", 3, 9000)], 1800).await);

    // Every limit must allow the attempt; a refused attempt still counts under the limits before
    // the one that refused it.
    let both = [bound("device:one", 5, 900), bound("any", 2, 900)];
    assert!(take(&both, 1).await);
    assert!(take(&both, 1).await);
    assert!(!take(&both, 1).await);
}

pub(super) async fn a_right_attempt_is_given_back_and_a_new_password_forgets_them_all(
    given: &Given,
) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = store.create_account(new, "cli").await.unwrap().id;
    let bounds = vec![bound("device:one", 2, 900), bound("any", 3, 900)];
    let take = async |now| {
        let taken = store.take_attempt(id, bounds.clone(), at(now)).await;
        taken.unwrap()
    };
    assert!(take(1).await);
    assert!(take(1).await);
    assert!(!take(1).await);
    let settled = store.settle_attempt(id, bounds.clone(), "device:one".to_owned());
    settled.await.unwrap();
    // The count of the source is reset, and the shared count is one lower.
    assert!(take(2).await);
    assert!(take(2).await);
    assert!(!take(2).await);
    let session = new_session(id);
    store.begin_session(session.clone(), "link").await.unwrap();
    let new = password("$argon2id$x", session.hash, false);
    store.set_password(id, new, "ada", at(20)).await.unwrap();
    assert!(take(21).await);
    store.purge(at(5000), None).await.unwrap();
    assert!(take(21).await);
    assert!(take(21).await);
}

fn password(hash: &str, session: [u8; 32], without_old: bool) -> NewPassword {
    NewPassword {
        hash: hash.to_owned(),
        session,
        without_old,
    }
}

pub(super) async fn a_session_may_set_a_password_without_the_old_one_once_and_for_a_while(
    given: &Given,
) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_account(tenant, "ada@acme.example");
    let id = store.create_account(new, "cli").await.unwrap().id;
    let begin = async |password_reset_until| {
        let session = NewSession {
            password_reset_until,
            ..new_session(id)
        };
        store.begin_session(session.clone(), "link").await.unwrap();
        session.hash
    };
    let set = async |session, now| {
        let new = password("$argon2id$x", session, true);
        store.set_password(id, new, "ada", at(now)).await
    };
    let refused = |done| matches!(done, Err(StoreError::Conflict));

    let by_password = begin(None).await;
    assert!(refused(set(by_password, 11).await));
    let late = begin(Some(at(100))).await;
    assert!(refused(set(late, 100).await));
    let session = begin(Some(at(100))).await;
    let found = store.find_session(&session, at(5), at(11)).await.unwrap();
    assert_eq!(found.unwrap().password_reset_until, Some(at(100)));
    let other = begin(Some(at(100))).await;
    let link = fresh_digest();
    let made = store.create_sign_in_link(id, link, at(500), "cli", at(11));
    made.await.unwrap();
    set(session, 12).await.unwrap();
    assert!(refused(set(session, 13).await), "once");
    assert!(refused(set(other, 13).await), "the other session has ended");
    let link = store.find_sign_in_link(&link, at(13)).await.unwrap();
    assert_eq!(link, None, "nor does an open link live on");
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
    let new = password("$argon2id$x", kept.hash, false);
    store.set_password(id, new, "ada", at(20)).await.unwrap();
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
