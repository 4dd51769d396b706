-- messages-api: moves a message that still waits to another instant, and its end. `request`: instanceId,
-- messageId, sendAt and expiresAt, each NULL for as it is. A paced message gets the slot that an enqueue at
-- that time gives (see enqueue_message_later), and its former one is released; any other is due then. A time
-- before its slot brings it forward, to the first slot that is free there (see bring_forward), and never
-- makes it later: where none is free it keeps its slot. What waited to be tried again waits until then. Locks
-- the message, then pacing. Tries the queue row without waiting: its holder is about to send the message.
-- Returns describe_message.
-- Errors: MI004; MI010; MI041, MI042, MI043 and MI057 (instants); MI044 (in flight, or settled already).
create or replace function public.move_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  instance messaging.instances;
  waiting messaging.message_queue;
  new_end timestamptz;
  send_at timestamptz;
  is_placed boolean := false;
begin
  message := messaging.find_message(request);
  if message.status <> 'queued' then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = message.status;
  end if;
  new_end := coalesce((request->>'expiresAt')::timestamptz, message.expires_at);
  perform messaging.check_timing(jsonb_build_object('timing', jsonb_build_object(
    'sendAt', request->>'sendAt', 'expiresAt', new_end
  )));
  if request->>'sendAt' is null and new_end <= message.scheduled_for then
    raise exception using errcode = 'MI057', message = 'expiresAt is before the message leaves';
  end if;
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  select w.* into waiting
  from messaging.message_queue w
  where w.message_id = message.id and w.claim_token is null
  for update skip locked;
  if not found and message.held_by = 'awaiting_reply' and request->>'sendAt' is null then
    -- It is in no queue: only its end can move.
    update messaging.messages m
    set expires_at = new_end, ladder = m.ladder - 'endsByDefault'
    where m.id = message.id
    returning m.* into message;
    return messaging.describe_message(message);
  elsif not found and message.held_by = 'awaiting_reply' then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'awaiting_reply';
  elsif not found then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'sending';
  end if;
  update messaging.messages m set expires_at = new_end where m.id = message.id;
  send_at := date_trunc('milliseconds', (request->>'sendAt')::timestamptz);
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  if waiting.lane = 'paced' and send_at <= waiting.scheduled_at then
    is_placed := messaging.bring_forward(message, instance, waiting, send_at);
  end if;
  if send_at is not null and not is_placed then
    delete from messaging.message_queue q where q.message_id = message.id;
    perform messaging.release_slots(array[waiting]);
    perform messaging.place_moved_message(message, instance, waiting, send_at);
    perform messaging.refresh_dispatch(array[instance.id]);
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;

-- move_message: puts a message back into its lane of the queue, due at `send_at`. `gone` is its row as it
-- was. The caller holds the message and pacing. Errors: MI010.
create or replace function messaging.place_moved_message(
  message messaging.messages, instance messaging.instances, gone messaging.message_queue,
  send_at timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  slot timestamptz := greatest(send_at, clock);
  reason text;
  counted record;
begin
  if gone.lane = 'paced' or gone.interval_seconds > 0 then
    -- The message's own interval: that of its row may hold a jitter.
    if slot > clock then
      select e.slot, e.held_by into slot, reason
      from messaging.enqueue_message_later(
        message.id, instance, message.interval_seconds, slot, typing, message.contact_id
      ) e;
    else
      select e.slot, e.held_by into slot, reason
      from messaging.enqueue_message(
        message.id, instance, message.interval_seconds, slot, typing, message.contact_id
      ) e;
    end if;
    update messaging.message_queue q
    set attempts = gone.attempts, max_attempts = gone.max_attempts
    where q.message_id = message.id and gone.attempts > 0;
  else
    counted := messaging.count_unpaced_send(instance.id, message.contact_id, slot);
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, is_new,
      counted_on
    )
    values (
      message.id, instance.id, 'unpaced', slot, slot, gone.max_attempts, gone.attempts,
      counted.is_new, counted.counted_on
    );
  end if;
  reason := coalesce(reason, case when send_at > clock then 'delay' end);
  perform messaging.write_departures(array[message.id], array[slot], array[reason]);
