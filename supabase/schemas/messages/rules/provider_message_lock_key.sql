-- The advisory lock of a provider's message id: the messages of an instance share 256 locks, because a
-- delivery of thousands must not exhaust the server's lock table. See lock_provider_messages.
create or replace function messaging.provider_message_lock_key(
  instance_id uuid, provider_message_id text
) returns bigint language sql immutable
return hashtextextended(instance_id::text, 0) # (hashtext(provider_message_id) & 255);
