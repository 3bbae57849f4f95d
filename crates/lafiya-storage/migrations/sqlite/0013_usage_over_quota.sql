-- Interviews that the web app answered after the monthly quota was used up, by the day they are counted
-- under. They are part of usage_month and usage_day too.
create table usage_over_quota (
    tenant text not null references tenant (id) on delete cascade,
    date text not null,
    count integer not null,
    primary key (tenant, date)
) strict, without rowid;
