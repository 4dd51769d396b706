-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived, and its recipient out of those that its batch is to try again.
-- An unconfirmed message left before its call was given up, however late the event is.
-- What the event tells of the price is kept, also of one that is late or repeated: see known_pricing.
-- A message with a ladder takes its next rung instead where its failure says so: see climb_after_status.
-- A failure that may pause its batch is noted (see pause_failing_batches). One by WhatsApp's lock on new
-- chats begins the lock: see note_chat_locks.
-- Returns whether it changed anything. Locks the message, with a ladder its contact before it, then pacing, then
-- its batch.
create or replace function messaging.advance_message(
  message_id uuid, provider_message_id text, status text, occurred_at timestamptz, error jsonb,
  pricing jsonb default null
) returns boolean language plpgsql set search_path = '' as $$
declare
  is_official boolean;
  former messaging.messages;
  present messaging.messages;
  gone messaging.message_queue;
begin
  if advance_message.status = 'failed' and messaging.climb_after_status(
    message_id, advance_message.provider_message_id, occurred_at, error
  ) then
    return true;
  end if;
  if advance_message.status = 'failed' and messaging.fall_back_after_status(
    message_id, advance_message.provider_message_id, occurred_at, error
  ) then
    return true;
  end if;
  select m.* into former
  from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
  select i.provider_class = 'official' into is_official
  from messaging.instances i where i.id = former.instance_id;
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
    last_error = case when advance_message.status = 'failed' then error end,
    pricing = messaging.known_pricing(
      m.pricing, advance_message.pricing, advance_message.status, is_official,
      messaging.sent_category(m.message_type, m.purpose, m.ladder)
    ) - case
      when m.delivered_at is null and advance_message.status in ('delivered', 'read') then 'market'
      else ''
    end
  where m.id = advance_message.message_id
    and messaging.fits_transition(
      messaging.message_transition(m.status, advance_message.status), m.provider_message_id,
      advance_message.provider_message_id
    )
    and (
      messaging.message_transition(m.status, advance_message.status) <> 'claimed_new_id'
      or exists (
        select from messaging.message_queue q
        where q.message_id = m.id and q.claim_token is not null
      )
    )
  returning m.* into present;
  if not found then
    update messaging.messages m
    set pricing = messaging.known_pricing(
      m.pricing, advance_message.pricing, m.status, is_official,
      messaging.sent_category(m.message_type, m.purpose, m.ladder)
    )
    where m.id = advance_message.message_id and advance_message.pricing is not null
      and advance_message.status <> 'failed' and m.pricing->>'source' is distinct from 'channel';
    return found;
  end if;
  if advance_message.status = 'failed' then
    if exists (
      select from messaging.dispatch_of(present.instance_id) as d where messaging.slows_pace(d, error)
    ) then
      perform from messaging.pacing p where p.instance_id = present.instance_id for no key update;
      perform messaging.slow_paces(array[present.instance_id], array[error], clock_timestamp());
    end if;
    if error->>'meaning' = 'new_chat_locked' then
      perform from messaging.pacing p where p.instance_id = present.instance_id for no key update;
      perform messaging.note_chat_locks(
        array[present.instance_id], array[error], clock_timestamp()
      );
    end if;
    perform messaging.forget_under_way(present);
    perform messaging.record_channel_denials(array[present.contact_id], array[error]);
    perform messaging.note_batch_failures(array[m.id])
    from messaging.messages m
    where m.id = advance_message.message_id and messaging.may_pause_batch(m);
    perform messaging.fail_invitation(m)
    from messaging.messages m
    where m.id = advance_message.message_id and m.ladder ? 'invitationFor';
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null
  returning q.* into gone;
  if found then
    perform from messaging.pacing p where p.instance_id = present.instance_id for no key update;
    perform messaging.release_day_quota(array[gone]);
    perform messaging.refresh_dispatch(array[present.instance_id]);
  elsif former.status in ('queued', 'failed') and present.batch_id is not null and not exists (
    select from messaging.message_queue q where q.message_id = advance_message.message_id
  ) then
    perform messaging.accept_pending_recipients(array[present.id]);
  end if;
  return true;
end;
$$;

-- A message that had been sent has failed: it will cost nothing. Its instance's budget may not be reached any more,
-- so the next fold_usage looks at it, by a change that counts nothing.
create or replace function messaging.forget_under_way(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
begin
  delete from messaging.budget_under_way b where b.message_id = message.id;
  if found then
    insert into messaging.usage_changes (instance_id, counted_at) values (message.instance_id, message.sent_at);
  end if;
end;
$$;

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
    return messaging.keep_refusal(message, provider_message_id, occurred_at, error);
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  message := messaging.message_after_merge(message);
  decided := messaging.climb_ladder(instance, message, error);
  perform messaging.go_on_by_ladder(instance, message, decided, error);
  return true;
end;
$$;

-- advance_message: a delivery event says that the channel has refused a message about a payment after all. Puts it
-- back into the queue as text where gives_way_to_text, and returns whether it did, or is to be told again: while its
-- call is under way the event is kept until the call is settled. Never after it was delivered.
-- Locks the message, then as requeue_message.
create or replace function messaging.fall_back_after_status(
  message_id uuid, provider_message_id text, occurred_at timestamptz, error jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
begin
  select m.* into message from messaging.messages m
  where m.id = fall_back_after_status.message_id
    and m.message_type in ('payment_request', 'payment_status')
  for no key update;
  if not found or not messaging.gives_way_to_text(message, error)
    or not messaging.fits_transition(
      messaging.message_transition(message.status, 'failed'), message.provider_message_id,
      fall_back_after_status.provider_message_id
    ) then
    return false;
  end if;
  if message.status in ('queued', 'sending') then
    return messaging.keep_refusal(message, provider_message_id, occurred_at, error);
  end if;
  message := messaging.message_after_merge(message);
  message.content := message.content || '{"rendering": "text"}';
  message.last_error := error;
  message.is_retryable := false;
  message.held_by := null;
  perform messaging.requeue_message(message);
  return true;
end;
$$;

-- climb_after_status, fall_back_after_status: keeps a refusal that the channel tells while the message's call is
-- under way, until the call is settled. Returns whether it did.
create or replace function messaging.keep_refusal(
  message messaging.messages, provider_message_id text, occurred_at timestamptz, error jsonb
) returns boolean language plpgsql set search_path = '' as $$
begin
  insert into messaging.unmatched_statuses (
    instance_id, provider_message_id, status, occurred_at, error
  )
  select message.instance_id, keep_refusal.provider_message_id, 'failed', keep_refusal.occurred_at,
    keep_refusal.error
  from messaging.message_queue q
  where q.message_id = message.id and q.claim_token is not null
    and keep_refusal.provider_message_id is not null
  on conflict do nothing;
  return found;
end;
$$;

-- Whether an event fits the condition of message_transition: `told_id` is its provider message id, `known_id` the one
-- that the message has. Whether a worker has the message in hand (claimed_new_id) is the caller's to see.
create or replace function messaging.fits_transition(condition text, known_id text, told_id text)
returns boolean language sql immutable
return case condition
  when 'always' then true
  when 'new_id' then coalesce(known_id != told_id, true)
  when 'claimed_new_id' then coalesce(known_id != told_id, true)
  when 'same_id' then coalesce(known_id = told_id, true)
  else false
end;
