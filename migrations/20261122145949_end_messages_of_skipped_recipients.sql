set local check_function_bodies = off;

-- How many recipients of a batch have each status (see recipient_status). Reads the batch's messages, and
-- of its recipients those alone whose message does not tell it: it was taken back, or is to be tried again,
-- and they are pending; or they have been skipped since.
create or replace function messaging.batch_counts(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  waiting_as constant text := messaging.recipient_status(
    batch, row(batch.id, 0, null, null, 'pending', null, null, null)::messaging.batch_recipients, null
  );
  counts jsonb := '{
    "pending": 0, "queued": 0, "sent": 0, "delivered": 0, "read": 0, "failed": 0, "unconfirmed": 0,
    "canceled": 0, "expired": 0, "skipped": 0
  }';
begin
  select counts || coalesce(jsonb_object_agg(told.status, told.number), '{}') into counts
  from (
    select counted.status, sum(counted.number) as number
    from (
      select case m.status when 'sending' then 'queued' else m.status end as status, count(*) as number
      from messaging.messages m
      where m.batch_id = batch.id
      group by m.status
      union all
      select case m.status when 'sending' then 'queued' else m.status end, -count(*)
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.status <> 'accepted' and r.message_id is not null
      group by m.status
      union all
      select waiting_as, batch.pending_count
      union all
      select 'skipped', batch.skipped_count
    ) as counted
    group by counted.status
  ) as told;
  return counts;
end;
$$;
revoke all on function messaging.batch_counts(messaging.batches) from public, anon, authenticated;
grant execute on function messaging.batch_counts(messaging.batches) to service_role;

