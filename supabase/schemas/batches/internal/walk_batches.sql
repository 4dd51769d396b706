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
-- With `most_messages` the walk ends with so many recipients whose messages may be queued now; NULL for all. Who waits
-- for another day as new is returned with its slot and the reason `new_contacts`. A message that would hold
-- up single sends may not be queued: one whose slot the window's end has moved to another day while the
-- window is open, or start_at, by more than an interval. The walk ends there, with nobody's message.
-- Reads recipients from cursors: a caller that needs few reads few. Writes and locks nothing. Errors: MI010.
-- Over 80 lines: one loop, whose turns, cursors and slots each next step depends on.
create or replace function messaging.walk_batches(
  instance messaging.instances, clock timestamptz, draft messaging.batches, entries jsonb,
  of_batch uuid, last_index integer, most_messages integer
) returns setof messaging.batch_step language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
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
  -- Whether a recipient's slot depends on more than who the contact is.
  looks_closer constant boolean := instance.provider_class = 'official'
    or instance.protection->>'newContactsPerDay' is not null;
  today constant date := (clock at time zone instance.time_zone)::date;
  first_index integer;
  is_told boolean;
  is_follow_up boolean;
  asks_payment boolean;
  reason text;
  slot timestamptz;
  is_far boolean;
  waits_as_new boolean := false;
  stops_at_message constant boolean := most_messages is not null;
  -- No message is held up by what leaves within a second.
  near interval;
begin
  select p.last_slot_at into front from messaging.pacing p where p.instance_id = instance.id;
  for batch in
    select b.* from messaging.batches b where b.instance_id = instance.id and b.status = 'running'
    union all
    select draft.* where draft.instance_id is not null
    order by served_at nulls first, created_at, id
  loop
    is_follow_up := messaging.cancels_on_reply(batch);
    asks_payment := messaging.asks_for_payment(batch);
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
        select case
          when looks_closer or r.status = 'skipped' or r.message_id is not null or is_follow_up
            or asks_payment
            or messaging.may_be_refused(
              c.is_blocked, c.phone, c.consent_marketing, instance.people_scope, batch.purpose
            )
          then messaging.judge_recipient(
            instance, batch.purpose, c, r.phone,
            case when r.message_id is null then r.draft else jsonb_build_object(
              'messageType', m.message_type, 'content', m.content, 'ladder', m.ladder
            ) end,
            row(
              r.index, r.contact_id, r.message_id,
              case
                when r.status = 'skipped' then r.reason
                when r.message_id is not null and coalesce(m.status not in ('queued', 'failed'), true)
                  then 'settled'
                when c.id is null then 'contact_erased'
                when is_follow_up and messaging.has_replied(batch, r.contact_id) then 'replied'
              end,
              false, null, null
            )::messaging.batch_candidate
          )
          else row(r.index, r.contact_id, null, null, false, null, null)::messaging.batch_candidate
        end as candidate
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
        <= greatest(clock, front + messaging.spacing(
          instance.messages_per_second, batch.interval_seconds, batch.follows_pace
        )) then
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

    is_told := of_batch is null or batch.id = of_batch;
    -- One turn: the recipients that are passed over, and the next one that is written to; all that is left
    -- where there is nobody to take turns with. 100,000 may come by: few expressions each.
    loop
      exit when head.index > last_index and batch.id is not distinct from of_batch;
      reason := head.reason;
      slot := null;
      if reason is null and is_over[chosen] then
        reason := 'expires_before_slot';
      elsif reason is null then
        next := messaging.next_slot(
          instance, walk, messaging.own_interval(batch), greatest(batch.start_at, head.not_before),
          interval '0', batch.seed || ' ' || head.index, head.is_new
        );
        if head.reachable_until < next.slot then
          reason := 'window_closed';
        elsif batch.expires_at <= next.slot then
          reason := 'expires_before_slot';
          if stops_at_message and head.is_new and next.held_by = 'new_contacts' then
            reason := 'new_contacts';
          elsif instance.protection is null then
            -- Slots only grow: no later recipient of the list has an earlier one.
            is_over[chosen] := true;
          end if;
        else
          walk := next;
          slot := walk.slot;
          if stops_at_message or looks_closer then
            near := greatest(
              messaging.spacing(
                instance.messages_per_second, walk.interval_seconds, batch.follows_pace
              ),
              interval '1 second'
            );
            is_far := slot > clock + near;
            waits_as_new := is_far
              and (head.is_new and walk.held_by = 'new_contacts' or head.not_before > clock) is true;
            if stops_at_message and waits_as_new then
              reason := 'new_contacts';
            elsif stops_at_message and is_far and (
                batch.start_at > clock + near
                or walk.held_by in ('window', 'holiday')
                and messaging.is_send_window_open(instance, clock)
              ) then
              return;
            end if;
          end if;
          if not waits_as_new then
            front := greatest(front, slot);
          end if;
        end if;
      end if;
      if is_told then
        step := row(batch.id, head.index, head.contact_id, head.message_id, reason, slot);
        return next step;
      end if;
      fetch list into fetched;
      head := case when found then fetched.candidate end;
      exit when head.index is null
        or reason is null and not waits_as_new and (stops_at_message or cardinality(lists) > 1);
      -- Nobody of the list has a slot in time, or so many have none that it is left for another time.
      if stops_at_message then
        passed_over := passed_over + 1;
        if is_over[chosen] or passed_over >= 2000 then
          head := null;
          exit;
        end if;
      end if;
    end loop;

    if stops_at_message and slot is not null and reason is null then
      most_messages := most_messages - 1;
    end if;
    if most_messages <= 0
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
