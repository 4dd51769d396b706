-- Authenticates a call in the transaction that records it. `authentication` {tokenHash, functionName,
-- instanceVersion}: the token must open this instance and be for sending, and the instance must still be what the caller
-- prepared the call with (see authenticate_client).
-- Returns the token and its instance's limit. Errors: MI022 where the caller must authenticate anew.
create or replace function messaging.require_client(
  authentication jsonb,
  instance_id uuid,
  out token_id uuid,
  out requests_per_minute integer
)
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  last_used_at timestamptz;
begin
  select t.id, i.requests_per_minute, t.last_used_at
  into token_id, requests_per_minute, last_used_at
  from messaging.client_tokens t
  join messaging.instances i on i.id = t.instance_id
  where t.token_hash = authentication->>'tokenHash'
    and messaging.may_token_send(t, clock)
    and i.id = require_client.instance_id
    and i.xmin::text = authentication->>'instanceVersion';
  if not found then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  if messaging.is_token_use_due(last_used_at, clock) then
    perform messaging.note_token_use(array[token_id]);
  end if;
end;
$$;
