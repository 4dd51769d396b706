set local check_function_bodies = off;

-- A recipient whose turn walk_batches looks at: `reason` says why it gets no message, whatever its slot.
create type messaging.batch_candidate as (
  index integer,
  contact_id uuid,
  message_id uuid,
  reason text,
  is_new boolean,
  not_before timestamptz,
  reachable_until timestamptz
);
comment on type messaging.batch_candidate is
  'is_new and not_before as take_protected_slot decides them; after reachable_until the channel''s window is closed for this message.';

-- What walk_batches finds for a recipient: its slot, or why it gets none.
create type messaging.batch_step as (
  batch_id uuid,
  index integer,
  contact_id uuid,
  message_id uuid,
  reason text,
  slot timestamptz
);

-- settle_messages: locks the queue rows and messages whose claim the results still hold, and decides
-- what becomes of each. Changes nothing. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.decide_settlements(results jsonb, clock timestamptz)
returns messaging.settlement[]
language plpgsql
set search_path = ''
as $$
declare
  settlements messaging.settlement[];
begin
  with decided as (
    select
      q.message_id,
      q.instance_id,
      m.contact_id,
      q.claim_token,
      q.lane,
      r.outcome,
      r."providerMessageId",
      r."waId",
      r.error,
      r."sealedProviderConfig",
      q.echo,
      coalesce(r."isUnsent", false) as is_unsent,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      -- A delivery event has proved what it moved on: that is not sent again, whatever the answer says.
      coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage or r."isUnsent" then q.max_attempts > 1
            else (r.retryable or old.has_old_credentials) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried,
      case
        when old.has_old_credentials or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced messages are held.
        when outage.is_outage then (
          select greatest(clock + messaging.hold_for_refusal(q.instance_id), d.hold_until)
          from messaging.dispatch d where d.instance_id = q.instance_id
        )
        when r."isUnsent" then clock
        when r.retryable then clock + messaging.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at,
      outage.is_outage,
      coalesce(r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials, false)
        as holds_instance,
      old.has_old_credentials,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      r.outcome = 'accepted' and q.max_attempts > 1 and m.agent_id is null
        and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' and m.batch_id is null as pauses_agent
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "isUnsent" boolean, "sealedProviderConfig" text
    )
    join messaging.message_queue q on q.message_id = any (array[r."messageId"])
    join messaging.messages m on m.id = any (array[q.message_id])
    -- A refusal of credentials that have been replaced since says nothing about the new ones.
    cross join lateral (
      select coalesce(
        r.scope = 'instance' and (
          select i.sealed_provider_config <> r."sealedProviderConfig"
          from messaging.instances i where i.id = q.instance_id
        ),
        false
      ) as has_old_credentials
    ) as old
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials
          and (r."isOutage" is true or r.retryable is not true),
        false
      ) as is_outage
    ) as outage
    where q.claim_token = r."claimToken"
    -- Not by q.message_id: an ordered scan of the whole queue would spare the sort.
    order by r."messageId"
    for no key update of q, m
  )
  select array_agg(row(decided.*)::messaging.settlement) into settlements from decided;
  return settlements;
end;
$$;
revoke all
on function messaging.decide_settlements(jsonb, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.decide_settlements(jsonb, timestamptz) to service_role;

-- The record of a batch, with instants in its instance's zone. firstScheduledFor and lastScheduledFor are
-- those of its messages, and of the slots that are forecast for its pending recipients: see walk_batches, and
-- for many of them expected_end.
create or replace function messaging.describe_batch(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  zone constant text := instance.time_zone;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  -- More slots than these are not forecast one by one whenever a batch is read.
  most_forecast constant integer := 1000;
  first_slot timestamptz;
  last_slot timestamptz;
  first_expected timestamptz;
  last_expected timestamptz;
begin
  select min(m.scheduled_for), max(m.scheduled_for) into first_slot, last_slot
  from messaging.messages m
  where m.batch_id = batch.id;
  if batch.status = 'running' and batch.pending_count > 0 then
    begin
      select min(w.slot), max(w.slot) into first_expected, last_expected
      from messaging.walk_batches(
        instance, clock, null, null, batch.id,
        case when batch.pending_count > most_forecast then batch.first_pending end, false
      ) as w;
    exception when sqlstate 'MI010' then
      null;
    end;
    if batch.pending_count > most_forecast then
      last_expected := messaging.expected_end(instance, batch, clock);
    end if;
    first_slot := least(first_slot, first_expected);
    last_slot := greatest(last_slot, last_expected);
  end if;
  return jsonb_build_object(
    'batchId', batch.id,
    'name', batch.name,
    'status', batch.status,
    'templateId', batch.source->'template'->'templateId',
    'purpose', coalesce(batch.purpose, 'service'),
    'validation', batch.validation,
    'intervalSeconds', batch.interval_seconds,
    'startAt', messaging.iso_in_zone(batch.start_at, zone),
    'expiresAt', messaging.iso_in_zone(batch.expires_at, zone),
    'recipientCount', batch.recipient_count,
    'counts', messaging.batch_counts(batch),
    'firstScheduledFor', messaging.iso_in_zone(first_slot, zone),
    'lastScheduledFor', messaging.iso_in_zone(last_slot, zone),
    'createdAt', messaging.iso_in_zone(batch.created_at, zone),
    'startedAt', messaging.iso_in_zone(batch.started_at, zone),
    'finishedAt', messaging.iso_in_zone(batch.finished_at, zone)
  );
end;
$$;
revoke all on function messaging.describe_batch(messaging.batches) from public, anon, authenticated;
grant execute on function messaging.describe_batch(messaging.batches) to service_role;

-- What a dry run answers: `steps` as walk_batches gives them, in order, with instants in the instance's zone.
-- `next_index`: where the next part of the list begins; NULL for none.
create or replace function messaging.describe_dry_run(
  steps messaging.batch_step[],
  zone text,
  next_index integer
)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'summary', jsonb_build_object(
      'send', count(s.slot),
      'skip', (
        select coalesce(jsonb_object_agg(r.reason, r.number), '{}')
        from (
          select p.reason, count(*) as number
          from unnest(steps) as p
          where p.reason is not null
          group by p.reason
        ) as r
      ),
      'firstScheduledFor', messaging.iso_in_zone(min(s.slot), zone),
      'lastScheduledFor', messaging.iso_in_zone(max(s.slot), zone),
      'days', count(distinct (s.slot at time zone zone)::date)
    ),
    'items', coalesce(jsonb_agg(jsonb_build_object(
      'index', s.index,
      'outcome', case when s.slot is null then 'skip' else 'send' end,
      'reason', s.reason,
      'scheduledFor', messaging.iso_in_zone(s.slot, zone)
    ) order by s.index), '[]'),
    'nextIndex', next_index
  )
  from unnest(steps) as s;
$$;
revoke all
on function messaging.describe_dry_run(messaging.batch_step[], text, integer)
from public, anon, authenticated;
grant execute
on function messaging.describe_dry_run(messaging.batch_step[], text, integer)
to service_role;

-- Ends the messages of a batch that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds the batch.
create or replace function messaging.end_taken_back(of_batch uuid, status text)
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
    set status = end_taken_back.status,
      canceled_at = case when end_taken_back.status = 'canceled' then clock_timestamp() end
    where m.batch_id = of_batch and m.status = 'queued'
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning m.id
  )
  select array_agg(e.id order by e.id) into ended from ended_messages e;
  perform messaging.record_message_events(ended, array['message.' || end_taken_back.status]);
