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
    disabled_at integer,
    secret blob not null,
    -- Signs beside the new secret until its time is over.
    previous_secret blob,
    previous_secret_until integer,
    created_at integer not null
) strict;

create index webhook_by_tenant on webhook (tenant, environment, created_at, id);

create table delivery (
    id text primary key,
    tenant text not null references tenant (id) on delete cascade,
    webhook text not null references webhook (id) on delete cascade,
    event_id text not null,
    kind text not null,
    payload text not null,
    event_at integer not null,
    status text not null,
    attempts integer not null default 0,
    -- When it is due; while an attempt holds it, when that hold is over.
    next_attempt_at integer not null,
    -- Whose hold it is.
    lease text,
    created_at integer not null,
    last_attempt_at integer,
    last_status integer,
    last_error text,
    last_duration_ms integer,
    delivered_at integer,
    unique (webhook, event_id)
) strict;

create index delivery_waiting on delivery (tenant, next_attempt_at) where status = 'pending';
create index delivery_by_webhook on delivery (webhook, created_at, id);
create index delivery_by_time on delivery (created_at);

create table key_expiry_announced (
    api_key text primary key references api_key (id) on delete cascade,
    announced_at integer not null
) strict;

create index api_key_by_expiry on api_key (expires_at);

-- Chores that one replica does at a time.
create table chore (
    name text primary key,
    next_at integer not null,
    holder text not null
) strict;

create table adverse_event (
    id text primary key,
    tenant text not null references tenant (id) on delete cascade,
    environment text not null,
    assessment_id text not null,
    description blob not null,
    seriousness text not null,
    reporter text not null,
    created_at integer not null
) strict;

create index adverse_event_by_tenant on adverse_event (tenant, environment, created_at, id);
