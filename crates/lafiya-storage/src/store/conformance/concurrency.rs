//! Concurrency over two replicas: what must happen once happens once, and concurrent work does not
//! deadlock.

use std::sync::Arc;

use lafiya_model::{AccountId, Role};
use tokio::task::JoinSet;

use super::given::{Given, TODAY, at, event, fresh_id, new_assessment, new_key, next_turn};
use super::webhooks::register;
use crate::store::*;

type Outcome = Result<Recorded, RecordRefusal>;

/// Records all at once, alternating between two replicas.
async fn record_all(given: &Given, records: Vec<RecordAssessment>) -> Vec<Outcome> {
    let replica = given.replica().await;
    let mut running = JoinSet::new();
    for (number, record) in records.into_iter().enumerate() {
        let replicas = [&given.store, &replica];
        let store = Arc::clone(replicas[number % 2]);
        running.spawn(async move { store.record_assessment(record).await });
    }
    let outcomes = running.join_all().await;
    replica.close().await;
    outcomes
}

fn succeeded(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.is_ok()).count()
}

pub(super) async fn the_last_of_a_quota_are_given_out_exactly(given: &Given) {
    let caller = given.caller("Acme").await;
    let with_quota = || RecordAssessment {
        quota: QuotaRule {
            limit: Some(15),
            beyond: BeyondQuota::Refused,
        },
        ..new_assessment(caller)
    };
    for _ in 0..5 {
        given.store.record_assessment(with_quota()).await.unwrap();
    }
    let records = (0..200).map(|_| with_quota()).collect();
    let outcomes = record_all(given, records).await;
    assert_eq!(succeeded(&outcomes), 10);
    for refused in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        let used_up = matches!(
            refused,
            RecordRefusal::QuotaExceeded {
                limit: 15,
                used: 15
            }
        );
        assert!(used_up, "{refused:?}");
    }
    let month = Month::from(TODAY);
    let used = given.store.usage_this_month(caller.0, month).await;
    assert_eq!(used.unwrap(), 15);
    let report = given.store.usage(caller.0, TODAY, TODAY).await.unwrap();
    assert_eq!(report.total, 15);
}

pub(super) async fn of_many_rotations_one_succeeds(given: &Given) {
    let (tenant, old) = given.caller("Acme").await;
    let replica = given.replica().await;
    let mut running = JoinSet::new();
    for number in 0..20 {
        let store = Arc::clone([&given.store, &replica][number % 2]);
        running.spawn(async move { store.rotate_key(old, new_key(tenant), "cli", at(1)).await });
    }
    let outcomes = running.join_all().await;
    let rotated = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(rotated, 1);
    for refused in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert!(matches!(refused, StoreError::Conflict), "{refused:?}");
    }
    assert_eq!(given.store.list_keys(Some(tenant)).await.unwrap().len(), 2);
    replica.close().await;
}

pub(super) async fn of_many_attempts_at_once_only_the_bound_is_taken(given: &Given) {
    let tenant = given.tenant("Acme").await;
    let account = NewAccount {
        id: AccountId(fresh_id()),
        tenant,
        email: "ada@acme.example".to_owned(),
        role: Role::Owner,
        operator: false,
        created_at: at(0),
    };
    let account = given.store.create_account(account, "cli").await.unwrap().id;
    let replica = given.replica().await;
    let bounds = |address: usize| {
        let bound = |source: String, limit| AttemptBound {
            source,
            limit,
            ends_at: at(900),
        };
        vec![
            bound(format!("address:{address}"), 5),
            bound("any".to_owned(), 12),
        ]
    };
    let mut running = JoinSet::new();
    for number in 0..100 {
        let store = Arc::clone([&given.store, &replica][number % 2]);
        let bounds = bounds(number % 4);
        running.spawn(async move { store.take_attempt(account, bounds, at(1)).await });
    }
    let taken = running.join_all().await;
    let taken = taken.into_iter().filter(|taken| *taken.as_ref().unwrap());
    assert_eq!(taken.count(), 12);
    replica.close().await;
}

