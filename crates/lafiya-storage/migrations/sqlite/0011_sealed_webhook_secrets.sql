-- The data key that a webhook's secret, and the one before it, is sealed with; null: it is in the clear.
alter table webhook add column secret_key text;
alter table webhook add column previous_secret_key text;
