-- advance_message: a delivery event says that the channel has refused a message with a ladder after all. Lets it
-- take its next rung, where the refusal gives way to one, and returns whether it did, or is to be told again: while
-- its call is under way the event is kept until the call is settled. Never after it was delivered.
-- Locks the contact, the message, pacing, dispatch.
create or replace function messaging.climb_after_status(
  message_id uuid, provider_message_id text, occurred_at timestamptz, error jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  instance messaging.instances;
  decided jsonb;
begin
  perform from messaging.contacts c
  where c.id = (
    select m.contact_id from messaging.messages m
    where m.id = climb_after_status.message_id and m.ladder->'rungs' is not null
  )
  for no key update;
  if not found then
    return false;
  end if;
  select m.* into strict message from messaging.messages m
  where m.id = climb_after_status.message_id
  for no key update;
  if not messaging.gives_way(
    message.ladder->'shown'->>'sentAs', error->>'meaning', message.ladder ? 'closedAt'
  )
    or not messaging.fits_transition(
      messaging.message_transition(message.status, 'failed'), message.provider_message_id,
      climb_after_status.provider_message_id
    ) then
    return false;
  end if;
  if message.status in ('queued', 'sending') then
    insert into messaging.unmatched_statuses (
      instance_id, provider_message_id, status, occurred_at, error
    )
    select message.instance_id, climb_after_status.provider_message_id, 'failed',
      climb_after_status.occurred_at, climb_after_status.error
    from messaging.message_queue q
    where q.message_id = message.id and q.claim_token is not null
      and climb_after_status.provider_message_id is not null
    on conflict do nothing;
    return found;
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  message := messaging.message_after_merge(message);
  decided := messaging.climb_ladder(instance, message, error);
  perform messaging.go_on_by_ladder(instance, message, decided, error);
  return true;
end;
$$;
