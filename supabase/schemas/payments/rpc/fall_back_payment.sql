-- Lets a claimed message about a payment go as text, as the channel has refused its own form for this person or
-- account: once, by the same message, under the same claim, which then lasts leaseSeconds from now.
-- `request`: instanceId, messageId, claimToken, leaseSeconds, refusal {code, message, meaning}.
-- Returns {outcome}: `send`; `stands` where the message is to go natively or not at all; `lost` where the claim has
-- ended. Locks the queue row and the message, then dispatch.
create or replace function public.fall_back_payment(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  lease_ends_at constant timestamptz := clock_timestamp() + make_interval(
    secs => (request->>'leaseSeconds')::double precision
  );
  message messaging.messages;
begin
  perform from messaging.message_queue q
  where q.message_id = (request->>'messageId')::uuid
    and q.claim_token = (request->>'claimToken')::uuid
  for no key update;
  if not found then
    return '{"outcome": "lost"}';
  end if;
  select m.* into strict message from messaging.messages m
  where m.id = (request->>'messageId')::uuid
  for no key update;
  if message.status not in ('queued', 'sending') or not messaging.gives_way_to_text(message, request->'refusal') then
    return '{"outcome": "stands"}';
  end if;
  update messaging.messages m
  set content = m.content || '{"rendering": "text"}',
    attempts = least(m.attempts + 1, 32767),
    last_error = request->'refusal'
  where m.id = message.id;
  update messaging.message_queue q
  set lease_until = lease_ends_at,
    visible_at = case when q.lane = 'unpaced' then lease_ends_at end
  where q.message_id = message.id;
  update messaging.dispatch d set lease_until = lease_ends_at
  where d.instance_id = message.instance_id and d.in_flight = message.id;
  return '{"outcome": "send"}';
end;
$$;
