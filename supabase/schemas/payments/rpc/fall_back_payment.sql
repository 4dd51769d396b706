-- Lets a claimed message about a payment go as text, as the channel has refused its own form for this person or
-- account: once, by the same message, under the same claim, which then lasts leaseSeconds from now.
-- `request`: instanceId, messageId, claimToken, leaseSeconds, refusal {code, message, meaning}.
-- Returns {outcome}: `send`; `stands` where the message is to go natively or not at all; `lost` where the claim has
-- ended. Locks the queue row and the message, then dispatch.
create or replace function public.fall_back_payment(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
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
  message.content := message.content || '{"rendering": "text"}';
  message.attempts := least(message.attempts + 1, 32767);
  message.last_error := request->'refusal';
  perform messaging.go_on_under_claim(message, (request->>'leaseSeconds')::double precision);
  return '{"outcome": "send"}';
end;
$$;
