set local check_function_bodies = off;

-- Gives the running batches of an instance their next message, where none of theirs waits in its queue, and
-- ends those that have nothing left. So an instance has at most one message of its batches waiting, beside
-- those that have lost a new contact's place of today: a single send waits for no more than one interval
-- for their sake. A slot that lies further away, as of tomorrow, is taken one interval before.
-- Whom the batches pass over until then is skipped, with its reason. Who has no slot in time stays pending:
-- it reads as expired when the batch's time is over.
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
  waiting_as_new jsonb := '{}';
  placed_id uuid;
begin
  perform from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running'
  order by b.id
  for no key update;
  if messaging.has_waiting_message(of_instance) then
    perform messaging.finish_batches(of_instance);
    return;
  end if;
  for step in
    select w.* from messaging.walk_batches(instance, clock, null, null, null, null, true) as w
  loop
    continue when step.reason = 'expires_before_slot';
    if step.reason = 'new_contacts' then
      waiting_as_new := waiting_as_new || jsonb_build_object(step.batch_id, step.index + 1);
      continue;
    end if;
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
    else
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
revoke all on function messaging.feed_instance(uuid) from public, anon, authenticated;
grant execute on function messaging.feed_instance(uuid) to service_role;

-- Whether a message of an instance's running batches waits in its queue for its slot: no other one follows
-- until then. One that waits for another day because its contact is new holds up nobody.
create or replace function messaging.has_waiting_message(of_instance uuid)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return exists (
    select from messaging.batches b
    join messaging.message_queue q on q.message_id = any (array[b.waiting_message])
    join messaging.messages m on m.id = any (array[q.message_id])
    where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
      and q.attempts = 0
      and (
        m.held_by is distinct from 'new_contacts'
        or q.scheduled_at <= clock_timestamp() + make_interval(secs => q.interval_seconds)
      )
  );
end;
$$;
revoke all on function messaging.has_waiting_message(uuid) from public, anon, authenticated;
grant execute on function messaging.has_waiting_message(uuid) to service_role;

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
  batch.known_from := 0;
  batch.created_at := date_trunc('milliseconds', clock_timestamp());
  return batch;
end;
$$;
revoke all on function messaging.new_batch(jsonb) from public, anon, authenticated;
grant execute on function messaging.new_batch(jsonb) to service_role;

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
  set pending_count = b.pending_count + f.number, first_pending = least(b.first_pending, f.first),
    known_from = least(b.known_from, f.first)
  from (select count(*)::integer as number, min(failed.index) as first from failed) as f
  where b.id = of_batch and f.number > 0
  returning f.number into retried;
  return coalesce(retried, 0);
end;
$$;
revoke all on function messaging.retry_failed_recipients(uuid) from public, anon, authenticated;
grant execute on function messaging.retry_failed_recipients(uuid) to service_role;

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
  set pending_count = b.pending_count + p.number, first_pending = least(b.first_pending, p.first),
    known_from = least(b.known_from, p.first)
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
-- `of_batch`: whose steps are returned; NULL for all. `last_index`: the last of them.
-- The batches take turns: first comes who was never served, then who was served longest ago, among those
-- whose start_at the slots have reached. A recipient that is passed over costs its batch no turn; nor does
-- one that waits for a place of another day because it is new (`new_contacts`): known ones pass it.
-- With `stops_at_message` the walk ends with the first recipient whose message may be queued now: it has a
-- slot behind others that wait, or one that is not more than an interval away. Who waits for another day
-- as new is returned with its slot and the reason `new_contacts`. Where the turn comes to a slot that the
-- window, a holiday, a limit or start_at has moved further away, nobody's message may be queued: it would
-- hold up the single sends that come before it.
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
  today constant date := (clock at time zone instance.time_zone)::date;
  first_index integer;
  is_far boolean;
  waits_as_new boolean;
begin
  select p.last_slot_at into front from messaging.pacing p where p.instance_id = instance.id;
  for batch in
    select b.* from messaging.batches b where b.instance_id = instance.id and b.status = 'running'
    union all
    select draft.* where draft.instance_id is not null
    order by served_at nulls first, created_at, id
  loop
    first_index := case
      when stops_at_message and batch.known_day = today and walk.taken_new[1] >= walk.new_limit
        then greatest(batch.first_pending, batch.known_from)
      else batch.first_pending
    end;
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
        where r.batch_id = batch.id and r.index >= first_index
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
      waits_as_new := false;
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
          step.slot := walk.slot;
          is_far := walk.slot > clock + make_interval(secs => walk.interval_seconds);
          waits_as_new := is_far
            and (head.is_new and walk.held_by = 'new_contacts' or head.not_before > clock) is true;
          if waits_as_new then
            if stops_at_message then
              step.reason := 'new_contacts';
            end if;
          elsif stops_at_message and is_far and walk.held_by is distinct from 'interval' then
            return;
          else
            front := greatest(front, walk.slot);
          end if;
        elsif stops_at_message and step.reason = 'expires_before_slot' and head.is_new
          and next.held_by = 'new_contacts' then
          step.reason := 'new_contacts';
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
      exit when head.index is null or step.reason is null and not waits_as_new;
      -- Nobody of the list has a slot in time, or so many have none that it is left for another time.
      passed_over := passed_over + 1;
      if stops_at_message and (is_over[chosen] or passed_over >= 2000) then
        head := null;
        exit;
      end if;
    end loop;

    if stops_at_message and step.slot is not null and step.reason is null
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
      where b.status = 'running' and not messaging.has_waiting_message(b.instance_id)
    ))
    -- Those whose next slot is far away come back each time: none of them may always come first.
    order by random()
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

alter table messaging.batches add column if not exists known_day date;

alter table messaging.batches add column if not exists known_from integer default 0 not null;

comment on column messaging.batches.known_from is
  'On known_day, a day of the instance, every pending recipient before this index waits for another day, as a new contact: where the search for one that does not begins.';
