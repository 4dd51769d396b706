-- move_message: a waiting paced message whose caller wants it at `send_at`, not after its slot. It gets the first slot
-- that is free there, and no other message moves; where none is free it keeps its own, so that no call for an
-- earlier time makes it later. Returns whether it is done; with protection an enqueue places it in the earlier
-- slot that was found. `waiting`: its row. The caller holds the message, pacing and the row. Errors: MI010.
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
