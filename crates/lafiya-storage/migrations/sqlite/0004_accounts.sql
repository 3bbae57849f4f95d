create table account (
    id text primary key,
    tenant text not null references tenant (id),
    -- In lower case: one address is one person, in all tenants.
    email text not null unique,
    role text not null,
    -- 1 for those who run the installation.
    operator integer not null default 0,
    -- Argon2id in PHC form; null until a password is set.
    password_hash text,
    totp_secret text,
    -- The last time step that was used, so that no code works twice.
    totp_step integer not null default 0,
    failures integer not null default 0,
    locked_until integer,
    created_at integer not null,
    last_sign_in_at integer
) strict;

create index account_by_tenant on account (tenant, email);

create table sign_in_session (
    hash blob primary key,
    account text not null references account (id) on delete cascade,
    created_at integer not null,
    seen_at integer not null,
    expires_at integer not null
) strict;

create index sign_in_session_by_account on sign_in_session (account);

create table sign_in_link (
    hash blob primary key,
    account text not null references account (id) on delete cascade,
    expires_at integer not null
) strict;

create index sign_in_link_by_account on sign_in_link (account);
