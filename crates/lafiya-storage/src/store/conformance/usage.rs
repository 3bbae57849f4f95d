//! What is counted and what is not.

use jiff::civil::date;
use lafiya_model::{Environment, TenantId, Tier, TriageLevel};

use super::given::{Given, TODAY, condition, event, fresh_id, new_assessment, next_turn};
use crate::store::*;

async fn today(given: &Given, tenant: TenantId) -> UsageReport {
    given.store.usage(tenant, TODAY, TODAY).await.unwrap()
}

pub(super) async fn an_interview_is_counted_once_under_its_last_level_and_condition(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let first = new_assessment(caller);
    store.record_assessment(first.clone()).await.unwrap();
    let mut second = next_turn(&first);
    second.level = TriageLevel::Emergency;
    second.top_condition = condition("c_meningitis");
    // The interview continues after midnight, but is counted on its first day.
    second.lagos_date = TODAY.tomorrow().unwrap();
    store.record_assessment(second.clone()).await.unwrap();
    let mut third = next_turn(&second);
    third.level = TriageLevel::Urgent;
    store.record_assessment(third.clone()).await.unwrap();

    let report = today(given, caller.0).await;
    assert_eq!(report.total, 1);
    assert_eq!(report.by_level, [(TriageLevel::Urgent, 1)].into());
    assert_eq!(report.by_day, [(TODAY, 1)].into());
    assert_eq!(report.months, [("2026-11".to_owned(), 1)].into());
    let top = ConditionCount {
        id: "c_meningitis".to_owned(),
        name: "Name of c_meningitis".to_owned(),
        count: 1,
    };
    assert_eq!(report.top_conditions, [top]);

    let mut fourth = next_turn(&third);
    fourth.top_condition = None;
    store.record_assessment(fourth).await.unwrap();
    assert_eq!(today(given, caller.0).await.top_conditions, []);
    let other = given.tenant("Other").await;
    assert_eq!(today(given, other).await, UsageReport::default());
}

pub(super) async fn the_sandbox_and_the_unbillable_are_not_counted(given: &Given) {
    let caller = given.caller("Acme").await;
    let used_up = QuotaRule {
        limit: Some(0),
        beyond: BeyondQuota::Refused,
    };
    let sandbox = RecordAssessment {
        environment: Environment::Test,
        quota: used_up,
        ..new_assessment(caller)
    };
    let free = RecordAssessment {
        billable: false,
        quota: used_up,
        ..new_assessment(caller)
    };
    for first in [sandbox, free] {
        let second = next_turn(&first);
        for turn in [first, second] {
            let recorded = given.store.record_assessment(turn).await.unwrap();
            assert_eq!((recorded.used, recorded.crossed), (None, None));
        }
    }
    assert_eq!(today(given, caller.0).await, UsageReport::default());
}

pub(super) async fn an_interview_first_free_is_counted_when_it_becomes_billable(given: &Given) {
    let caller = given.caller("Acme").await;
    let mut free = new_assessment(caller);
    free.billable = false;
    given.store.record_assessment(free.clone()).await.unwrap();
    let mut billable = next_turn(&free);
    billable.billable = true;
    let recorded = given.store.record_assessment(billable).await.unwrap();
    assert_eq!(recorded.used, Some(1));
    assert_eq!(today(given, caller.0).await.total, 1);
}

pub(super) async fn a_used_up_quota_refuses_or_goes_on_as_the_rule_says(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let with_quota = |limit, beyond| RecordAssessment {
        quota: QuotaRule { limit, beyond },
        ..new_assessment(caller)
    };
    let first = with_quota(Some(2), BeyondQuota::Refused);
    store.record_assessment(first.clone()).await.unwrap();
    store
        .record_assessment(with_quota(Some(2), BeyondQuota::Refused))
        .await
        .unwrap();
    for (limit, used) in [(2, 2), (1, 2), (0, 0)] {
        let refused = store
            .record_assessment(with_quota(Some(limit), BeyondQuota::Refused))
            .await;
        let Err(RecordRefusal::QuotaExceeded { limit: l, used: u }) = refused else {
            panic!("quota {limit}: {refused:?}");
        };
        assert_eq!((l, u), (limit, used));
    }
    let further = next_turn(&first);
    store.record_assessment(further).await.unwrap();

    let beyond = store
        .record_assessment(with_quota(Some(2), BeyondQuota::Billed))
        .await;
    assert_eq!(beyond.unwrap().used, Some(3));
    let unlimited = store
        .record_assessment(with_quota(None, BeyondQuota::Refused))
        .await;
    assert_eq!(unlimited.unwrap().used, Some(4));

    let mut next_month = with_quota(Some(2), BeyondQuota::Refused);
    next_month.lagos_date = date(2026, 12, 1);
    let recorded = store.record_assessment(next_month).await.unwrap();
    assert_eq!(recorded.used, Some(1));
    let december = Month::from(date(2026, 12, 31));
    assert_eq!(store.usage_this_month(caller.0, december).await.unwrap(), 1);
    let january = Month::from(date(2027, 1, 1));
    assert_eq!(store.usage_this_month(caller.0, january).await.unwrap(), 0);
}

