create table probe (
    name text primary key,
    written_at integer not null
) strict;

create table secret (
    name text primary key,
    bytes blob not null
) strict;

create table tenant (
    id text primary key,
    name text not null unique,
    tier text not null,
    status text not null,
    monthly_quota integer,
    created_at integer not null
) strict;

create table api_key (
    id text primary key,
    tenant text not null references tenant (id),
    environment text not null,
    hash blob not null unique,
    display text not null,
    created_at integer not null,
    expires_at integer,
    revoked_at integer,
    rotated_from text references api_key (id),
    last_used_at integer,
    requests integer not null default 0
) strict;

create index api_key_by_tenant on api_key (tenant, created_at);

-- Append-only: the trigger below refuses changes.
create table audit_log (
    id integer primary key autoincrement,
    at integer not null,
    actor text not null,
    action text not null,
    tenant text,
    subject text not null,
    detail text not null
) strict;

create index audit_log_by_tenant on audit_log (tenant, id);

create trigger audit_log_keeps_rows before update on audit_log
begin
    select raise(abort, 'the audit log is append-only');
end;

create table interview (
    tenant text not null references tenant (id),
    environment text not null,
    id text not null,
    turn integer not null,
    document blob not null,
    last_assessment_id text not null,
    last_request_digest blob not null,
    created_at integer not null,
    expires_at integer not null,
    -- Under what the interview was counted: all null until it is billed.
    counted_date text,
    counted_level text,
    counted_condition text,
    primary key (tenant, environment, id)
) strict, without rowid;

create index interview_by_expiry on interview (expires_at);

create table assessment (
    id text primary key,
    tenant text not null references tenant (id),
    environment text not null,
    api_key text not null references api_key (id),
    interview_id text not null,
    turn integer not null,
    created_at integer not null,
    level text not null,
    condition_id text,
    condition_name text,
    document blob not null
) strict;

create index assessment_by_tenant on assessment (tenant, environment, created_at, id);

create table idempotency (
    api_key text not null references api_key (id),
    key_text text not null,
    body_digest blob not null,
    assessment_id text not null,
    expires_at integer not null,
    primary key (api_key, key_text)
) strict, without rowid;

create index idempotency_by_expiry on idempotency (expires_at);

create table usage_month (
    tenant text not null references tenant (id),
    month text not null,
    used integer not null,
    primary key (tenant, month)
) strict, without rowid;

create table usage_threshold (
    tenant text not null references tenant (id),
    month text not null,
    percent integer not null,
    primary key (tenant, month, percent)
) strict, without rowid;

create table usage_day (
    tenant text not null references tenant (id),
    date text not null,
    level text not null,
    count integer not null,
    primary key (tenant, date, level)
) strict, without rowid;

create table usage_condition_day (
    tenant text not null references tenant (id),
    date text not null,
    condition_id text not null,
    name text not null,
    count integer not null,
    primary key (tenant, date, condition_id)
) strict, without rowid;

create table outbox (
    id text primary key,
    tenant text not null references tenant (id),
    kind text not null,
    payload text not null,
    created_at integer not null
) strict;

create index outbox_by_time on outbox (created_at);