pub(super) async fn of_many_same_turns_one_succeeds(given: &Given) {
    let caller = given.caller("Acme").await;
    let first = new_assessment(caller);
    let same = |before: &RecordAssessment| (0..20).map(|_| next_turn(before)).collect::<Vec<_>>();
    let begin: Vec<RecordAssessment> = same(&first)
        .into_iter()
        .map(|turn| RecordAssessment { turn: 1, ..turn })
        .collect();
    for turns in [begin, same(&first)] {
        let outcomes = record_all(given, turns).await;
        assert_eq!(succeeded(&outcomes), 1);
        for refused in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
            let moved = matches!(refused, RecordRefusal::InterviewMoved);
            assert!(moved, "{refused:?}");
        }
    }
    let report = given.store.usage(caller.0, TODAY, TODAY).await.unwrap();
    assert_eq!(report.total, 1);
}

pub(super) async fn of_many_same_idempotency_keys_one_succeeds(given: &Given) {
    let caller = given.caller("Acme").await;
    let records = (0..20)
        .map(|_| RecordAssessment {
            idempotency: Some(IdempotencyRecord {
                key_text: "retry-1".to_owned(),
                body_digest: [1; 32],
                expires_at: at(60),
            }),
            ..new_assessment(caller)
        })
        .collect();
    let outcomes = record_all(given, records).await;
    assert_eq!(succeeded(&outcomes), 1);
    for refused in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        let conflict = matches!(refused, RecordRefusal::IdempotencyConflict);
        assert!(conflict, "{refused:?}");
    }
}

pub(super) async fn one_that_fails_in_a_group_fails_alone(given: &Given) {
    let caller = given.caller("Acme").await;
    register(given, caller.0).await;
    let taken = event("assessment.completed");
    let mut first = new_assessment(caller);
    first.events = vec![taken.clone()];
    given.store.record_assessment(first).await.unwrap();

    // Every fifth recording fails at its last statement, after everything else was written.
    let records = (0..100)
        .map(|number| {
            let mut new = new_assessment(caller);
            if number % 5 == 0 {
                new.events = vec![taken.clone()];
            }
            new
        })
        .collect();
    let outcomes = record_all(given, records).await;
    assert_eq!(succeeded(&outcomes), 80);
    for refused in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        let conflict = matches!(refused, RecordRefusal::Store(StoreError::Conflict));
        assert!(conflict, "{refused:?}");
    }
    let report = given.store.usage(caller.0, TODAY, TODAY).await.unwrap();
    assert_eq!(report.total, 81);
    assert_eq!(report.months["2026-11"], 81);
}

pub(super) async fn many_tenants_at_once_wait_in_no_circle(given: &Given) {
    let mut callers = Vec::new();
    for number in 0..6 {
        callers.push(given.caller(&format!("Tenant {number}")).await);
    }
    let records = (0..240)
        .map(|number| new_assessment(callers[(number * 5) % callers.len()]))
        .collect();
    let outcomes = record_all(given, records).await;
    assert_eq!(succeeded(&outcomes), 240, "{outcomes:?}");
    for (tenant, _) in callers {
        let report = given.store.usage(tenant, TODAY, TODAY).await.unwrap();
        assert_eq!(report.total, 40);
    }
}

pub(super) async fn thresholds_are_announced_once_among_replicas(given: &Given) {
    let caller = given.caller("Acme").await;
    let records = (0..50)
        .map(|_| RecordAssessment {
            quota: QuotaRule {
                limit: Some(50),
                beyond: BeyondQuota::Refused,
            },
            ..new_assessment(caller)
        })
        .collect();
    let outcomes = record_all(given, records).await;
    let mut crossed: Vec<u8> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().ok()?.crossed)
        .collect();
    crossed.sort_unstable();
    assert_eq!(crossed, [80, 100]);
}
