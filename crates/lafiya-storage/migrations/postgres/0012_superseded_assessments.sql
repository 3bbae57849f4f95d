-- The assessment that this one replaces, and the one that replaced it: a later turn of the interview, or a
-- corrected case.
alter table assessment add column supersedes text;
alter table assessment add column superseded_by text;
