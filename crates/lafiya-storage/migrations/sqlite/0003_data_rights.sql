-- Which data key a document is sealed with; null: in the clear.
alter table assessment add column document_key text;
alter table interview add column document_key text;

-- The data keys that documents here may be sealed with: a start without one of them is refused.
create table data_key (
    id text primary key,
    first_used_at integer not null
) strict;

-- The order in which assessments grow too old to be kept.
create index assessment_by_time on assessment (created_at);

create trigger audit_log_keeps_all before delete on audit_log
begin
    select raise(abort, 'the audit log is append-only');
end;