end;
$$;
revoke all on function messaging.end_taken_back(uuid, text) from public, anon, authenticated;
grant execute on function messaging.end_taken_back(uuid, text) to service_role;

-- About when the last of a running batch's many recipients will be written to: by the windows, the intervals
-- and the daily limits, as if nobody were passed over and nothing else were sent, with half the jitter.
-- NULL where the send window never opens. See walk_batches for the exact slots of few.
create or replace function messaging.expected_end(
  instance messaging.instances,
  batch messaging.batches,
  clock timestamptz
)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  running constant integer := (
    select count(*) from messaging.batches b
    where b.instance_id = instance.id and b.status = 'running'
  );
  pace constant interval := make_interval(
    secs => (batch.interval_seconds + coalesce(walk.jitter_seconds, 0) / 2.0) * greatest(running, 1)
  );
  remaining integer := batch.pending_count;
  slot timestamptz;
  fitting bigint;
begin
  walk := messaging.next_slot(
    instance, walk, batch.interval_seconds, batch.start_at, interval '0', null, false
  );
  slot := walk.slot;
  loop
    fitting := 1 + floor(extract(epoch from greatest(
      messaging.window_open_until(instance, slot) - slot - interval '1 millisecond', interval '0'
    )) / extract(epoch from pace));
    fitting := greatest(least(fitting, messaging.day_limit(
      walk.daily_limit, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from,
      (slot at time zone instance.time_zone)::date
    )), 1);
    exit when remaining <= fitting;
    remaining := remaining - fitting;
    slot := greatest(messaging.window_open_until(instance, slot), slot + pace);
    if not messaging.is_send_window_open(instance, slot) then
      slot := messaging.next_window_start(instance, slot);
    end if;
    exit when slot is null;
  end loop;
  return slot + pace * (remaining - 1);
exception when sqlstate 'MI010' then
  return null;
