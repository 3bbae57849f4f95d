//! Recording assessments and reading them back.

use jiff::SignedDuration;
use lafiya_model::{AssessmentId, Environment, KeyId, TenantId, TriageLevel};

use super::given::{
    Given, at, condition, event, fresh_digest, fresh_id, new_assessment, next_turn,
};
use crate::store::*;

const LIVE: Environment = Environment::Live;

pub(super) async fn an_assessment_reads_back_as_recorded(given: &Given) {
    let caller = given.caller("Acme").await;
    let mut new = new_assessment(caller);
    new.document = vec![0, 159, 146, 150, 255].into();
    new.level = TriageLevel::Emergency;
    new.events = vec![event("assessment.completed"), event("assessment.completed")];
    let recorded = given.store.record_assessment(new.clone()).await.unwrap();
    assert_eq!(recorded.used, Some(1));

    let found = given
        .store
        .find_assessment(caller.0, LIVE, new.assessment_id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.document, new.document);
    let summary = AssessmentSummary {
        assessment_id: new.assessment_id,
        key: new.key,
        interview_id: new.interview_id,
        turn: 1,
        created_at: new.created_at,
        level: TriageLevel::Emergency,
        top_condition: condition("c_malaria"),
        supersedes: None,
        superseded_by: None,
    };
    assert_eq!(found.summary, summary);
    let listed = given.store.list_assessments(caller.0, LIVE, 10, None);
    assert_eq!(listed.await.unwrap(), [summary]);
}

pub(super) async fn nothing_is_seen_by_another_tenant_or_environment(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let other = given.caller("Other").await;
    let new = new_assessment(caller);
    store.record_assessment(new.clone()).await.unwrap();
    for (tenant, environment) in [(other.0, LIVE), (caller.0, Environment::Test)] {
        let found = store
            .find_assessment(tenant, environment, new.assessment_id)
            .await;
        assert_eq!(found.unwrap(), None);
        let interview = store
            .load_interview(tenant, environment, new.interview_id, at(0))
            .await;
        assert_eq!(interview.unwrap(), None);
        let listed = store.list_assessments(tenant, environment, 10, None).await;
        assert_eq!(listed.unwrap(), []);
    }
    // The same interview id belongs to a different interview for another tenant.
    let mut theirs = new_assessment(other);
    theirs.interview_id = new.interview_id;
    store.record_assessment(theirs).await.unwrap();
}

pub(super) async fn an_interview_goes_on_turn_by_turn(given: &Given) {
    for new_interview in [false, true] {
        check_turns(given, new_interview).await;
    }
}

/// Checks that turns behave the same whether or not the first turn is flagged as starting the
/// interview.
async fn check_turns(given: &Given, new_interview: bool) {
    let store = &given.store;
    let caller = given.caller(&format!("Acme {new_interview}")).await;
    let mut first = new_assessment(caller);
    first.new_interview = new_interview;
    store.record_assessment(first.clone()).await.unwrap();
    let mut second = next_turn(&first);
    second.new_interview = false;
    second.created_at = at(600);
    second.interview_document = b"more is known".as_slice().into();
    let recorded = store.record_assessment(second.clone()).await.unwrap();
    assert_eq!(recorded.used, None, "a further turn is free");

    let interview = store
        .load_interview(caller.0, LIVE, first.interview_id, at(700))
        .await
        .unwrap()
        .unwrap();
    let expected = StoredInterview {
        turn: 2,
        document: b"more is known".to_vec(),
        last_assessment_id: second.assessment_id,
        last_request_digest: second.request_digest,
        billed: true,
        expires_at: at(0) + INTERVIEW_LIFE,
    };
    assert_eq!(interview, expected);
}

pub(super) async fn what_is_replaced_says_by_what_and_stays_as_it_was(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let first = new_assessment(caller);
    let second = next_turn(&first);
    let mut corrected = new_assessment(caller);
    corrected.corrects = Some(second.assessment_id);
    let other = new_assessment(given.caller("Other").await);
    // Another tenant can say what it likes.
    let mut stranger = new_assessment((other.tenant, other.key));
    stranger.corrects = Some(corrected.assessment_id);
    let chain = [&first, &second, &corrected];
    for new in chain.into_iter().chain([&other, &stranger]) {
        store.record_assessment(new.clone()).await.unwrap();
    }
    for (place, new) in chain.iter().enumerate() {
        let found = store
            .find_assessment(caller.0, LIVE, new.assessment_id)
            .await
            .unwrap()
            .unwrap();
        let id = |record_assessment: &&RecordAssessment| record_assessment.assessment_id;
        let before = place.checked_sub(1).map(|place| id(&chain[place]));
        assert_eq!(found.summary.supersedes, before, "{place}");
        assert_eq!(found.summary.superseded_by, chain.get(place + 1).map(id));
        assert_eq!(found.document, new.document, "{place}");
        let newest = store.newest_after(caller.0, LIVE, new.assessment_id).await;
        assert_eq!(newest.unwrap(), corrected.assessment_id, "{place}");
    }
    let strange = store.newest_after(other.tenant, LIVE, first.assessment_id);
    assert_eq!(strange.await.unwrap(), first.assessment_id);
}