-- Ends those of the messages that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds their batches.
create or replace function messaging.end_messages_taken_back(message_ids uuid[], status text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  ended uuid[];
begin
  with ended_messages as (
    update messaging.messages m
    set status = end_messages_taken_back.status,
      canceled_at = case when end_messages_taken_back.status = 'canceled' then clock_timestamp() end
    where m.id = any (message_ids) and m.status = 'queued'
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning m.id
  )
  select array_agg(e.id order by e.id) into ended from ended_messages e;
  perform messaging.record_message_events(
    ended, array['message.' || end_messages_taken_back.status]
  );
end;
$$;
revoke all
on function messaging.end_messages_taken_back(uuid[], text)
from public, anon, authenticated;
grant execute on function messaging.end_messages_taken_back(uuid[], text) to service_role;

-- Ends the messages of a batch that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds the batch.
create or replace function messaging.end_taken_back(of_batch uuid, status text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform messaging.end_messages_taken_back(
    array(select m.id from messaging.messages m where m.batch_id = of_batch and m.status = 'queued'),
    end_taken_back.status
  );
end;
$$;
revoke all on function messaging.end_taken_back(uuid, text) from public, anon, authenticated;
grant execute on function messaging.end_taken_back(uuid, text) to service_role;

-- Gives the running batches of an instance their next message, where none of theirs waits in its queue, and
-- ends those that have nothing left. So an instance has at most one message of its batches waiting: a single
-- send waits for no more than one interval for their sake.
-- Whom the batches pass over until then is skipped, with its reason. Who has no slot in time stays pending:
-- it reads as expired when the batch's time is over.
-- A batch that begins later is given its first message one interval before, so that its slot holds up
-- nothing until then.
-- The caller holds the pacing row. Locks the batches, and tries the recipient's contact and message without
-- waiting: who merges, erases or cancels them may wait for the pacing row. The dispatcher's maintenance
-- comes back then.
-- Errors: MI010.
create or replace function messaging.feed_instance(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(of_instance);
  batch messaging.batches;
  step messaging.batch_step;
  placed_id uuid;
begin
  perform from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running'
  order by b.id
  for no key update;
  if exists (
    select from messaging.batches b
    join messaging.message_queue q on q.message_id = b.waiting_message
    where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
      and q.attempts = 0
  ) then
    perform messaging.finish_batches(of_instance);
    return;
  end if;
  for step in
    select w.* from messaging.walk_batches(instance, clock, null, null, null, null, true) as w
  loop
    continue when step.reason = 'expires_before_slot';
    if exists (select from messaging.messages m where m.id = step.message_id) then
      perform from messaging.messages m where m.id = step.message_id for no key update skip locked;
      continue when not found;
    end if;
    select b.* into batch from messaging.batches b where b.id = step.batch_id;
    if step.reason = 'settled' then
      update messaging.batch_recipients r set status = 'accepted'
      where r.batch_id = batch.id and r.index = step.index;
      update messaging.batches b set pending_count = b.pending_count - 1 where b.id = batch.id;
    elsif step.reason is not null then
      perform messaging.skip_recipients(
        jsonb_build_array(jsonb_build_object('batch', batch.id, 'index', step.index)), step.reason
      );
    elsif batch.start_at <= clock + make_interval(secs => batch.interval_seconds)
      or batch.start_at is null then
      perform from messaging.contacts c where c.id = step.contact_id for key share skip locked;
      if found then
        placed_id := messaging.place_batch_message(instance, batch, step.index);
        update messaging.batches b
        set pending_count = b.pending_count - 1, waiting_message = placed_id, served_at = clock
        where b.id = batch.id;
      end if;
    end if;
  end loop;
  update messaging.batches b
  set first_pending = coalesce(
    (
      select r.index from messaging.batch_recipients r
      where r.batch_id = b.id and r.status = 'pending' and r.index >= b.first_pending
      order by r.index
      limit 1
    ),
    b.recipient_count
  )
  where b.instance_id = of_instance and b.status = 'running';
  perform messaging.finish_batches(of_instance);
  perform messaging.note_feeding(of_instance);
end;
$$;
revoke all on function messaging.feed_instance(uuid) from public, anon, authenticated;
grant execute on function messaging.feed_instance(uuid) to service_role;

-- settle_messages: locks what the answers name, before the queue: the provider's message ids, so that a
-- delivery event and the settling of its message never miss each other, then the addresses that
-- the contacts do not have yet, then those contacts in the order of their ids: who merges or erases one
-- holds it, and goes on to its messages. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.lock_answers(results jsonb, shows_addresses boolean)
returns void
language plpgsql
set search_path = ''
as $$
declare
  answered uuid[];
  contact_ids uuid[];
begin
  -- lock_provider_messages, written out: every send is settled.
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended(m.instance_id::text, 0)
      # (hashtext(r."providerMessageId") & 255) as lock_key
    from jsonb_to_recordset(results) as r("messageId" uuid, "providerMessageId" text)
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."providerMessageId" is not null
    order by lock_key
  ) as wanted;
  if not shows_addresses then
    return;
  end if;
  perform messaging.lock_addresses(shown.instance_id, array_agg(shown.address))
  from (
    select m.instance_id, r."waId" as address
    from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    cross join lateral (
      select own.instance_id, own.contact_id
      from messaging.messages own
      where own.id = r."messageId"
      offset 0
    ) as m
    where r."waId" is not null and not exists (
      select from messaging.contact_addresses a
      where a.instance_id = m.instance_id
        and a.identity_key = messaging.phone_identity_key(r."waId") and a.contact_id = m.contact_id
    )
  ) as shown
  group by shown.instance_id
  order by shown.instance_id;
  answered := array(
    select r."messageId" from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    where r."waId" is not null
  );
  loop
    contact_ids := array(
      select distinct m.contact_id from messaging.messages m where m.id = any (answered)
    );
    perform from messaging.contacts c where c.id = any (contact_ids) order by c.id for update;
    -- A merge that this has waited for has moved the messages.
    exit when not exists (
      select from messaging.messages m
      where m.id = any (answered) and m.contact_id <> all (contact_ids)
    );
  end loop;
end;
$$;
revoke all on function messaging.lock_answers(jsonb, boolean) from public, anon, authenticated;
grant execute on function messaging.lock_answers(jsonb, boolean) to service_role;

-- merge_contacts: what batches have for `gone` is for `kept` now. Where both are in one batch, only one is
-- written to: whoever has been already or is about to be, else whose message waits, else the first of the
-- list. The others are skipped, and their waiting messages canceled.
-- The caller holds both contacts. Locks the messages, pacing, dispatch, the batches. A queue row that
-- somebody else holds is about to be sent, and stays.
create or replace function messaging.move_recipients(kept uuid, gone uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  doubled jsonb;
  waiting uuid[];
begin
  update messaging.batch_recipients r set contact_id = kept where r.contact_id = gone;
  if not found then
    return;
  end if;
  -- In the product's order, and before they are looked at.
  perform from messaging.messages m
  where m.id = any (array(
    select r.message_id from messaging.batch_recipients r
    where r.contact_id = kept and r.message_id is not null
  )) and m.status = 'queued'
  order by m.id
  for no key update;
  with listed as (
    select r.batch_id, r.index, r.message_id, case
        when r.status = 'pending' then 2
        when exists (
          select from messaging.message_queue q
          where q.message_id = r.message_id and q.claim_token is null
        ) then 1
        else 0
      end as rank
    from messaging.batch_recipients r
    where r.contact_id = kept and r.status <> 'skipped'
  ),
  ranked as (
    select l.*, row_number() over (partition by l.batch_id order by l.rank, l.index) as place
    from listed l
  )
  select jsonb_agg(to_jsonb(k)), array_agg(k.message_id) filter (where k.rank = 1)
  into doubled, waiting
  from ranked k
  where k.place > 1 and k.rank > 0;
  if waiting is not null then
    waiting := messaging.withdraw_messages(waiting, 'canceled');
  end if;
  doubled := (
    select jsonb_agg(jsonb_build_object('batch', d->'batch_id', 'index', d->'index'))
    from jsonb_array_elements(doubled) as d
    where d->>'rank' = '2' or (d->>'message_id')::uuid = any (waiting)
  );
  if doubled is not null then
    perform messaging.skip_recipients(doubled, 'duplicate_contact');
  end if;
end;
$$;
revoke all on function messaging.move_recipients(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.move_recipients(uuid, uuid) to service_role;

-- Makes recipients of batches skipped for a reason, whatever they were, and keeps the batches' counts.
-- Their messages that a pause has taken out of the queue are canceled.
-- `places`: [{batch, index}]. Locks the batches in the order of their ids, then those messages.
create or replace function messaging.skip_recipients(places jsonb, reason text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  taken_back uuid[];
begin
  perform from messaging.batches b
  where b.id = any (array(select (p->>'batch')::uuid from jsonb_array_elements(places) as p))
  order by b.id
  for no key update;
  with skipped as (
    update messaging.batch_recipients r
    set status = 'skipped', reason = skip_recipients.reason, draft = null
    from jsonb_to_recordset(places) as p(batch uuid, index integer)
    cross join lateral (
      select f.status from messaging.batch_recipients f
      where f.batch_id = p.batch and f.index = p.index
      offset 0
    ) as former
    where r.batch_id = any (array[p.batch]) and r.index = any (array[p.index])
    returning r.batch_id, r.message_id, former.status as former_status
  ),
  counted as (
    select s.batch_id, count(*) filter (where s.former_status <> 'skipped') as skipped,
      count(*) filter (where s.former_status = 'pending') as pending
    from skipped s
    group by s.batch_id
  ),
  updated as (
    update messaging.batches b
    set skipped_count = b.skipped_count + c.skipped, pending_count = b.pending_count - c.pending
    from counted c
    where b.id = any (array[c.batch_id])
  )
  select array_agg(s.message_id order by s.message_id) into taken_back
  from skipped s
  where s.message_id is not null and s.former_status = 'pending';
  if taken_back is not null then
    perform messaging.end_messages_taken_back(taken_back, 'canceled');
  end if;
end;
$$;
revoke all on function messaging.skip_recipients(jsonb, text) from public, anon, authenticated;
grant execute on function messaging.skip_recipients(jsonb, text) to service_role;

create index if not exists batch_recipients_untold on messaging.batch_recipients (batch_id)
where status != 'accepted' and message_id is not null;

drop index messaging.batch_recipients_taken_back;
