-- Attempts to sign in or to give a code, counted before anything is compared: one row for each account
-- and source (an address, a known browser, all new browsers), for as long as its window lasts.
create table sign_in_attempt (
    account text not null,
    source text not null,
    taken bigint not null,
    ends_at bigint not null,
    primary key (account, source)
);

create index sign_in_attempt_by_end on sign_in_attempt (ends_at);
