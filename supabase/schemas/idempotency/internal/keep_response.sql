-- Keeps the response of an immediate send under its `Idempotency-Key`, where its message was among
-- those that were settled.
create or replace function messaging.keep_response(
  idempotency jsonb, response jsonb, settled uuid[]
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.idempotency_keys k
  set response = keep_response.response,
    attempt = (select m.attempts from messaging.messages m where m.id = k.message_id)
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key'
    and k.message_id = any (settled);
end;
$$;
