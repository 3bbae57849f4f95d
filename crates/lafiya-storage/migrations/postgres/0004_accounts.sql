create table account (
    id text primary key,
    tenant text not null references tenant (id),
    -- In lower case: one address is one person, in all tenants.
    email text not null unique,
    role text not null,
    -- 1 for those who run the installation.
    operator bigint not null default 0,
    -- Argon2id in PHC form; null until a password is set.
    password_hash text,
    totp_secret text,
    -- The last time step that was used, so that no code works twice.
    totp_step bigint not null default 0,
    failures bigint not null default 0,
    locked_until bigint,
    created_at bigint not null,
    last_sign_in_at bigint
);

create index account_by_tenant on account (tenant, email);

create table sign_in_session (
    hash bytea primary key,
    account text not null references account (id) on delete cascade,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
);

create index sign_in_session_by_account on sign_in_session (account);

create table sign_in_link (
    hash bytea primary key,
    account text not null references account (id) on delete cascade,
    expires_at bigint not null
);

create index sign_in_link_by_account on sign_in_link (account);
