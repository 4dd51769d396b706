-- Whether a session's number is the one that the instance's key stands for, in any spelling of it. NULL where
-- the session's number is not known.
create or replace function messaging.is_expected_phone(paired_phone text, connected_phone_key text)
returns boolean language sql immutable
return messaging.phone_identity_key(paired_phone) = connected_phone_key;