pub(super) async fn interviews_answered_beyond_the_quota_are_counted_as_over_quota(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let answered = || RecordAssessment {
        quota: QuotaRule {
            limit: Some(1),
            beyond: BeyondQuota::Answered,
        },
        ..new_assessment(caller)
    };
    store.record_assessment(answered()).await.unwrap();
    assert_eq!(today(given, caller.0).await.over_quota, 0);
    let over = answered();
    store.record_assessment(over.clone()).await.unwrap();
    // A further turn is the same interview, and the sandbox has no quota.
    store.record_assessment(next_turn(&over)).await.unwrap();
    let sandbox = RecordAssessment {
        environment: Environment::Test,
        ..answered()
    };
    store.record_assessment(sandbox).await.unwrap();
    let none_included = RecordAssessment {
        quota: QuotaRule {
            limit: Some(0),
            beyond: BeyondQuota::Answered,
        },
        ..new_assessment(caller)
    };
    store.record_assessment(none_included).await.unwrap();
    let report = today(given, caller.0).await;
    assert_eq!((report.total, report.over_quota), (3, 2));
    let refused = RecordAssessment {
        quota: QuotaRule {
            limit: Some(1),
            beyond: BeyondQuota::Refused,
        },
        ..new_assessment(caller)
    };
    let refused = store.record_assessment(refused).await;
    let is_refused = matches!(
        refused,
        Err(RecordRefusal::QuotaExceeded { limit: 1, used: 3 })
    );
    assert!(is_refused, "{refused:?}");
    let tomorrow = TODAY.tomorrow().unwrap();
    let report = store.usage(caller.0, tomorrow, tomorrow).await.unwrap();
    assert_eq!(report.over_quota, 0);
}

pub(super) async fn thresholds_are_announced_once_a_month(given: &Given) {
    let caller = given.caller("Acme").await;
    let notice = ThresholdNotice {
        tier: Tier::Pilot,
        event: |_| event("usage.threshold_reached"),
    };
    let mut crossed = Vec::new();
    for _ in 0..12 {
        let recorded = given
            .store
            .record_assessment(RecordAssessment {
                quota: QuotaRule {
                    limit: Some(10),
                    beyond: BeyondQuota::Billed,
                },
                threshold_notice: Some(notice),
                ..new_assessment(caller)
            })
            .await
            .unwrap();
        crossed.push(recorded.crossed);
    }
    let mut expected = vec![None; 12];
    expected[7] = Some(80);
    expected[9] = Some(100);
    assert_eq!(crossed, expected);

    let both_at_once = given.caller("Other").await;
    let mut only = new_assessment(both_at_once);
    only.quota.limit = Some(1);
    let recorded = given.store.record_assessment(only).await.unwrap();
    assert_eq!(recorded.crossed, Some(100));
}

pub(super) async fn a_report_covers_its_days_and_names_ten_conditions(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    for (day, conditions) in [(1, 1), (2, 12), (3, 2), (4, 1)] {
        for number in 0..conditions {
            let mut new = new_assessment(caller);
            new.lagos_date = date(2026, 11, day);
            new.top_condition = condition(&format!("c_{number:02}"));
            store.record_assessment(new).await.unwrap();
        }
    }
    let (from, to) = (date(2026, 11, 2), date(2026, 11, 3));
    let report = store.usage(caller.0, from, to).await.unwrap();
    assert_eq!(report.total, 14);
    assert_eq!(report.by_day, [(from, 12), (to, 2)].into());
    assert_eq!(report.months, [("2026-11".to_owned(), 16)].into());
    let top: Vec<(&str, u64)> = report
        .top_conditions
        .iter()
        .map(|one| (one.id.as_str(), one.count))
        .collect();
    assert_eq!(top.len(), TOP_CONDITIONS_MAX);
    assert_eq!(top[..3], [("c_00", 2), ("c_01", 2), ("c_02", 1)]);
    let nobody = TenantId(fresh_id());
    let empty = store.usage(nobody, from, to).await.unwrap();
    assert_eq!(empty, UsageReport::default());
}

pub(super) async fn what_was_counted_earlier_in_the_month_is_told_apart(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    for (month, day) in [(10, 31), (11, 1), (11, 1), (11, 9), (11, 10), (12, 1)] {
        let mut new = new_assessment(caller);
        new.lagos_date = date(2026, month, day);
        store.record_assessment(new).await.unwrap();
    }
    let earlier = async |month, day| {
        let report = store.usage(caller.0, date(2026, month, day), date(2026, 12, 31));
        report.await.unwrap().earlier_in_month
    };
    assert_eq!(earlier(11, 1).await, 0);
    assert_eq!(earlier(11, 2).await, 2);
    assert_eq!(earlier(11, 10).await, 3);
    assert_eq!(earlier(12, 1).await, 0);
}