end;
$$;

-- move_message: a waiting paced message whose caller wants it at `send_at`, not after its slot. It gets the
-- first slot that is free there, and no other message moves; where none is free it keeps its own, so that no
-- call for an earlier time makes it later. Returns whether it is done; with protection an enqueue places it
-- in the earlier slot that was found. `waiting`: its row. The caller holds the message, pacing and the row.
-- Errors: MI010.
create or replace function messaging.bring_forward(
  message messaging.messages, instance messaging.instances, waiting messaging.message_queue,
  send_at timestamptz
) returns boolean language plpgsql set search_path = '' as $$
declare
  found_slot timestamptz;
  reason text;
begin
  select e.slot, e.held_by into found_slot, reason
  from messaging.earlier_slot(message, instance, waiting, send_at) e;
  if found_slot is null then
    return true;
  end if;
  if instance.protection is not null then
    return false;
  end if;
  update messaging.message_queue q set scheduled_at = found_slot where q.message_id = message.id;
  perform messaging.release_slots(array[waiting]);
  reason := coalesce(reason, case when send_at > clock_timestamp() then 'delay' end);
  perform messaging.write_departures(array[message.id], array[found_slot], array[reason]);
  perform messaging.refresh_dispatch(array[instance.id]);
  return true;
end;
$$;

-- The first free slot of an instance's paced queue from `not_before` on and before `former`, the slot that a waiting
-- message has: in the send window, an interval from its neighbours, so that no other message moves. `slot` is
-- NULL where there is none. `held_by` says what moved it away from `not_before`.
-- With protection the days decide, see next_slot: the slot is the one that an enqueue would give.
-- The caller holds pacing. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.earlier_slot(
  message messaging.messages, instance messaging.instances, former messaging.message_queue,
  not_before timestamptz, out slot timestamptz, out held_by text
) language plpgsql stable set search_path = '' set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  spacing constant interval := messaging.spacing(
    instance.messages_per_second, former.interval_seconds, former.follows_pace
  );
  earliest timestamptz := greatest(not_before, clock);
  walk messaging.slot_walk;
  gap record;
begin
  if instance.protection is not null then
    walk := messaging.next_slot(
      instance, messaging.begin_walk(instance, clock), message.interval_seconds, not_before, typing,
      message.id::text, coalesce(former.is_new, false)
    );
    if walk.slot < former.scheduled_at then
      slot := walk.slot;
      held_by := walk.held_by;
    end if;
    return;
  end if;
  select greatest(earliest, d.paced_from + spacing) into earliest
  from messaging.dispatch d where d.instance_id = instance.id;
  for gap in
    select greatest(earliest, line.left_before + spacing) as begins_at, line.ends_at
    from (
      select
        q.scheduled_at - typing - case
          when q.message_id = message.id then interval '0'
          else messaging.spacing(instance.messages_per_second, q.interval_seconds, q.follows_pace)
        end as ends_at,
        lag(q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)) over (
          order by q.scheduled_at, q.position
        ) as left_before
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
        and (q.scheduled_at, q.position) <= (former.scheduled_at, former.position)
    ) as line
    where greatest(earliest, line.left_before + spacing) <= line.ends_at
    order by line.ends_at
  loop
    select f.slot, f.held_by into slot, held_by
    from messaging.fit_send_window(instance, gap.begins_at, typing) f;
    if slot <= gap.ends_at and slot < former.scheduled_at then
      held_by := coalesce(held_by, case when slot > greatest(not_before, clock) then 'interval' end);
      return;
    end if;
  end loop;
  slot := null;
  held_by := null;
end;
$$;
