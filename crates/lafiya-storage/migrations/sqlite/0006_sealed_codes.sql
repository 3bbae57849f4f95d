-- The data key that the secret of one-time codes is sealed with; null: it is in the clear.
alter table account add column totp_secret_key text;
