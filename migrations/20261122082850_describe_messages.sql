-- The table of messages is busy: rather fail, and be run again, than keep every send waiting.
set local lock_timeout = '3s';
set local check_function_bodies = off;

-- The one record of a message, sent or received, as messages-api reports it. A claim counts as
-- `sending`; what waits says when it may leave now, and what holds it (see expected_departure).
-- For a message that is known not to wait, message_record alone says the same without reading anything.
create or replace function messaging.describe_message(message messaging.messages)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  state record;
  shown messaging.messages := message;
begin
  select i.time_zone, q.claim_token is not null as is_claimed, expected.*
  into strict state
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join lateral (
    select true as is_waiting, e.leaves_at, e.held_by
    from messaging.dispatch d
    cross join lateral messaging.expected_departure(q, message, i, d) as e
    where d.instance_id = i.id and q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
  if state.is_waiting then
    shown.scheduled_for := state.leaves_at;
    shown.held_by := state.held_by;
  end if;
  return messaging.message_record(shown, state.time_zone, state.is_claimed);
end;
$$;
revoke all
on function messaging.describe_message(messaging.messages)
from public, anon, authenticated;
grant execute on function messaging.describe_message(messaging.messages) to service_role;

-- A message's row as the record that messages-api answers, with instants in the time zone of its
-- instance. `is_claimed`: whether its row of the queue has a claim: it is being sent, and that attempt
-- counts already. Reads no table, so that it is cheap for many rows at once. Of a message that waits it
-- shows its slot as stored; describe_message knows what else may hold it.
create or replace function messaging.message_record(
  message messaging.messages,
  time_zone text,
  is_claimed boolean
)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'messageId', message.id,
    'direction', message.direction,
    'status', case
      when is_claimed and message.status = 'queued' then 'sending'
      else message.status
    end,
    'messageType', message.message_type,
    'message', message.message,
    'cardId', message.card_id,
    'metadata', coalesce(message.metadata, '{}'),
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'scheduledFor', messaging.iso_in_zone(message.scheduled_for, time_zone),
    'heldBy', message.held_by,
    'createdAt', messaging.iso_in_zone(message.created_at, time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, time_zone),
    'attempts', message.attempts + case when is_claimed then 1 else 0 end,
    'lastError', message.last_error
  );
end;
$$;
revoke all
on function messaging.message_record(messaging.messages, text, boolean)
from public, anon, authenticated;
grant execute
on function messaging.message_record(messaging.messages, text, boolean)
to service_role;

-- messages-api: the record of one message, sent or received. `request`: instanceId, messageId.
-- Errors: MI004.
create or replace function public.get_message(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = (request->>'messageId')::uuid
    and m.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.get_message(jsonb) from public, anon, authenticated;
grant execute on function public.get_message(jsonb) to service_role;

alter table messaging.messages add column if not exists metadata jsonb;

comment on column messaging.messages.metadata is
  'Keys and texts that the sending call gave, for the caller''s own use; NULL for none.';
