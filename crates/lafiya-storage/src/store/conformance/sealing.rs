//! Encryption and re-encryption of documents.

use lafiya_model::{AccountId, Environment, Role};

use super::given::{Given, at, fresh_id, new_assessment};
use super::webhooks::{announced, claim, register};
use crate::store::*;

const LIVE: Environment = Environment::Live;
const ONE: &str = "1111111111111111111111111111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222222222222222222222222222";

pub(super) async fn sealed_documents_read_back_and_do_not_lie_in_the_clear(given: &Given) {
    let store = given.replica_with_keys(ONE).await;
    let caller = given.caller("Acme").await;
    let new = new_assessment(caller);
    store.record_assessment(new.clone()).await.unwrap();
    let find = |store: std::sync::Arc<dyn Store>| async move {
        let found = store
            .find_assessment(caller.0, LIVE, new.assessment_id)
            .await;
        found.map(|found| found.unwrap().document)
    };
    assert_eq!(find(store.clone()).await.unwrap(), new.document);
    let interview = store.load_interview(caller.0, LIVE, new.interview_id, at(1));
    let interview = interview.await.unwrap().unwrap();
    assert_eq!(interview.document, new.interview_document);

    // The database cannot be read without the key.
    let without = find(given.store.clone()).await;
    assert!(
        matches!(without, Err(StoreError::Corrupt(_))),
        "{without:?}"
    );
    let with_another = find(given.replica_with_keys(TWO).await).await;
    assert!(matches!(with_another, Err(StoreError::Corrupt(_))));
    store.close().await;
}

pub(super) async fn a_start_without_a_needed_data_key_is_noticed(given: &Given) {
    let settle = async |keys: &str| {
        let store = given.replica_with_keys(keys).await;
        let missing = store.settle_data_keys(at(0)).await.unwrap();
        store.close().await;
        missing
    };
    assert_eq!(settle("").await, Vec::<String>::new());
    assert_eq!(settle(ONE).await, Vec::<String>::new());
    assert_eq!(settle(ONE).await, Vec::<String>::new());
    let one = DataKeys::parse(ONE).unwrap();
    let needed = [one.current_id().unwrap().to_owned()];
    assert_eq!(settle("").await, needed);
    assert_eq!(settle(TWO).await, needed);
    assert_eq!(settle(&format!("{TWO},{ONE}")).await, Vec::<String>::new());
    assert_eq!(settle(ONE).await.len(), 1, "the second key is needed now");
}

pub(super) async fn the_secret_of_one_time_codes_is_sealed_and_sealed_anew(given: &Given) {
    let tenant = given.tenant("Acme").await;
    let new = NewAccount {
        id: AccountId(fresh_id()),
        tenant,
        email: "ada@acme.example".to_owned(),
        role: Role::Owner,
        operator: false,
        created_at: at(0),
    };
    let id = given.store.create_account(new, "cli").await.unwrap().id;
    let secret = Some("GEZDGNBVGY3TQOJQ".to_owned());
    let one = given.replica_with_keys(ONE).await;
    one.set_totp(id, secret.clone(), "ada", at(1))
        .await
        .unwrap();
    assert_eq!(one.totp_secret(id).await.unwrap(), secret);
    let without = given.store.totp_secret(id).await;
    assert!(
        matches!(without, Err(StoreError::Corrupt(_))),
        "{without:?}"
    );
    let account = given.store.find_account("ada@acme.example").await.unwrap();
    assert!(account.unwrap().has_codes, "known without the key");

    let both = given.replica_with_keys(&format!("{TWO},{ONE}")).await;
    assert_eq!(both.retire_data_keys().await.unwrap(), 1);
    assert_eq!(both.reseal_codes().await.unwrap(), 1);
    assert_eq!(both.reseal_codes().await.unwrap(), 0);
    assert_eq!(both.retire_data_keys().await.unwrap(), 0);
    let two = given.replica_with_keys(TWO).await;
    assert_eq!(two.totp_secret(id).await.unwrap(), secret);
    two.set_totp(id, None, "ada", at(2)).await.unwrap();
    assert_eq!(given.store.totp_secret(id).await.unwrap(), None);
    for store in [one, both, two] {
        store.close().await;
    }
}

