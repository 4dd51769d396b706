-- Keeps what the transaction decided under the request's `Idempotency-Key`, if it has one (see
-- begin_idempotent). `message_id`: the message that a repeated call asks for the state of. Returns the
-- outcome.
create or replace function messaging.keep_outcome(
  request jsonb, outcome jsonb, message_id uuid default null
) returns jsonb language plpgsql set search_path = '' as $$
begin
  if nullif(request->'idempotency', 'null') is not null then
    update messaging.idempotency_keys k
    set outcome = keep_outcome.outcome, message_id = keep_outcome.message_id
    where k.scope = request->'idempotency'->>'scope' and k.key = request->'idempotency'->>'key';
  end if;
  return outcome;
end;
$$;
