-- The client token of a sending call that was prepared with an earlier answer of authenticate_client
-- (`authentication` of accept_message), where it still opens the sending calls of the instance as it is now.
create or replace function messaging.sending_token(
  instance_id uuid, instance_version text, authentication jsonb, clock timestamptz
) returns table (id uuid, is_use_due boolean) language sql stable
begin atomic
  select t.id, messaging.is_token_use_due(t.last_used_at, clock)
  from messaging.client_tokens as t
  where
    t.token_hash = authentication ->> 'tokenHash'
    and t.instance_id = sending_token.instance_id
    and messaging.is_token_valid(t, clock)
    and coalesce('send' = any (t.scopes), true)
    and instance_version = authentication ->> 'instanceVersion';
end;