pub(super) async fn the_secrets_of_a_webhook_are_sealed_and_sealed_anew(given: &Given) {
    let tenant = given.tenant("Acme").await;
    // Written by an older version: not encrypted.
    let webhook = register(given, tenant).await;
    announced(given, tenant, 1).await;
    let one = given.replica_with_keys(ONE).await;
    let secrets = async |store: &std::sync::Arc<dyn Store>, now| {
        let claimed = store.claim_deliveries(claim(at(now), 1)).await;
        claimed.map(|claimed| claimed[0].secrets.clone())
    };
    assert_eq!(secrets(&one, 10).await.unwrap(), [b"first"]);
    let rotated = one.rotate_webhook_secret(
        tenant,
        webhook,
        b"second".to_vec(),
        at(5000),
        "key 1",
        at(1),
    );
    rotated.await.unwrap();
    let both_secrets = [b"second".to_vec(), b"first".to_vec()];
    assert_eq!(secrets(&one, 100).await.unwrap(), both_secrets);
    let without = secrets(&given.store, 200).await;
    assert!(
        matches!(without, Err(StoreError::Corrupt(_))),
        "{without:?}"
    );
    let both = given.replica_with_keys(&format!("{TWO},{ONE}")).await;
    // The other two are the assessment and the interview of the event, which are not encrypted.
    assert_eq!(both.retire_data_keys().await.unwrap(), 3);
    assert_eq!(both.reseal_webhook_secrets().await.unwrap(), 1);
    assert_eq!(both.reseal_webhook_secrets().await.unwrap(), 0);
    assert_eq!(both.retire_data_keys().await.unwrap(), 2);
    let two = given.replica_with_keys(TWO).await;
    assert_eq!(secrets(&two, 300).await.unwrap(), both_secrets);
    for store in [one, both, two] {
        store.close().await;
    }
}

pub(super) async fn everything_is_sealed_anew_under_another_key(given: &Given) {
    let caller = given.caller("Acme").await;
    let plain = new_assessment(caller);
    given.store.record_assessment(plain.clone()).await.unwrap();
    let before = given.replica_with_keys(ONE).await;
    before.settle_data_keys(at(0)).await.unwrap();
    let sealed = new_assessment(caller);
    before.record_assessment(sealed.clone()).await.unwrap();

    let both = given.replica_with_keys(&format!("{TWO},{ONE}")).await;
    both.settle_data_keys(at(0)).await.unwrap();
    assert_eq!(both.retire_data_keys().await.unwrap(), 4);
    let step = both.reseal_assessments(None).await.unwrap();
    assert_eq!(step.resealed, 2);
    let end = both.reseal_assessments(step.last).await.unwrap();
    assert_eq!(end, Resealed::default());
    assert_eq!(both.reseal_interviews().await.unwrap(), 2);
    assert_eq!(both.reseal_interviews().await.unwrap(), 0);
    assert_eq!(both.reseal_assessments(None).await.unwrap().resealed, 0);
    assert_eq!(both.retire_data_keys().await.unwrap(), 0);

    let after = given.replica_with_keys(TWO).await;
    assert_eq!(after.settle_data_keys(at(0)).await.unwrap().len(), 0);
    for new in [plain, sealed] {
        let found = after.find_assessment(caller.0, LIVE, new.assessment_id);
        assert_eq!(found.await.unwrap().unwrap().document, new.document);
        let kept = after.load_interview(caller.0, LIVE, new.interview_id, at(1));
        let kept = kept.await.unwrap().unwrap();
        assert_eq!(kept.document, new.interview_document);
    }
    for store in [before, both, after] {
        store.close().await;
    }
}
