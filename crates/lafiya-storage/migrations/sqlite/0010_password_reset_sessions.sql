-- Until when this session, begun with a one-time link, may set a password without the old one; null:
-- it may not, or it has.
alter table sign_in_session add column password_reset_until integer;
