create table probe (
    name text primary key,
    written_at bigint not null
);

create table secret (
    name text primary key,
    bytes bytea not null
);

create table tenant (
    id text primary key,
    name text not null unique,
    tier text not null,
    status text not null,
    monthly_quota bigint,
    created_at bigint not null
);

create table api_key (
    id text primary key,
    tenant text not null references tenant (id),
    environment text not null,
    hash bytea not null unique,
    display text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    rotated_from text references api_key (id),
    last_used_at bigint,
    requests bigint not null default 0
);

create index api_key_by_tenant on api_key (tenant, created_at);

-- Append-only: the trigger below refuses changes.
create table audit_log (
    id bigint generated always as identity primary key,
    at bigint not null,
    actor text not null,
    action text not null,
    tenant text,
    subject text not null,
    detail text not null
);

create index audit_log_by_tenant on audit_log (tenant, id);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'the audit log is append-only';
end;
$$;

create trigger audit_log_keeps_rows before update on audit_log
for each row execute function audit_log_is_append_only();

create table interview (
    tenant text not null references tenant (id),
    environment text not null,
    id text not null,
    turn bigint not null,
    document bytea not null,
    last_assessment_id text not null,
    last_request_digest bytea not null,
    created_at bigint not null,
    expires_at bigint not null,
    -- Under what the interview was counted: all null until it is billed.
    counted_date text,
    counted_level text,
    counted_condition text,
    primary key (tenant, environment, id)
);

create index interview_by_expiry on interview (expires_at);

create table assessment (
    id text primary key,
    tenant text not null references tenant (id),
    environment text not null,
    api_key text not null references api_key (id),
    interview_id text not null,
    turn bigint not null,
    created_at bigint not null,
    level text not null,
    condition_id text,
    condition_name text,
    document bytea not null
);

create index assessment_by_tenant on assessment (tenant, environment, created_at, id);

create table idempotency (
    api_key text not null references api_key (id),
    key_text text not null,
    body_digest bytea not null,
    assessment_id text not null,
    expires_at bigint not null,
    primary key (api_key, key_text)
);

create index idempotency_by_expiry on idempotency (expires_at);

create table usage_month (
    tenant text not null references tenant (id),
    month text not null,
    used bigint not null,
    primary key (tenant, month)
);

create table usage_threshold (
    tenant text not null references tenant (id),
    month text not null,
    percent bigint not null,
    primary key (tenant, month, percent)
);

create table usage_day (
    tenant text not null references tenant (id),
    date text not null,
    level text not null,
    count bigint not null,
    primary key (tenant, date, level)
);

create table usage_condition_day (
    tenant text not null references tenant (id),
    date text not null,
    condition_id text not null,
    name text not null,
    count bigint not null,
    primary key (tenant, date, condition_id)
);

create table outbox (
    id text primary key,
    tenant text not null references tenant (id),
    kind text not null,
    payload text not null,
    created_at bigint not null
);

create index outbox_by_time on outbox (created_at);
