//! Export and erasure of a tenant's data.

use lafiya_model::Environment;

use super::given::{Given, TODAY, at, event, fresh_id, new_assessment, new_key, next_turn};
use crate::store::*;

const LIVE: Environment = Environment::Live;

pub(super) async fn a_tenant_takes_everything_away_and_nothing_of_others(given: &Given) {
    let store = &given.store;
    let ours = given.caller("Ours").await;
    let theirs = given.caller("Theirs").await;
    let first = new_assessment(ours);
    let second = next_turn(&first);
    let sandbox = RecordAssessment {
        environment: Environment::Test,
        ..new_assessment(ours)
    };
    for new in [&first, &second, &sandbox, &new_assessment(theirs)] {
        store.record_assessment(new.clone()).await.unwrap();
    }
    let live = store.export_assessments(ours.0, LIVE, None).await.unwrap();
    assert_eq!(live.len(), 2);
    assert!(live.iter().all(|one| one.document == first.document));
    let last = live.last().map(|one| one.summary.assessment_id);
    let after = store.export_assessments(ours.0, LIVE, last).await.unwrap();
    assert_eq!(after, []);
    let test = store.export_assessments(ours.0, Environment::Test, None);
    assert_eq!(test.await.unwrap().len(), 1);

    let interviews = store.export_interviews(ours.0, LIVE, None).await.unwrap();
    let [interview] = interviews.as_slice() else {
        panic!("{interviews:?}");
    };
    assert_eq!((interview.id, interview.turn), (first.interview_id, 2));
    assert_eq!(interview.document, first.interview_document);
    let after = store.export_interviews(ours.0, LIVE, Some(interview.id));
    assert_eq!(after.await.unwrap(), []);
}

pub(super) async fn an_erased_tenant_leaves_nothing_but_the_log(given: &Given) {
    let store = &given.store;
    let ours = given.caller("Ours").await;
    let theirs = given.caller("Theirs").await;
    store
        .rotate_key(ours.1, new_key(ours.0), "cli", at(1))
        .await
        .unwrap();
    for caller in [ours, theirs] {
        let mut new = new_assessment(caller);
        new.quota.limit = Some(1);
        new.events = vec![event("assessment.completed")];
        new.idempotency = Some(IdempotencyRecord {
            key_text: "once".to_owned(),
            body_digest: [1; 32],
            expires_at: at(60),
        });
        store.record_assessment(new).await.unwrap();
    }
    let mut steps = 0;
    while !store
        .erase_tenant(ours.0, "cli", at(2))
        .await
        .unwrap()
        .complete
    {
        steps += 1;
        assert!(steps < 10, "the erasure does not end");
    }
    assert!(store.find_tenant(ours.0).await.unwrap().is_none());
    assert_eq!(store.list_keys(Some(ours.0)).await.unwrap(), []);
    let live = store.export_assessments(ours.0, LIVE, None).await.unwrap();
    assert_eq!(live, []);
    let report = store.usage(ours.0, TODAY, TODAY).await.unwrap();
    assert_eq!(report, UsageReport::default());
    let late = store.record_assessment(new_assessment(ours)).await;
    assert!(late.is_err(), "recorded for a tenant that is gone");
    let again = store.erase_tenant(ours.0, "cli", at(3)).await;
    assert!(matches!(again, Err(StoreError::NotFound)), "{again:?}");

    let acts = store.list_audit(Some(ours.0), 100).await.unwrap();
    let actions: Vec<&str> = acts.iter().map(|act| act.action.as_str()).collect();
    let expected = ["tenant.erase", "tenant.erase_begun", "key.rotate"];
    assert_eq!(actions[..3], expected);

    // The name can be used again, and the other tenant has lost nothing.
    given.tenant("Ours").await;
    let report = store.usage(theirs.0, TODAY, TODAY).await.unwrap();
    assert_eq!(report.total, 1);
    let live = store.export_assessments(theirs.0, LIVE, None);
    assert_eq!(live.await.unwrap().len(), 1);
}

pub(super) async fn the_log_of_acts_cannot_be_changed_or_shortened(given: &Given) {
    let tenant = given.tenant("Acme").await;
    let act = NewAct {
        at: at(1),
        actor: "cli:ada".to_owned(),
        action: "tenant.export",
        tenant: Some(tenant),
        subject: fresh_id().to_string(),
        detail: "{}".to_owned(),
    };
    given.store.log_act(act.clone()).await.unwrap();
    assert!(
        !given
            .behind_its_back("update audit_log set actor = 'nobody'")
            .await
    );
    assert!(!given.behind_its_back("delete from audit_log").await);
    let acts = given.store.list_audit(Some(tenant), 10).await.unwrap();
    assert_eq!(acts.len(), 2);
    assert_eq!(acts[0].actor, act.actor);
    assert_eq!(acts[0].action, act.action);
}