end;
$$;
revoke all
on function messaging.expected_end(messaging.instances, messaging.batches, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.expected_end(messaging.instances, messaging.batches, timestamptz)
to service_role;

-- release_instances: feeds the batches of instances (see feed_instance) without endangering what has been
-- settled: where the send window never opens, nothing is queued until it is changed. The caller holds the
-- pacing rows.
create or replace function messaging.feed_after_settling(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance_id uuid;
begin
  foreach instance_id in array instance_ids loop
    begin
      perform messaging.feed_instance(instance_id);
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
end;
$$;
revoke all on function messaging.feed_after_settling(uuid[]) from public, anon, authenticated;
grant execute on function messaging.feed_after_settling(uuid[]) to service_role;

-- Gives the running batches of an instance their next message, where none of theirs waits in its queue, and
-- ends those that have nothing left. So an instance has at most one message of its batches waiting: a single
-- send waits for no more than one interval for their sake.
-- Whom the batches pass over until then is skipped, with its reason. Who has no slot in time stays pending:
-- it reads as expired when the batch's time is over.
-- A batch that begins later is given its first message one interval before, so that its slot holds up
-- nothing until then.
-- The caller holds the pacing row. Locks the batches, and tries the recipient's contact without waiting:
-- who merges or erases it may wait for the pacing row. The dispatcher's maintenance comes back then.
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

-- Ends the running batches of an instance that have nothing left to send: no message of theirs waits or is
-- being sent, and no recipient is pending, or the time of all of them is over. Records batch.finished.
-- The caller holds the batches.
create or replace function messaging.finish_batches(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  batch messaging.batches;
begin
  perform messaging.end_taken_back(b.id, 'expired')
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
revoke all on function messaging.finish_batches(uuid) from public, anon, authenticated;
grant execute on function messaging.finish_batches(uuid) to service_role;

-- What is known of a recipient before it has a slot: why it gets no message (`contact` as it is now), and
-- what its slot depends on. `contact` is a row of NULLs but for the identity of whom no contact exists yet.
-- `phone`: as the list has it. `draft`: its message.
create or replace function messaging.judge_recipient(
  instance messaging.instances,
  purpose text,
  contact messaging.contacts,
  phone text,
  draft jsonb,
  inout candidate messaging.batch_candidate
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  candidate.is_new := false;
  if candidate.reason is not null then
    return;
  end if;
  if contact.is_blocked then
    candidate.reason := 'blocked';
  elsif purpose = 'marketing' and contact.consent_marketing = 'denied' then
    candidate.reason := 'opted_out';
  elsif phone is null and contact.phone is null and messaging.lacks_address(
    instance, contact, draft->'content'->'template'->'needsPhone' is not null
  ) then
    candidate.reason := 'recipient_needs_phone';
  end if;
  if instance.provider_class = 'official' and draft->>'messageType' <> 'template' then
    candidate.reachable_until := contact.last_inbound_at + interval '24 hours';
  end if;
  if instance.protection->>'newContactsPerDay' is null or candidate.reason is not null then
    return;
  end if;
  candidate.is_new := candidate.contact_id is null or messaging.is_new_contact(candidate.contact_id);
  if candidate.is_new then
    -- As take_protected_slot: a further message to a new contact leaves after the first.
    select q.scheduled_at into candidate.not_before
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.contact_id = candidate.contact_id and m.sent_at is null and m.status = 'queued' and q.is_new
    order by q.scheduled_at desc
    limit 1;
    candidate.is_new := not found;
  end if;
end;
$$;
revoke all
on function messaging.judge_recipient(
  messaging.instances,
  text,
  messaging.contacts,
  text,
  jsonb,
  messaging.batch_candidate
)
from public, anon, authenticated;
grant execute
on function messaging.judge_recipient(
  messaging.instances,
  text,
  messaging.contacts,
  text,
  jsonb,
  messaging.batch_candidate
)
to service_role;

-- The entries of a list that is not stored, as add_recipients would store them and judge_recipient judges
-- them. `entries` as in add_recipients. Writes nothing: whom no contact stands for is new.
create or replace function messaging.judged_entries(
  instance messaging.instances,
  purpose text,
  entries jsonb
)
returns setof messaging.batch_candidate
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  contact_ids constant uuid[] := messaging.entry_contacts(instance.id, entries);
  listed record;
  contact messaging.contacts;
  candidate messaging.batch_candidate;
begin
  for listed in
    with named as (
      select e.place::integer as place, e.entry, contact_ids[e.place::integer] as contact_id,
        messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId')) as identity_key
      from jsonb_array_elements(entries) with ordinality as e(entry, place)
    )
    select n.*, row_number() over (
        partition by n.entry->>'reason' is null, coalesce(n.contact_id::text, n.identity_key)
        order by n.place
      ) as occurrence
    from named n
    order by n.place
  loop
    contact := null;
    select c.* into contact from messaging.contacts c where c.id = listed.contact_id;
    if contact.id is null then
      contact.identity_key := listed.identity_key;
    end if;
    candidate := null;
    candidate.index := listed.place - 1;
    candidate.contact_id := listed.contact_id;
    candidate.reason := case
      when listed.entry->>'reason' is not null then listed.entry->>'reason'
      when contact.id is null and listed.entry->>'contactId' is not null then 'contact_not_found'
      when listed.occurrence > 1 then 'duplicate_contact'
    end;
    return next messaging.judge_recipient(
      instance, purpose, contact, listed.entry->>'phone', listed.entry->'draft', candidate
    );
  end loop;
end;
$$;
revoke all
on function messaging.judged_entries(messaging.instances, text, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.judged_entries(messaging.instances, text, jsonb)
to service_role;

-- Whether a message to the contact would be refused because its channel cannot address it: see
-- channel_send_address. Only for contacts without a phone.
create or replace function messaging.lacks_address(
  instance messaging.instances,
  contact messaging.contacts,
  needs_phone boolean
)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  perform messaging.channel_send_address(instance, contact, null, needs_phone);
  return false;
exception when sqlstate 'MI033' then
  return true;
end;
$$;
revoke all
on function messaging.lacks_address(messaging.instances, messaging.contacts, boolean)
from public, anon, authenticated;
grant execute
on function messaging.lacks_address(messaging.instances, messaging.contacts, boolean)
to service_role;

-- The row of a batch as the creating call asks for it; without recipients, not stored. `request` as in
-- create_batch.
create or replace function messaging.new_batch(request jsonb)
returns messaging.batches
language plpgsql
volatile
set search_path = ''
as $$
declare
  batch messaging.batches;
begin
  batch.id := gen_random_uuid();
  batch.instance_id := request->>'instanceId';
  batch.name := request->>'name';
  batch.status := 'draft';
  batch.source := request->'source';
  batch.purpose := request->>'purpose';
  batch.validation := request->>'validation';
  batch.interval_seconds := request->>'intervalSeconds';
  batch.start_at := date_trunc('milliseconds', (request->>'startAt')::timestamptz);
  batch.expires_at := request->>'expiresAt';
  batch.seed := md5(concat_ws(
    ' ', batch.instance_id, batch.name, batch.source, batch.interval_seconds, batch.start_at
  ));
  batch.recipient_count := 0;
  batch.pending_count := 0;
  batch.skipped_count := 0;
  batch.first_pending := 0;
  batch.created_at := date_trunc('milliseconds', clock_timestamp());
  return batch;
end;
$$;
revoke all on function messaging.new_batch(jsonb) from public, anon, authenticated;
grant execute on function messaging.new_batch(jsonb) to service_role;

-- Keeps in dispatch whether an instance has a running batch, so that a settlement need not look for one.
-- The caller holds the pacing row.
create or replace function messaging.note_feeding(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  is_feeding constant boolean := exists (
    select from messaging.batches b where b.instance_id = of_instance and b.status = 'running'
  );
begin
  update messaging.dispatch d
  set feeds_batches = is_feeding
  where d.instance_id = of_instance and d.feeds_batches <> is_feeding;
end;
$$;
revoke all on function messaging.note_feeding(uuid) from public, anon, authenticated;
grant execute on function messaging.note_feeding(uuid) to service_role;

-- feed_instance: gives a recipient of a running batch its message, in the queue: a new one, or the one that a
-- pause has taken back or that is tried again. The caller holds pacing and the batch, and the contact.
-- Returns the message's id. Errors: MI010.
create or replace function messaging.place_batch_message(
  instance messaging.instances,
  batch messaging.batches,
  recipient_index integer
)
returns uuid
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  recipient messaging.batch_recipients;
  placed_id uuid;
  conversation messaging.conversations;
  placed record;
  moved_by text;
begin
  select r.* into strict recipient from messaging.batch_recipients r
  where r.batch_id = batch.id and r.index = recipient_index;
  placed_id := coalesce(recipient.message_id, gen_random_uuid());
  placed := messaging.enqueue_message(
    placed_id, instance, batch.interval_seconds, batch.start_at, interval '0', recipient.contact_id,
    batch.seed || ' ' || recipient.index
  );
  moved_by := coalesce(placed.held_by, case when placed.slot > clock_timestamp() then 'delay' end);
  if recipient.message_id is not null then
    update messaging.messages m
    set status = 'queued', scheduled_for = placed.slot, held_by = moved_by,
      confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
      unconfirmed_at = null
    where m.id = placed_id;
  else
    conversation := messaging.resolve_conversation(instance.id, recipient.contact_id);
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content, card_id,
      mode, interval_seconds, status, scheduled_for, held_by, phone_given, metadata, purpose, batch_id,
      expires_at
    )
    select placed_id, instance.id, c.id, conversation.id, 'outbound', recipient.draft->>'messageType',
      recipient.draft->>'message', nullif(recipient.draft->'content', 'null'),
      recipient.draft->>'cardId', 'queued', batch.interval_seconds, 'queued', placed.slot,
      moved_by, nullif(recipient.phone, c.phone), nullif(recipient.draft->'metadata', 'null'),
      batch.purpose, batch.id, batch.expires_at
    from messaging.contacts c
    where c.id = recipient.contact_id;
  end if;
  update messaging.batch_recipients r
  set status = 'accepted', message_id = placed_id, draft = null
  where r.batch_id = batch.id and r.index = recipient.index;
  return placed_id;
end;
$$;
revoke all
on function messaging.place_batch_message(messaging.instances, messaging.batches, integer)
from public, anon, authenticated;
grant execute
on function messaging.place_batch_message(messaging.instances, messaging.batches, integer)
to service_role;

-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, and to hold the
-- instance retry_at, is_outage and sealed_provider_config: a refusal of credentials that have been
-- replaced holds nothing. Records instance.held where a hold begins or is prolonged.
-- Gives the running batches of released instances their next message.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_instances(settlements messaging.settlement[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  released uuid[];
  held uuid[];
  held_longer uuid[];
  has_returned boolean;
  feeding uuid[];
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance),
    bool_or(s.is_retried and s.lane = 'paced')
  into released, held, has_returned
  from unnest(settlements) as s;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if has_returned then
    perform messaging.return_places(
      array(select s.message_id from unnest(settlements) as s where s.is_retried)
    );
  end if;
  if held is not null then
    with former as (
      select d.instance_id, greatest(d.hold_until, d.operator_hold_until, clock_timestamp()) as ends_at
      from messaging.dispatch d
      where d.instance_id = any (held)
    ), refused as (
      update messaging.dispatch d
      set hold_until = greatest(d.hold_until, s.retry_at),
        refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
      from unnest(settlements) as s
      join messaging.instances i on i.id = any (array[s.instance_id])
      where s.holds_instance and d.instance_id = any (array[s.instance_id])
        and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config)
      returning d.instance_id, d.hold_until
    )
    select array_agg(r.instance_id) into held_longer
    from refused r
    join former f on f.instance_id = any (array[r.instance_id])
    where r.hold_until > f.ends_at;
    if held_longer is not null then
      perform messaging.record_instance_holds(
        held_longer, array_fill(text 'provider_refused', array[cardinality(held_longer)])
      );
    end if;
  end if;

  with freed as (
  update messaging.dispatch d
  set in_flight = null,
    lease_until = null,
    next_due_at = messaging.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(settlements) as s
  left join lateral (
    -- head_of_queue, written out: settling is the queue's busiest path.
    select q.scheduled_at, q.interval_seconds
    from messaging.message_queue q
    where q.instance_id = s.instance_id and q.lane = 'paced' and q.claim_token is null
    order by q.scheduled_at, q.position
    limit 1
  ) as head on true
  -- "is true" keeps the plan off the index of everything in flight.
  where s.lane = 'paced' and d.instance_id = any (array[s.instance_id]) and (d.in_flight = s.message_id) is true
  returning d.instance_id, d.feeds_batches
  )
  select array_agg(f.instance_id order by f.instance_id) into feeding from freed f where f.feeds_batches;

  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
  if feeding is not null then
    perform messaging.feed_after_settling(feeding);
  end if;
end;
$$;
revoke all
on function messaging.release_instances(messaging.settlement[])
from public, anon, authenticated;
grant execute on function messaging.release_instances(messaging.settlement[]) to service_role;

-- Makes the recipients of a batch whose message has failed pending again. Never those whose message is
-- unconfirmed: it may have left. Returns how many. The caller holds the batch.
create or replace function messaging.retry_failed_recipients(of_batch uuid)
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  retried integer;
begin
  with failed as (
    update messaging.batch_recipients r
    set status = 'pending'
    from messaging.messages m
    where m.batch_id = of_batch and m.status = 'failed'
      and r.contact_id = any (array[m.contact_id]) and r.batch_id = of_batch and r.message_id = m.id
      and r.status = 'accepted'
      -- A delivery event may have failed it while its call is still open.
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning r.index
  )
  update messaging.batches b
  set pending_count = b.pending_count + f.number, first_pending = least(b.first_pending, f.first)
  from (select count(*)::integer as number, min(failed.index) as first from failed) as f
  where b.id = of_batch and f.number > 0
  returning f.number into retried;
  return coalesce(retried, 0);
end;
$$;
revoke all on function messaging.retry_failed_recipients(uuid) from public, anon, authenticated;
grant execute on function messaging.retry_failed_recipients(uuid) to service_role;

-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends. The caller settles the other results,
-- whose claims it has locked now.
-- "= any (...)" everywhere: such a look-up has one plan, by the primary key, whatever the statistics.
-- Locks queue rows with their messages, in the order of their ids.
create or replace function messaging.settle_plain_acceptances(
  results jsonb,
  clock timestamptz,
  out settled uuid[],
  out settlements messaging.settlement[]
)
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
  ids uuid[];
  tokens uuid[];
  provider_ids text[];
  instances uuid[];
begin
  for place in 0..jsonb_array_length(results) - 1 loop
    result := results->place;
    ids := ids || (result->>'messageId')::uuid;
    tokens := tokens || (result->>'claimToken')::uuid;
    provider_ids := provider_ids || (result->>'providerMessageId');
  end loop;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        null, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1),
    array_agg(distinct locked.instance_id) filter (where locked.is_plain)
  into settled, settlements, instances
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' and m.batch_id is null as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = tokens[array_position(ids, q.message_id)]
    order by q.message_id
    for no key update of q, m
  ) as locked;
  if settled is null then
    return;
  end if;
  delete from messaging.message_queue q where q.message_id = any (settled);
  perform messaging.hold_event_floors(instances);
  with sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(
        provider_ids[array_position(ids, m.id)], m.provider_message_id
      ),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = any (settled) and c.id = any (array[m.contact_id])
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      ),
      null,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
    )::messaging.message_snapshot as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s
  order by (s.message).id;
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;

-- A pause: takes the waiting messages of a batch out of the queue, and gives their slots back. They keep
-- their ids, and their recipients are pending again. A message in flight stays.
-- The caller holds pacing and the batch. Tries the queue rows without waiting: their holders are about to
-- send the messages.
create or replace function messaging.take_back_waiting(batch messaging.batches)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  gone messaging.message_queue[];
  taken_back integer;
begin
  with waiting as materialized (
    select q.message_id
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.batch_id = batch.id and m.status = 'queued' and q.claim_token is null
    for update of q skip locked
  ),
  taken as (
    delete from messaging.message_queue q
    using waiting
    where q.message_id = any (array[waiting.message_id])
    returning q
  )
  select array_agg(taken.q) into gone from taken;
  if gone is null then
    return;
  end if;
  update messaging.messages m
  set scheduled_for = null, held_by = null
  where m.id = any (array(select g.message_id from unnest(gone) as g));
  with pending as (
    update messaging.batch_recipients r
    set status = 'pending'
    from unnest(gone) as g
    join messaging.messages m on m.id = any (array[g.message_id])
    where r.contact_id = any (array[m.contact_id]) and r.batch_id = batch.id and r.message_id = m.id
      and r.status = 'accepted'
    returning r.index
  )
  update messaging.batches b
  set pending_count = b.pending_count + p.number, first_pending = least(b.first_pending, p.first)
  from (select count(*)::integer as number, min(pending.index) as first from pending) as p
  where b.id = batch.id;
  perform messaging.give_back_slots(gone);
  perform messaging.refresh_dispatch(array[batch.instance_id]);
end;
$$;
revoke all
on function messaging.take_back_waiting(messaging.batches)
from public, anon, authenticated;
grant execute on function messaging.take_back_waiting(messaging.batches) to service_role;

-- The one forecast of batches: whom the running batches of an instance write to next, in order, at which
-- slots, and whom they pass over and why. Starting and feeding a batch take its first steps (see
-- feed_instance); recipients and dry runs are told its later ones. The slots are next_slot's, from what is
-- stored now: what is queued meanwhile makes them later.
-- `draft`: a batch that is walked as if it had been started at `clock`; a row of NULLs for none. `entries`:
-- its recipients, where they are not stored; of a stored draft, the skipped ones are walked too.
-- `of_batch`: whose steps are returned; NULL for all. `last_index`: the last of them. With
-- `stops_at_message` the walk ends with the first recipient that gets a message.
-- The batches take turns: first comes who was never served, then who was served longest ago, among those
-- whose start_at the slots have reached. A recipient that is passed over costs its batch no turn.
-- Reads recipients from cursors: whoever needs few reads few. Writes and locks nothing. Errors: MI010.
create or replace function messaging.walk_batches(
  instance messaging.instances,
  clock timestamptz,
  draft messaging.batches,
  entries jsonb,
  of_batch uuid,
  last_index integer,
  stops_at_message boolean
)
returns setof messaging.batch_step
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  next messaging.slot_walk;
  front timestamptz;
  batch messaging.batches;
  lists messaging.batches[];
  cursors refcursor[];
  heads messaging.batch_candidate[];
  served integer[];
  is_over boolean[];
  list refcursor;
  fetched record;
  head messaging.batch_candidate;
  step messaging.batch_step;
  turns integer := 0;
  passed_over integer := 0;
  chosen integer;
begin
  select p.last_slot_at into front from messaging.pacing p where p.instance_id = instance.id;
  for batch in
    select b.* from messaging.batches b where b.instance_id = instance.id and b.status = 'running'
    union all
    select draft.* where draft.instance_id is not null
    order by served_at nulls first, created_at, id
  loop
    if batch.id is not distinct from draft.id and entries is not null then
      open list for
        select j as candidate from messaging.judged_entries(instance, batch.purpose, entries) as j;
    else
      open list for
        select messaging.judge_recipient(
          instance, batch.purpose, c, r.phone,
          case when r.message_id is null then r.draft else jsonb_build_object(
            'messageType', m.message_type, 'content', m.content
          ) end,
          row(
            r.index, r.contact_id, r.message_id,
            case
              when r.status = 'skipped' then r.reason
              when r.message_id is not null and coalesce(m.status not in ('queued', 'failed'), true)
                then 'settled'
              when c.id is null then 'contact_erased'
            end,
            false, null, null
          )::messaging.batch_candidate
        ) as candidate
        from messaging.batch_recipients r
        left join lateral (
          select f.* from messaging.contacts f where f.id = r.contact_id offset 0
        ) as c on true
        left join lateral (
          select f.* from messaging.messages f where f.id = r.message_id offset 0
        ) as m on true
        where r.batch_id = batch.id and r.index >= batch.first_pending
          and (batch.status = 'draft' or r.status = 'pending')
        order by r.index;
    end if;
    fetch list into fetched;
    if not found then
      close list;
      continue;
    end if;
    turns := turns + 1;
    lists := lists || batch;
    cursors := cursors || list;
    heads := heads || fetched.candidate;
    served := served || turns;
    is_over := is_over || false;
    list := null;
  end loop;

  while cardinality(lists) > 0 loop
    chosen := null;
    for place in 1..cardinality(lists) loop
      batch := lists[place];
      if batch.start_at is null or batch.start_at
        <= greatest(clock, front + make_interval(secs => batch.interval_seconds)) then
        if chosen is null or served[place] < served[chosen] then
          chosen := place;
        end if;
      end if;
    end loop;
    if chosen is null then
      chosen := 1;
      for place in 2..cardinality(lists) loop
        if lists[place].start_at < lists[chosen].start_at then
          chosen := place;
        end if;
      end loop;
    end if;
    batch := lists[chosen];
    head := heads[chosen];
    list := cursors[chosen];

    -- One turn: the recipients that are passed over, and the next one that is written to.
    loop
      exit when head.index > last_index and batch.id is not distinct from of_batch;
      step := row(batch.id, head.index, head.contact_id, head.message_id, head.reason, null);
      if step.reason is null and is_over[chosen] then
        step.reason := 'expires_before_slot';
      elsif step.reason is null then
        next := messaging.next_slot(
          instance, walk, batch.interval_seconds, greatest(batch.start_at, head.not_before),
          interval '0', batch.seed || ' ' || head.index, head.is_new
        );
        step.reason := case
          when head.reachable_until < next.slot then 'window_closed'
          when batch.expires_at <= next.slot then 'expires_before_slot'
        end;
        if step.reason is null then
          walk := next;
          front := greatest(front, walk.slot);
          step.slot := walk.slot;
        elsif step.reason = 'expires_before_slot' and instance.protection is null then
          -- Slots only grow: no later recipient of the list has an earlier one.
          is_over[chosen] := true;
        end if;
      end if;
      if of_batch is null or batch.id is not distinct from of_batch then
        return next step;
      end if;
      fetch list into fetched;
      head := case when found then fetched.candidate end;
      exit when head.index is null or step.reason is null;
      -- Nobody of the list has a slot in time, or so many have none that it is left for another time.
      passed_over := passed_over + 1;
      if stops_at_message and (is_over[chosen] or passed_over >= 2000) then
        head := null;
        exit;
      end if;
    end loop;

    if stops_at_message and step.slot is not null
      or batch.id is not distinct from of_batch and (head.index is null or head.index > last_index) then
      return;
    end if;
    if head.index is null then
      lists := lists[:chosen - 1] || lists[chosen + 1:];
      cursors := cursors[:chosen - 1] || cursors[chosen + 1:];
      heads := heads[:chosen - 1] || heads[chosen + 1:];
      served := served[:chosen - 1] || served[chosen + 1:];
      is_over := is_over[:chosen - 1] || is_over[chosen + 1:];
    else
      heads[chosen] := head;
      turns := turns + 1;
      served[chosen] := turns;
    end if;
  end loop;
end;
$$;
revoke all
on function messaging.walk_batches(
  messaging.instances,
  timestamptz,
  messaging.batches,
  jsonb,
  uuid,
  integer,
  boolean
)
from public, anon, authenticated;
grant execute
on function messaging.walk_batches(
  messaging.instances,
  timestamptz,
  messaging.batches,
  jsonb,
  uuid,
  integer,
  boolean
)
to service_role;

-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as withdraw_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  if cardinality(messaging.withdraw_messages(array[message.id], 'canceled')) = 0 then
    -- The message of a paused batch waits without a place in the queue.
    update messaging.messages m
    set status = 'canceled', canceled_at = clock_timestamp()
    where m.id = message.id and m.batch_id is not null
      and not exists (select from messaging.message_queue q where q.message_id = m.id);
    if not found then
      raise exception using errcode = 'MI011', message = 'message_not_cancelable';
    end if;
    perform messaging.record_message_events(array[message.id], array['message.canceled']);
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;

-- batches-api: starts, pauses, resumes or cancels a batch, or tries its failed messages again. `request`:
-- instanceId, batchId, action (start | pause | resume | cancel | retry-failed), idempotency. Returns the
-- batch. Changes a handful of rows, whatever the size of the batch, but for retry-failed.
-- Locks pacing, then the batch. Errors: MI007, MI008, MI010, MI027, MI028 (the batch's status does not allow
-- it).
create or replace function public.change_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  action constant text := request->>'action';
  clock constant timestamptz := clock_timestamp();
  replayed jsonb := messaging.begin_idempotent(request);
  batch messaging.batches;
  new_status text;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := messaging.find_batch(request);
  -- Whoever holds a message may wait for the pacing row.
  perform from messaging.messages m
  where m.batch_id = batch.id and m.status = 'queued'
  order by m.id
  for no key update;
  perform from messaging.pacing p where p.instance_id = batch.instance_id for no key update;
  select b.* into batch from messaging.batches b where b.id = batch.id for no key update;
  if not batch.status = any (case action
    when 'start' then array['draft']
    when 'pause' then array['running']
    when 'resume' then array['paused']
    when 'cancel' then array['draft', 'running', 'paused']
    when 'retry-failed' then array['running', 'paused', 'finished']
  end) then
    raise exception using errcode = 'MI028', message = 'batch_state';
  end if;
  if action = 'pause' then
    perform messaging.take_back_waiting(batch);
  elsif action = 'cancel' then
    perform messaging.withdraw_messages(
      array(
        select m.id from messaging.messages m
        where m.batch_id = batch.id and m.status = 'queued'
        order by m.id
        for no key update
      ),
      'canceled'
    );
    perform messaging.end_taken_back(batch.id, 'canceled');
  end if;
  new_status := case action
    when 'pause' then 'paused'
    when 'cancel' then 'canceled'
    when 'retry-failed' then case
      when messaging.retry_failed_recipients(batch.id) > 0 and batch.status = 'finished' then 'running'
      else batch.status
    end
    else 'running'
  end;
  update messaging.batches b
  set status = new_status,
    waiting_message = case when new_status = 'running' then b.waiting_message end,
    started_at = case when action = 'start' then clock else b.started_at end,
    finished_at = case new_status when 'canceled' then clock when 'finished' then b.finished_at end
  where b.id = batch.id;
  perform messaging.feed_instance(batch.instance_id);
  select b.* into strict batch from messaging.batches b where b.id = batch.id;
  return messaging.keep_outcome(request, messaging.describe_batch(batch));
end;
$$;
revoke all on function public.change_batch(jsonb) from public, anon, authenticated;
grant execute on function public.change_batch(jsonb) to service_role;

-- batches-api: a new draft, with its first recipients. `request`: instanceId, name, source, purpose,
-- validation, intervalSeconds, startAt, expiresAt, entries (see add_recipients), errors, idempotency (see begin_idempotent).
-- Returns {batchId, status, added, duplicates, errors}. Errors: MI007, MI008, 40001.
create or replace function public.create_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  batch constant messaging.batches := messaging.new_batch(request);
  stored record;
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.batches select batch.*;
  stored := messaging.add_recipients(batch.id, request->'entries', request->'errors');
  return messaging.keep_outcome(request, jsonb_build_object(
    'batchId', batch.id,
    'status', (stored.batch).status,
    'added', stored.added,
    'duplicates', stored.duplicates,
    'errors', stored.errors
  ));
end;
$$;
revoke all on function public.create_batch(jsonb) from public, anon, authenticated;
grant execute on function public.create_batch(jsonb) to service_role;

-- batches-api: what starting a draft now would do, from `fromIndex` on, for at most `limit` recipients.
-- `request`: instanceId, batchId, fromIndex, limit. Returns {summary {send, skip, firstScheduledFor,
-- lastScheduledFor, days}, items [{index, outcome, reason, scheduledFor}], nextIndex}.
-- It is the walk that starting takes, see walk_batches. Writes and locks nothing.
-- Errors: MI010, MI027, MI028 (no draft).
create or replace function public.dry_run_batch(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  first constant integer := (request->>'fromIndex')::integer;
  last constant integer := first + (request->>'limit')::integer - 1;
  steps messaging.batch_step[];
begin
  if batch.status <> 'draft' then
    raise exception using errcode = 'MI028', message = 'batch_state';
  end if;
  steps := array(
    select w from messaging.walk_batches(
      instance, date_trunc('milliseconds', clock_timestamp()), batch, null, batch.id, last, false
    ) as w
    where w.index >= first
  );
  return messaging.describe_dry_run(
    steps, instance.time_zone, case when last + 1 < batch.recipient_count then last + 1 end
  );
end;
$$;
revoke all on function public.dry_run_batch(jsonb) from public, anon, authenticated;
grant execute on function public.dry_run_batch(jsonb) to service_role;

-- batches-api: what creating a batch and starting it now would do. `request` as in create_batch. Returns as
-- dry_run_batch, for all entries. Writes and locks nothing. Errors: MI010.
create or replace function public.dry_run_new_batch(request jsonb)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  batch constant messaging.batches := messaging.new_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  steps messaging.batch_step[];
begin
  steps := array(
    select w from messaging.walk_batches(
      instance, date_trunc('milliseconds', clock_timestamp()), batch, request->'entries', batch.id,
      null, false
    ) as w
  );
  return messaging.describe_dry_run(steps, instance.time_zone, null);
end;
$$;
revoke all on function public.dry_run_new_batch(jsonb) from public, anon, authenticated;
grant execute on function public.dry_run_new_batch(jsonb) to service_role;

-- Dispatcher's maintenance: gives running batches their next message where none of theirs waits, and ends
-- those that have nothing left (see feed_instance). A settlement does so at once; this is for batches that
-- begin later, and for what went wrong or was locked then. `request`: maxInstances. Returns {fed}: how many
-- instances it has looked after. Passes over instances whose pacing row is locked.
create or replace function public.feed_batches(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  hungry uuid;
  fed integer := 0;
begin
  for hungry in
    select p.instance_id
    from messaging.pacing p
    where p.instance_id = any (array(
      select distinct b.instance_id
      from messaging.batches b
      where b.status = 'running' and not exists (
        select from messaging.batches w
        join messaging.message_queue q on q.message_id = w.waiting_message
        where w.instance_id = b.instance_id and w.status = 'running' and q.claim_token is null
          and q.attempts = 0
      )
    ))
    order by p.instance_id
    limit (request->>'maxInstances')::integer
    for no key update skip locked
  loop
    begin
      perform messaging.feed_instance(hungry);
      fed := fed + 1;
    exception when sqlstate 'MI010' then
      -- The send window never opens: nothing can be done until it is changed.
      null;
    end;
  end loop;
  return jsonb_build_object('fed', fed);
end;
$$;
revoke all on function public.feed_batches(jsonb) from public, anon, authenticated;
grant execute on function public.feed_batches(jsonb) to service_role;

-- batches-api: the recipients of a batch in the order of its list, a page at a time. `request`: instanceId,
-- batchId, status (as recipient_status tells it; NULL for any), limit, `after` {index} as returned in
-- `next`. Returns {items, next}. Of pending recipients of a running batch it tells the slot that is forecast,
-- or why they would get none: see walk_batches. Errors: MI027.
create or replace function public.list_batch_recipients(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  page_size constant integer := (request->>'limit')::integer;
  rows jsonb[];
  last_pending integer;
  forecast jsonb := '{}';
begin
  rows := array(
    select jsonb_build_object(
      'index', r.index,
      'contactId', r.contact_id,
      'phone', coalesce(r.phone, c.phone),
      'status', told.status,
      'reason', r.reason,
      'messageId', r.message_id,
      'scheduledFor', messaging.iso_in_zone(
        case when told.status <> 'pending' then m.scheduled_for end, instance.time_zone
      ),
      'lastError', m.last_error
    )
    from messaging.batch_recipients r
    left join lateral (
      select f.* from messaging.messages f where f.id = r.message_id offset 0
    ) as m on true
    left join lateral (
      select f.phone from messaging.contacts f where f.id = r.contact_id offset 0
    ) as c on true
    cross join lateral (
      select messaging.recipient_status(batch, r, m.status) as status
    ) as told
    where r.batch_id = batch.id and r.index > coalesce((request->'after'->>'index')::integer, -1)
      and (request->>'status' is null or told.status = request->>'status')
    order by r.index
    limit page_size + 1
  );
  select max((f.found->>'index')::integer) into last_pending
  from unnest(rows[:page_size]) as f(found)
  where f.found->>'status' = 'pending';
  if batch.status = 'running' and last_pending is not null then
    begin
      select coalesce(jsonb_object_agg(w.index, jsonb_build_object(
        'scheduledFor', messaging.iso_in_zone(w.slot, instance.time_zone), 'reason', w.reason
      )), '{}')
      into forecast
      from messaging.walk_batches(
        instance, date_trunc('milliseconds', clock_timestamp()), null, null, batch.id, last_pending, false
      ) as w
      where w.reason is distinct from 'settled';
    exception when sqlstate 'MI010' then
      null;
    end;
  end if;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(
        f.found || coalesce(
          case when f.found->>'status' = 'pending' then forecast->(f.found->>'index') end, '{}'
        )
        order by (f.found->>'index')::integer
      ), '[]')
      from unnest(rows[:page_size]) as f(found)
    ),
    'next', case when cardinality(rows) > page_size then
      jsonb_build_object('index', rows[page_size]->'index')
    end
  );
end;
$$;
revoke all on function public.list_batch_recipients(jsonb) from public, anon, authenticated;
grant execute on function public.list_batch_recipients(jsonb) to service_role;

alter table messaging.dispatch add column if not exists feeds_batches boolean default false not null;

comment on column messaging.dispatch.feeds_batches is
  'Whether a batch of the instance is running: then a settlement gives it its next message.';

-- Drafts that are there already get a seed of their own.
alter table messaging.batches add column seed text not null default gen_random_uuid()::text;
alter table messaging.batches alter column seed drop default;
comment on column messaging.batches.seed is
  'What the jitter is drawn from, with the index. It follows from what the batch is: a dry run of the creating call knows it.';
