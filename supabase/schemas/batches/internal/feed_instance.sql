-- Gives the running batches of an instance their next message, where none of theirs waits in its queue; those
-- that follow the pace of the instance, as many as batch_room says. Ends those that have nothing left. So an
-- instance has at most one message of its batches waiting, beside those that wait for another day as new
-- contacts: a single send waits for no more than one interval for their sake. A slot behind the end of a
-- window that is open, or at a later start_at, is taken one interval before. Where only new contacts are left
-- that have no place today, the first of them is queued: it says what the batch waits for, and known ones
-- pass it.
-- Whom the batches pass over until then is skipped, with its reason. A recipient without a slot in time stays
-- pending: it reads as expired when the batch's time is over.
-- The caller holds the pacing row. Locks the batches, and tries the recipient's contact and message without
-- waiting: who merges, erases or cancels them may wait for the pacing row. The dispatcher's maintenance
-- comes back then.
-- Errors: MI010; MI090 where another transaction takes the reference of a payment request at this moment: feed it
-- again.
-- Over 80 lines: each step of the forecast is acted on where it is read, and what the steps have in common is
-- written once after them.
create or replace function messaging.feed_instance(of_instance uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(of_instance);
  batch messaging.batches;
  step messaging.batch_step;
  waiting_as_new jsonb := '{}';
  first_as_new messaging.batch_step;
  placed_id uuid;
  -- Each message that was given, in order, and its batch.
  placed_ids uuid[] := '{}';
  placed_of uuid[] := '{}';
  room integer;
begin
  perform from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running'
  order by b.id
  for no key update;
  room := messaging.batch_room(of_instance);
  if room = 0 then
    perform messaging.finish_batches(of_instance);
    return;
  end if;
  for step in
    select w.* from messaging.walk_batches(instance, clock, null, null, null, null, room) as w
  loop
    continue when step.reason = 'expires_before_slot';
    if step.reason = 'new_contacts' then
      waiting_as_new := waiting_as_new || jsonb_build_object(step.batch_id, step.index + 1);
      if first_as_new.batch_id is null and step.slot is not null and step.message_id is null then
        first_as_new := step;
      end if;
      continue;
    end if;
    if step.message_id is not null
      and exists (select from messaging.messages m where m.id = step.message_id) then
      perform from messaging.messages m where m.id = step.message_id for no key update skip locked;
      continue when not found;
    end if;
    if batch.id is distinct from step.batch_id then
      select b.* into batch from messaging.batches b where b.id = step.batch_id;
      batch.turns := batch.turns
        + coalesce(cardinality(array_positions(placed_of, batch.id)), 0);
    end if;
    if step.reason is null then
      continue when not messaging.take_recipient(batch, step.contact_id);
      -- Since the walk has looked.
      step.reason := messaging.late_reason(batch, step);
    end if;
    if step.reason = 'settled' then
      update messaging.batch_recipients r set status = 'accepted'
      where r.batch_id = batch.id and r.index = step.index;
      update messaging.batches b set pending_count = b.pending_count - 1 where b.id = batch.id;
    elsif step.reason is not null then
      perform messaging.skip_recipients(
        jsonb_build_array(jsonb_build_object('batch', batch.id, 'index', step.index)), step.reason
      );
    else
      placed_id := messaging.place_batch_message(instance, batch, step.index);
      placed_ids := placed_ids || placed_id;
      placed_of := placed_of || batch.id;
      batch.turns := batch.turns + 1;
    end if;
  end loop;
  -- Once, not for each message: each look at a row passes all its versions of the same transaction.
  update messaging.batches b
  set pending_count = b.pending_count - given.messages, waiting_message = given.newest,
    served_at = clock, turns = b.turns + given.messages
  from (
    select p.batch_id, count(*) as messages,
      (array_agg(p.message_id order by p.place desc))[1] as newest
    from unnest(placed_of, placed_ids) with ordinality as p(batch_id, message_id, place)
    group by p.batch_id
  ) as given
  where b.id = any (array[given.batch_id]);
  select b.* into batch from messaging.batches b
  where placed_id is null and b.id = first_as_new.batch_id and not exists (
    select from messaging.message_queue q where q.message_id = b.waiting_message
  );
  if found then
    if messaging.take_recipient(batch, first_as_new.contact_id)
      and messaging.late_reason(batch, first_as_new) is null then
      placed_id := messaging.place_batch_message(instance, batch, first_as_new.index);
      update messaging.batches b
      set pending_count = b.pending_count - 1, waiting_message = placed_id, turns = b.turns + 1
      where b.id = batch.id;
    end if;
  end if;
  if placed_id is null then
    -- Nobody is left to look at: the next time finds again who comes first of those that wait as new.
    update messaging.batches b
    set known_from = b.first_pending
    where b.instance_id = of_instance and b.status = 'running'
      and b.known_from > b.first_pending
      and not exists (
        select from messaging.batch_recipients r
        where r.batch_id = b.id and r.status = 'pending' and r.index >= b.known_from
      )
      and not exists (
        select from messaging.message_queue q where q.message_id = b.waiting_message
      );
  end if;
  update messaging.batches b
  set known_from = w.index::integer, known_day = (clock at time zone instance.time_zone)::date
  from jsonb_each_text(waiting_as_new) as w(batch_id, index)
  where b.id = any (array[w.batch_id::uuid]);
  update messaging.batches b
  set first_pending = now_first.index
  from messaging.batches former
  cross join lateral (
    select coalesce(
      (
        select r.index from messaging.batch_recipients r
        where r.batch_id = former.id and r.status = 'pending' and r.index >= former.first_pending
        order by r.index
        limit 1
      ),
      former.recipient_count
    ) as index
  ) as now_first
  where former.instance_id = of_instance and former.status = 'running'
    and now_first.index <> former.first_pending and b.id = any (array[former.id]);
  perform messaging.finish_batches(of_instance);
  perform messaging.note_feeding(of_instance);
end;
$$;

-- Ends the running batches of an instance that have nothing left to send: no message of theirs waits or is
-- being sent, and no recipient is pending, or the time of all of them is over. Records batch.finished.
-- The caller holds the batches.
create or replace function messaging.finish_batches(of_instance uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  batch messaging.batches;
begin
  perform messaging.end_unqueued_of_batch(b.id, 'expired')
  from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running' and b.expires_at <= clock_timestamp();
  for batch in
    update messaging.batches b
    set status = 'finished', finished_at = clock_timestamp(), waiting_message = null
    where b.instance_id = of_instance and b.status = 'running'
      and (b.pending_count = 0 or b.expires_at <= clock_timestamp())
      and not exists (
        select from messaging.messages m where m.batch_id = b.id and m.status = 'queued'
      )
    returning b.*
  loop
    perform messaging.record_event(
      batch.instance_id, null, 'batch.finished', jsonb_build_object(
        'batchId', batch.id,
        'name', batch.name,
        'status', batch.status,
        'counts', messaging.batch_counts(batch)
      )
    );
  end loop;
end;
$$;

-- feed_instance: holds the contact of a recipient without waiting, and returns whether it does: as who stores a
-- message, and as who records a reply where one is expected.
create or replace function messaging.take_recipient(batch messaging.batches, contact_id uuid)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  if messaging.expects_reply(batch) then
    perform from messaging.contacts c
    where c.id = take_recipient.contact_id and c.merged_into is null
    for no key update skip locked;
  else
    perform from messaging.contacts c
    where c.id = take_recipient.contact_id and c.merged_into is null
    for key share skip locked;
  end if;
  return found;
end;
$$;

-- feed_instance: gives a recipient of a running batch its message, in the queue: a new one, or the one that a
-- pause has taken back or that is tried again. The caller holds pacing and the batch, and the contact, and
-- counts the turn.
-- Returns the message's id. Errors: MI010.
create or replace function messaging.place_batch_message(
  instance messaging.instances, batch messaging.batches, recipient_index integer
) returns uuid language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  recipient messaging.batch_recipients;
  placed_id uuid;
  message messaging.messages;
  conversation messaging.conversations;
  placed record;
  moved_by text;
begin
  select r.* into strict recipient from messaging.batch_recipients r
  where r.batch_id = batch.id and r.index = recipient_index;
  placed_id := coalesce(recipient.message_id, gen_random_uuid());
  if messaging.expects_reply(batch) then
    perform messaging.expect_reply(
      array[recipient.contact_id], messaging.cancels_on_reply(batch), batch.source ? 'ask'
    );
  end if;
  placed := messaging.enqueue_message(
    placed_id, instance, messaging.own_interval(batch), batch.start_at, interval '0', recipient.contact_id,
    batch.seed || ' ' || recipient.index
  );
  moved_by := coalesce(placed.held_by, case when placed.slot > clock_timestamp() then 'delay' end);
  if recipient.message_id is not null then
    select m.* into strict message from messaging.messages m
    where m.id = placed_id for no key update;
    -- It waits anew: what came for it while a worker had it cancels the former attempt alone.
    message.cancel_reason := null;
    perform messaging.wait_again(message, placed.slot, moved_by);
  else
    conversation := messaging.resolve_conversation(instance.id, recipient.contact_id);
    perform messaging.add_outbound_messages(array[row(
      placed_id, instance.id, recipient.contact_id, conversation.id,
      messaging.asking_draft(batch, recipient.draft) || jsonb_build_object('purpose', batch.purpose), null, null, 'queued',
      messaging.own_interval(batch), placed.slot, moved_by, nullif(recipient.phone, c.phone), batch.id,
      jsonb_strip_nulls(jsonb_build_object(
        'expiresAt', batch.expires_at,
        'cancelOn', batch.source->'cancelOn',
        'paymentReference', recipient.draft->'paymentReference'
      )), null, null
    )::messaging.outbound_message])
    from messaging.contacts c
    where c.id = recipient.contact_id;
  end if;
  update messaging.batch_recipients r
  set status = 'accepted', message_id = placed_id, draft = null, turn = batch.turns + 1
  where r.batch_id = batch.id and r.index = recipient.index;
  return placed_id;
end;
$$;

-- place_batch_message: a recipient's draft, with where the end of its question is told. That is kept once for the
-- batch, so that a new key has it to seal anew once: see list_notify_seals_under_old_keys.
create or replace function messaging.asking_draft(batch messaging.batches, draft jsonb)
returns jsonb language sql immutable
return case
  when batch.source -> 'ask' ? 'sealedNotify' then jsonb_set(
    draft,
    '{ask,sealedNotify}',
    batch.source -> 'ask' -> 'sealedNotify'
  )
  else draft
end;
