-- Which world an event lives in; null: it concerns the tenant as a whole.
alter table outbox add column environment text;

create table webhook (
    id text primary key,
    tenant text not null references tenant (id) on delete cascade,
    environment text not null,
    url text not null,
    -- The kinds it asks for, with a space between them.
    events text not null,
    description text not null,
    status text not null,
    disabled_at bigint,
    secret bytea not null,
    -- Signs beside the new secret until its time is over.
    previous_secret bytea,
    previous_secret_until bigint,
    created_at bigint not null
);

create index webhook_by_tenant on webhook (tenant, environment, created_at, id);

create table delivery (
    id text primary key,
    tenant text not null references tenant (id) on delete cascade,
    webhook text not null references webhook (id) on delete cascade,
    event_id text not null,
    kind text not null,
    payload text not null,
    event_at bigint not null,
    status text not null,
    attempts bigint not null default 0,
    -- When it is due; while an attempt holds it, when that hold is over.
    next_attempt_at bigint not null,
    -- Whose hold it is.
    lease text,
    created_at bigint not null,
    last_attempt_at bigint,
    last_status bigint,
    last_error text,
    last_duration_ms bigint,
    delivered_at bigint,
    unique (webhook, event_id)
);

create index delivery_waiting on delivery (tenant, next_attempt_at) where status = 'pending';
create index delivery_by_webhook on delivery (webhook, created_at, id);
create index delivery_by_time on delivery (created_at);

create table key_expiry_announced (
    api_key text primary key references api_key (id) on delete cascade,
    announced_at bigint not null
);

create index api_key_by_expiry on api_key (expires_at);

-- Chores that one replica does at a time.
create table chore (
    name text primary key,
    next_at bigint not null,
    holder text not null
);

create table adverse_event (
    id text primary key,
    tenant text not null references tenant (id) on delete cascade,
    environment text not null,
    assessment_id text not null,
    description bytea not null,
    seriousness text not null,
    reporter text not null,
    created_at bigint not null
);

create index adverse_event_by_tenant on adverse_event (tenant, environment, created_at, id);
