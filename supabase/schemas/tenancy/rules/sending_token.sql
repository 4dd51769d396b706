-- The client token of a sending call that was prepared with an earlier answer of authenticate_client
-- (`authentication` of accept_message), where it still opens the sending calls of the instance as it is now.
create or replace function messaging.sending_token(
  instance_id uuid,
  instance_version text,
  authentication jsonb,
  clock timestamptz
)
returns table (id uuid, is_use_due boolean)
language sql
stable
begin atomic
  select t.id, messaging.is_token_use_due(t.last_used_at, clock)
  from messaging.client_tokens as t
  where
    t.token_hash = authentication ->> 'tokenHash'
    and t.instance_id = sending_token.instance_id
    and messaging.may_token_send(t, clock)
    and instance_version = authentication ->> 'instanceVersion';
end;

-- Whether a client token opens the sending calls of its instance.
create or replace function messaging.may_token_send(
  token messaging.client_tokens,
  clock timestamptz
)
returns boolean
language sql
immutable
return messaging.is_token_valid(token, clock) and coalesce('send' = any (token.scopes), true);
