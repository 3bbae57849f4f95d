//! The cost of a report depends on its days, not on the number of assessments.

use std::time::{Duration, Instant};

use jiff::civil::date;
use lafiya_model::TenantId;

use super::given::Given;
use crate::store::*;

/// A year of equal counts for two tenants; then their assessments, which differ in number.
const SQLITE: &[&str] = &[
    "with recursive n(i) as (select 0 union all select i + 1 from n where i < 1463)
     insert into usage_day (tenant, date, level, count)
     select tenant.id, date('2026-01-01', '+' || (n.i / 4) || ' days'),
         case n.i % 4 when 0 then 'emergency' when 1 then 'urgent' when 2 then 'routine'
             else 'self-care' end, 1 + n.i % 7
     from n, tenant",
    "with recursive n(i) as (select 0 union all select i + 1 from n where i < 10949)
     insert into usage_condition_day (tenant, date, condition_id, name, count)
     select tenant.id, date('2026-01-01', '+' || (n.i / 30) || ' days'),
         'c_' || (n.i % 30), 'Condition', 1
     from n, tenant",
    "pragma foreign_keys = off;
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
     insert into assessment (id, tenant, environment, api_key, interview_id, turn, created_at,
         level, document)
     select printf('%036d', n.i), (select id from tenant where name = 'Large'), 'live', 'key',
         printf('%036d', n.i), 1, n.i, 'routine', x'00' from n",
    "pragma foreign_keys = off;
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
     insert into assessment (id, tenant, environment, api_key, interview_id, turn, created_at,
         level, document)
     select printf('s%035d', n.i), (select id from tenant where name = 'Small'), 'live', 'key',
         printf('%036d', n.i), 1, n.i, 'routine', x'00' from n",
];

const POSTGRES: &[&str] = &[
    "insert into usage_day (tenant, date, level, count)
     select tenant.id, (date '2026-01-01' + n.i / 4)::text,
         case n.i % 4 when 0 then 'emergency' when 1 then 'urgent' when 2 then 'routine'
             else 'self-care' end, 1 + n.i % 7
     from generate_series(0, 1463) as n(i), tenant",
    "insert into usage_condition_day (tenant, date, condition_id, name, count)
     select tenant.id, (date '2026-01-01' + n.i / 30)::text, 'c_' || (n.i % 30), 'Condition', 1
     from generate_series(0, 10949) as n(i), tenant",
    // This test measures reads; checking a million references would only take time.
    "alter table assessment drop constraint assessment_tenant_fkey;
     alter table assessment drop constraint assessment_api_key_fkey;
     insert into assessment (id, tenant, environment, api_key, interview_id, turn, created_at,
         level, document)
     select lpad(n.i::text, 36, '0'), (select id from tenant where name = 'Large'), 'live', 'key',
         lpad(n.i::text, 36, '0'), 1, n.i, 'routine', '\\x00' from generate_series(1, 1000000) as n(i)",
    "insert into assessment (id, tenant, environment, api_key, interview_id, turn, created_at,
         level, document)
     select 's' || lpad(n.i::text, 35, '0'), (select id from tenant where name = 'Small'), 'live',
         'key', lpad(n.i::text, 36, '0'), 1, n.i, 'routine', '\\x00'
     from generate_series(1, 1000) as n(i)",
    "analyze",
];

pub(super) async fn a_report_over_a_million_assessments_costs_what_one_over_a_thousand_does(
    given: &Given,
) {
    let large = given.tenant("Large").await;
    let small = given.tenant("Small").await;
    let statements = match given.settings.url {
        StoreUrl::Sqlite(_) => SQLITE,
        StoreUrl::Postgres(_) => POSTGRES,
    };
    for statement in statements {
        assert!(given.behind_its_back(statement).await, "{statement}");
    }
    let (mut of_large, mut of_small) = (Duration::MAX, Duration::MAX);
    // Alternating, and the best of many runs, so that other load on the machine affects both
    // equally.
    for _ in 0..15 {
        of_large = of_large.min(time_of_report(given, large).await);
        of_small = of_small.min(time_of_report(given, small).await);
    }
    assert!(
        of_large < of_small * 2,
        "{of_large:?} for a million, {of_small:?} for a thousand"
    );
}

async fn time_of_report(given: &Given, tenant: TenantId) -> Duration {
    let begun = Instant::now();
    let report = given
        .store
        .usage(tenant, date(2026, 1, 1), date(2026, 12, 31))
        .await
        .unwrap();
    let took = begun.elapsed();
    assert_eq!(report.by_day.len(), 365);
    assert_eq!(report.top_conditions.len(), TOP_CONDITIONS_MAX);
    took
}
