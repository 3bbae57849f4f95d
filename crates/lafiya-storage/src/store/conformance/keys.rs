//! API keys.

use lafiya_model::{KeyId, TenantId, TenantStatus};

use super::given::{Given, at, fresh_digest, fresh_id, new_key};
use crate::store::*;

pub(super) async fn a_key_is_found_by_its_hash_with_its_tenant(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = NewKey {
        expires_at: Some(at(100)),
        ..new_key(tenant)
    };
    let created = store.create_key(new.clone(), "cli").await.unwrap();
    assert!(created.is_active(at(99)));
    assert!(!created.is_active(at(100)));

    let found = store.find_key(&new.hash).await.unwrap().unwrap();
    assert_eq!(found.key, created);
    assert_eq!(found.tenant.id, tenant);
    assert_eq!(found.tenant.name, "Acme");
    let suspended = TenantStatus::Suspended;
    store
        .set_tenant_status(tenant, suspended, "cli", at(1))
        .await
        .unwrap();
    let found = store.find_key(&new.hash).await.unwrap().unwrap();
    assert_eq!(found.tenant.status, suspended);

    assert_eq!(store.find_key(&fresh_digest()).await.unwrap(), None);
    assert_eq!(store.find_key_by_id(new.id).await.unwrap(), Some(created));
    assert_eq!(store.list_keys(Some(tenant)).await.unwrap().len(), 1);
    let other = given.tenant("Other").await;
    assert_eq!(store.list_keys(Some(other)).await.unwrap(), []);
}

pub(super) async fn a_key_needs_a_tenant_and_a_hash_of_its_own(given: &Given) {
    let orphan = new_key(TenantId(fresh_id()));
    let refused = given.store.create_key(orphan, "cli").await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");

    let tenant = given.tenant("Acme").await;
    let first = new_key(tenant);
    let twin = NewKey {
        hash: first.hash,
        ..new_key(tenant)
    };
    given.store.create_key(first, "cli").await.unwrap();
    let refused = given.store.create_key(twin, "cli").await;
    assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
}

pub(super) async fn revoking_is_for_good_and_revoking_again_changes_nothing(given: &Given) {
    let store = &given.store;
    let (tenant, key) = given.caller("Acme").await;
    let revoked = store.revoke_key(key, "cli", at(1)).await.unwrap();
    assert_eq!(revoked.revoked_at, Some(at(1)));
    assert!(!revoked.is_active(at(1)));
    let log = store.list_audit(Some(tenant), 10).await.unwrap().len();
    let again = store.revoke_key(key, "cli", at(2)).await.unwrap();
    assert_eq!(again, revoked);
    assert_eq!(store.list_audit(Some(tenant), 10).await.unwrap().len(), log);

    let unknown = store.revoke_key(KeyId(fresh_id()), "cli", at(1)).await;
    assert!(matches!(unknown, Err(StoreError::NotFound)), "{unknown:?}");
}

pub(super) async fn rotating_revokes_the_old_key_and_remembers_it(given: &Given) {
    let store = &given.store;
    let (tenant, old) = given.caller("Acme").await;
    let new = new_key(tenant);
    let rotated = store.rotate_key(old, new, "cli", at(1)).await.unwrap();
    assert_eq!(rotated.rotated_from, Some(old));
    assert!(rotated.is_active(at(1)));
    let old = store.find_key_by_id(old).await.unwrap().unwrap();
    assert_eq!(old.revoked_at, Some(at(1)));
}

pub(super) async fn a_revoked_expired_or_foreign_key_is_not_rotated(given: &Given) {
    let store = &given.store;
    let (tenant, revoked) = given.caller("Acme").await;
    store.revoke_key(revoked, "cli", at(1)).await.unwrap();
    let expiring = NewKey {
        expires_at: Some(at(5)),
        ..new_key(tenant)
    };
    store.create_key(expiring.clone(), "cli").await.unwrap();
    let (_, foreign) = given.caller("Other").await;

    for (old, name) in [(revoked, "revoked"), (expiring.id, "expired")] {
        let refused = store.rotate_key(old, new_key(tenant), "cli", at(5)).await;
        let conflict = matches!(refused, Err(StoreError::Conflict));
        assert!(conflict, "{name}: {refused:?}");
    }
    let refused = store
        .rotate_key(foreign, new_key(tenant), "cli", at(5))
        .await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    let foreign = store.find_key_by_id(foreign).await.unwrap().unwrap();
    assert!(foreign.is_active(at(5)));
    assert_eq!(store.list_keys(Some(tenant)).await.unwrap().len(), 2);
}

pub(super) async fn uses_of_keys_add_up_and_time_does_not_go_back(given: &Given) {
    let store = &given.store;
    let (tenant, key) = given.caller("Acme").await;
    let other = given.key(tenant).await;
    let used = |key, requests, seconds| KeyUse {
        key,
        requests,
        last_used_at: at(seconds),
    };
    let nobody = KeyId(fresh_id());
    store
        .record_key_use(&[used(key, 3, 50), used(other, 1, 7), used(nobody, 1, 1)])
        .await
        .unwrap();
    store.record_key_use(&[used(key, 4, 20)]).await.unwrap();
    store.record_key_use(&[]).await.unwrap();
    let key = store.find_key_by_id(key).await.unwrap().unwrap();
    assert_eq!((key.requests, key.last_used_at), (7, Some(at(50))));
    let other = store.find_key_by_id(other).await.unwrap().unwrap();
    assert_eq!((other.requests, other.last_used_at), (1, Some(at(7))));
}
