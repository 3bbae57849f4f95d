-- Whether texts of this tenant may go to the AI provider, with the people taken out of them.
alter table tenant add column text_to_provider text not null default 'never';
