-- The texts that documents of assessments name by number: one book for each knowledge base that wrote
-- any. A book is never changed, and kept as long as the database.
create table book (
    id text primary key,
    phrases bytea not null,
    kept_at bigint not null
);