pub(super) async fn a_turn_out_of_order_is_refused_and_leaves_nothing(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let first = new_assessment(caller);
    store.record_assessment(first.clone()).await.unwrap();
    let mut again = next_turn(&first);
    again.turn = 1;
    let mut skipped = next_turn(&first);
    skipped.turn = 3;
    let mut never_begun = new_assessment(caller);
    never_begun.turn = 2;
    for mut new in [again, skipped, never_begun] {
        new.events = vec![event("assessment.completed")];
        new.idempotency = Some(IdempotencyRecord {
            key_text: "once".to_owned(),
            body_digest: [1; 32],
            expires_at: at(100),
        });
        let id = new.assessment_id;
        let refused = store.record_assessment(new).await;
        let moved = matches!(refused, Err(RecordRefusal::InterviewMoved));
        assert!(moved, "{refused:?}");
        let found = store.find_assessment(caller.0, LIVE, id).await.unwrap();
        assert_eq!(found, None);
    }
    let hit = store
        .find_idempotent(caller.1, "once", at(0))
        .await
        .unwrap();
    assert_eq!(hit, None, "a refused call does not take its key");
    let interview = store.load_interview(caller.0, LIVE, first.interview_id, at(0));
    assert_eq!(interview.await.unwrap().unwrap().turn, 1);
}

pub(super) async fn an_interview_ends_after_a_day_and_can_begin_anew(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let first = new_assessment(caller);
    store.record_assessment(first.clone()).await.unwrap();
    let over = at(0) + INTERVIEW_LIFE;
    let just_before = over - SignedDuration::from_millis(1);

    let load = |now| store.load_interview(caller.0, LIVE, first.interview_id, now);
    assert!(load(just_before).await.unwrap().is_some());
    assert!(load(over).await.unwrap().is_none());

    let mut late = next_turn(&first);
    late.created_at = over;
    let refused = store.record_assessment(late.clone()).await;
    let moved = matches!(refused, Err(RecordRefusal::InterviewMoved));
    assert!(moved, "{refused:?}");
    late.turn = 1;
    let recorded = store.record_assessment(late).await.unwrap();
    assert_eq!(recorded.used, Some(2), "a new interview is billed");
    let interview = load(over).await.unwrap().unwrap();
    assert_eq!(interview.expires_at, over + INTERVIEW_LIFE);
}

pub(super) async fn an_idempotency_key_is_taken_once_while_it_lives(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let other_key = given.key(caller.0).await;
    let with_key = |key: KeyId, now| RecordAssessment {
        created_at: now,
        idempotency: Some(IdempotencyRecord {
            key_text: "retry-1".to_owned(),
            body_digest: fresh_digest(),
            expires_at: now + INTERVIEW_LIFE,
        }),
        ..new_assessment((caller.0, key))
    };
    let first = with_key(caller.1, at(0));
    store.record_assessment(first.clone()).await.unwrap();
    let hit = store
        .find_idempotent(caller.1, "retry-1", at(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(hit.assessment_id, first.assessment_id);
    assert_eq!(hit.body_digest, first.idempotency.unwrap().body_digest);

    let refused = store.record_assessment(with_key(caller.1, at(5))).await;
    let conflict = matches!(refused, Err(RecordRefusal::IdempotencyConflict));
    assert!(conflict, "{refused:?}");
    assert_eq!(
        store
            .usage_this_month(caller.0, Month::from(first.lagos_date))
            .await
            .unwrap(),
        1
    );

    store
        .record_assessment(with_key(other_key, at(5)))
        .await
        .unwrap();
    let over = at(0) + INTERVIEW_LIFE;
    let hit = store.find_idempotent(caller.1, "retry-1", over).await;
    assert_eq!(hit.unwrap(), None);
    let anew = with_key(caller.1, over);
    store.record_assessment(anew.clone()).await.unwrap();
    let hit = store.find_idempotent(caller.1, "retry-1", over).await;
    assert_eq!(hit.unwrap().unwrap().assessment_id, anew.assessment_id);
}

pub(super) async fn pages_follow_one_another_without_gap_or_overlap(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let mut all: Vec<AssessmentId> = Vec::new();
    for number in 0..7 {
        let mut new = new_assessment(caller);
        // Several assessments have the same timestamp; then the id determines the order.
        new.created_at = at(number / 3);
        all.push(new.assessment_id);
        store.record_assessment(new).await.unwrap();
    }
    all.reverse();
    let mut paged = Vec::new();
    loop {
        let page = store
            .list_assessments(caller.0, LIVE, 2, paged.last().copied())
            .await
            .unwrap();
        if page.is_empty() {
            break;
        }
        paged.extend(page.iter().map(|summary| summary.assessment_id));
    }
    assert_eq!(paged, all);
    let unknown = Some(AssessmentId(fresh_id()));
    let page = store.list_assessments(caller.0, LIVE, 2, unknown).await;
    assert_eq!(page.unwrap(), []);
}

pub(super) async fn an_id_is_used_once(given: &Given) {
    let caller = given.caller("Acme").await;
    let first = new_assessment(caller);
    given.store.record_assessment(first.clone()).await.unwrap();
    let mut twin = new_assessment(caller);
    twin.assessment_id = first.assessment_id;
    let refused = given.store.record_assessment(twin).await;
    let conflict = matches!(refused, Err(RecordRefusal::Store(StoreError::Conflict)));
    assert!(conflict, "{refused:?}");
}

pub(super) async fn an_unknown_tenant_or_key_records_nothing(given: &Given) {
    let (tenant, key) = given.caller("Acme").await;
    for caller in [(TenantId(fresh_id()), key), (tenant, KeyId(fresh_id()))] {
        let refused = given.store.record_assessment(new_assessment(caller)).await;
        let unknown = matches!(refused, Err(RecordRefusal::Store(StoreError::NotFound)));
        assert!(unknown, "{refused:?}");
    }
}
