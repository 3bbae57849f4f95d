//! Tenants and their audit log.

use lafiya_model::{Environment, TenantId, TenantStatus, TextToProvider, Tier};

use super::given::{Given, at, fresh_id, new_key, new_tenant};
use crate::store::*;

pub(super) async fn a_tenant_is_found_by_id_and_by_name(given: &Given) {
    let new = NewTenant {
        tier: Tier::Enterprise,
        monthly_quota: Some(9_000),
        home_country: Some("GH".to_owned()),
        ..new_tenant("Ọ̀yọ́ Telehealth")
    };
    let created = given.store.create_tenant(new.clone(), "cli").await.unwrap();
    assert_eq!(created.name, new.name);
    assert_eq!(created.status, TenantStatus::Active);
    assert_eq!(created.included_per_month(), Some(9_000));
    assert_eq!(created.home_country.as_deref(), Some("GH"));
    assert_eq!(created.text_to_provider, TextToProvider::Never);

    let store = &given.store;
    let by_id = store.find_tenant(new.id).await.unwrap();
    let by_name = store.find_tenant_by_name(&new.name).await.unwrap();
    assert_eq!(by_id.as_ref(), Some(&created));
    assert_eq!(by_name.as_ref(), Some(&created));

    given.tenant("Abuja Clinics").await;
    let names: Vec<String> = store
        .list_tenants()
        .await
        .unwrap()
        .into_iter()
        .map(|tenant| tenant.name)
        .collect();
    assert_eq!(names.len(), 2);
    assert!(names.contains(&new.name));
}

pub(super) async fn a_name_is_given_once(given: &Given) {
    given.tenant("Acme").await;
    let again = given.store.create_tenant(new_tenant("Acme"), "cli").await;
    assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
    // The refused action is not logged.
    assert_eq!(given.store.list_audit(None, 10).await.unwrap().len(), 1);
}

pub(super) async fn a_tenant_can_be_suspended_and_sold_another_tier(given: &Given) {
    let id = given.tenant("Acme").await;
    let store = &given.store;
    let suspended = store
        .set_tenant_status(id, TenantStatus::Suspended, "cli", at(1))
        .await
        .unwrap();
    assert_eq!(suspended.status, TenantStatus::Suspended);
    let sold = store
        .set_tenant_tier(id, Tier::Enterprise, Some(50_000), "cli", at(2))
        .await
        .unwrap();
    assert_eq!(
        (sold.tier, sold.monthly_quota, sold.status),
        (Tier::Enterprise, Some(50_000), TenantStatus::Suspended)
    );
    assert_eq!(store.find_tenant(id).await.unwrap(), Some(sold));
    let allowed = store
        .set_text_to_provider(id, TextToProvider::Scrubbed, "cli", at(3))
        .await
        .unwrap();
    assert_eq!(allowed.text_to_provider, TextToProvider::Scrubbed);
    assert_eq!(store.find_tenant(id).await.unwrap(), Some(allowed));
}

pub(super) async fn the_home_country_of_a_tenant_can_be_set_and_taken_away(given: &Given) {
    let id = given.tenant("Acme").await;
    let store = &given.store;
    for country in [Some("GH".to_owned()), None] {
        let moved = store
            .set_tenant_home_country(id, country.clone(), "cli", at(1))
            .await
            .unwrap();
        assert_eq!(moved.home_country, country);
        assert_eq!(store.find_tenant(id).await.unwrap(), Some(moved));
    }
    let log = store.list_audit(Some(id), 1).await.unwrap();
    assert_eq!(log[0].action, "tenant.set_home_country");
    let nobody = store
        .set_tenant_home_country(TenantId(fresh_id()), None, "cli", at(1))
        .await;
    assert!(matches!(nobody, Err(StoreError::NotFound)), "{nobody:?}");
}

pub(super) async fn an_unknown_tenant_is_not_found(given: &Given) {
    let nobody = TenantId(fresh_id());
    let store = &given.store;
    assert_eq!(store.find_tenant(nobody).await.unwrap(), None);
    assert_eq!(store.find_tenant_by_name("nobody").await.unwrap(), None);
    let status = store
        .set_tenant_status(nobody, TenantStatus::Suspended, "cli", at(0))
        .await;
    assert!(matches!(status, Err(StoreError::NotFound)), "{status:?}");
    let tier = store
        .set_tenant_tier(nobody, Tier::Pilot, None, "cli", at(0))
        .await;
    assert!(matches!(tier, Err(StoreError::NotFound)), "{tier:?}");
}

pub(super) async fn every_administrative_act_is_logged_with_its_actor(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let other = given.tenant("Other").await;
    let first = new_key(tenant);
    let second = new_key(tenant);
    store.create_key(first.clone(), "user:1").await.unwrap();
    store
        .rotate_key(first.id, second.clone(), "key:1", at(3))
        .await
        .unwrap();
    store.revoke_key(second.id, "cli", at(4)).await.unwrap();
    store
        .set_tenant_status(tenant, TenantStatus::Suspended, "cli", at(5))
        .await
        .unwrap();
    store
        .set_tenant_tier(tenant, Tier::Professional, None, "cli", at(6))
        .await
        .unwrap();
    store
        .set_text_to_provider(tenant, TextToProvider::Scrubbed, "user:2", at(7))
        .await
        .unwrap();

    let log = store.list_audit(Some(tenant), 100).await.unwrap();
    let acts: Vec<(&str, &str)> = log
        .iter()
        .map(|record| (record.action.as_str(), record.actor.as_str()))
        .collect();
    let expected = [
        ("tenant.set_text_to_provider", "user:2"),
        ("tenant.set_tier", "cli"),
        ("tenant.set_status", "cli"),
        ("key.revoke", "cli"),
        ("key.rotate", "key:1"),
        ("key.create", "user:1"),
        ("tenant.create", "test"),
    ];
    assert_eq!(acts, expected);
    assert_eq!(log[4].subject, first.id.to_string());
    assert_eq!(log[4].at, at(3));
    assert!(log[4].detail.contains(&second.id.to_string()));
    assert_eq!(store.list_audit(Some(other), 100).await.unwrap().len(), 1);
    assert_eq!(store.list_audit(None, 3).await.unwrap().len(), 3);
}

pub(super) async fn the_first_start_happens_once_among_replicas(given: &Given) {
    let mut starts = Vec::new();
    for _ in 0..4 {
        let replica = given.replica().await;
        starts.push(tokio::spawn(async move {
            let tenant = new_tenant("Demo");
            let live = new_key(tenant.id);
            let test = NewKey {
                environment: Environment::Test,
                ..new_key(tenant.id)
            };
            let started = replica.first_start(tenant, vec![live, test]).await.unwrap();
            replica.close().await;
            started
        }));
    }
    let mut first = 0;
    for start in starts {
        first += usize::from(start.await.unwrap());
    }
    assert_eq!(first, 1);
    assert_eq!(given.store.list_tenants().await.unwrap().len(), 1);
    assert_eq!(given.store.list_keys(None).await.unwrap().len(), 2);
}
