-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
-- Records its event, and message.sent before it where the message had not been sent as far as was known.
-- A failure that may pause its batch is noted (see pause_failing_batches).
-- Returns whether it changed anything. Locks the message, then pacing.
create or replace function messaging.advance_message(
  message_id uuid,
  provider_message_id text,
  status text,
  occurred_at timestamptz,
  error jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  moved_instance_id uuid;
  moved_contact_id uuid;
  is_newly_sent boolean;
  former_status text;
  was_unsent boolean;
  types text[];
  gone messaging.message_queue;
begin
  select m.status, m.sent_at is null into former_status, was_unsent
  from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
  update messaging.messages m
  set status = advance_message.status,
    provider_message_id = case
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled', 'expired')
        then coalesce(advance_message.provider_message_id, m.provider_message_id)
      else coalesce(m.provider_message_id, advance_message.provider_message_id)
    end,
    sent_at = case
      when advance_message.status = 'failed' then m.sent_at
      else coalesce(m.sent_at, greatest(least(occurred_at, m.unconfirmed_at), m.created_at))
    end,
    delivered_at = case
      when advance_message.status in ('delivered', 'read') then coalesce(m.delivered_at, occurred_at)
      else m.delivered_at
    end,
    read_at = case when advance_message.status = 'read' then occurred_at else m.read_at end,
    -- Providers tell whole seconds, which may lie before the message.
    failed_at = case
      when advance_message.status = 'failed' then greatest(occurred_at, m.created_at)
    end,
    canceled_at = null,
    unconfirmed_at = null,
    is_retryable = false,
    last_error = case when advance_message.status = 'failed' then error end
  where m.id = advance_message.message_id
    and case messaging.message_transition(m.status, advance_message.status)
      when 'always' then true
      when 'new_id' then coalesce(m.provider_message_id <> advance_message.provider_message_id, true)
      when 'claimed_new_id' then
        coalesce(m.provider_message_id <> advance_message.provider_message_id, true) and exists (
          select from messaging.message_queue q
          where q.message_id = m.id and q.claim_token is not null
        )
      when 'same_id' then coalesce(m.provider_message_id = advance_message.provider_message_id, true)
      when 'other_id' then m.provider_message_id <> advance_message.provider_message_id
      else false
    end
  returning m.instance_id, m.contact_id, was_unsent and m.sent_at is not null
  into moved_instance_id, moved_contact_id, is_newly_sent;
  if not found then
    return false;
  end if;
  types := array['message.' || advance_message.status];
  if advance_message.status in ('delivered', 'read')
    and former_status not in ('sent', 'delivered', 'read') then
    types := 'message.sent'::text || types;
  end if;
  perform messaging.record_message_events(
    array_fill(advance_message.message_id, array[cardinality(types)]),
    types,
    exists (
      select from messaging.message_queue q
      where q.message_id = advance_message.message_id and q.claim_token is not null
    )
  );
  if advance_message.status = 'failed' then
    perform messaging.record_channel_denials(array[moved_contact_id], array[error]);
    perform messaging.note_batch_failures(array[m.id])
    from messaging.messages m
    where m.id = advance_message.message_id and messaging.may_pause_batch(m);
  end if;
  if is_newly_sent then
    perform messaging.note_contact(moved_contact_id);
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null
  returning q.* into gone;
  if found then
    perform from messaging.pacing p where p.instance_id = moved_instance_id for no key update;
    perform messaging.give_back_places(array[gone]);
    perform messaging.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;
