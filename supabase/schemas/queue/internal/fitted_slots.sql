-- Computes the slots of a stretch of an instance's waiting messages under its present send window, in
-- order. A message that would leave while the window is closed moves to its opening; the messages
-- behind it move as far as their intervals require. No slot becomes earlier. Where the window never
-- opens again the remaining messages keep their slots.
-- `clock`: an earlier slot is treated as `clock`. `left_before`: when the message before the stretch
-- will have left, NULL where it does not move. In a row, `held_by` is NULL where the message keeps its
-- slot, and `left_at` is NULL until a message has moved: up to there all keep what they were promised.
-- With protection the limits of the days hold too, see next_slot: the walk goes on from the stretch's, or
-- begins from what is stored. `walk`: its state before the row, of every `walk_every`th row from the first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.fitted_slots(
  instance messaging.instances, stretch messaging.slot_moves, walk_every integer default null
) returns table (
  message_id uuid, scheduled_at timestamptz, queue_position bigint, slot timestamptz, held_by text,
  left_at timestamptz, is_new boolean, spacing interval, walk messaging.slot_walk
) language plpgsql stable set search_path = '' set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  waiting record;
  looked_at timestamptz;
  open_until timestamptz := '-infinity';
  is_protected constant boolean := instance.protection is not null;
  state messaging.slot_walk := stretch.walk;
  rows_before integer := 0;
begin
  left_at := stretch.left_at;
  if is_protected and state.first_day is null then
    state := messaging.begin_walk(instance, stretch.planned_at);
  end if;
  for waiting in
    select q.message_id, q.scheduled_at, q.position,
      case
        when not q.follows_pace or instance.messages_per_second is null then q.interval_seconds
      end as interval_seconds,
      is_protected and q.is_new and messaging.is_new_contact(m.contact_id) as is_new,
      messaging.spacing(
        instance.messages_per_second, q.interval_seconds, q.follows_pace
      ) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and (q.scheduled_at, q.position) >= (stretch.from_at, stretch.from_position)
      and (q.scheduled_at, q.position) < (stretch.until_at, stretch.until_position)
    order by q.scheduled_at, q.position
  loop
    message_id := waiting.message_id;
    scheduled_at := waiting.scheduled_at;
    queue_position := waiting.position;
    if is_protected then
      is_new := waiting.is_new;
      spacing := waiting.pace;
      walk := case when rows_before % walk_every = 0 then state end;
      rows_before := rows_before + 1;
      begin
        state := messaging.next_slot(
          instance, state, waiting.interval_seconds, scheduled_at, waiting.typing, null,
          coalesce(is_new, false)
        );
      exception when sqlstate 'MI010' then
        return;
      end;
      slot := greatest(state.slot, scheduled_at);
      held_by := case
        when slot > greatest(scheduled_at, stretch.planned_at) then coalesce(state.held_by, 'interval')
      end;
      if held_by is null then
        slot := scheduled_at;
      end if;
      left_at := slot + waiting.typing;
      return next;
      continue;
    end if;
    slot := greatest(waiting.scheduled_at, left_at + waiting.pace);
    held_by := case when slot > waiting.scheduled_at then 'interval' end;
    looked_at := greatest(slot, stretch.planned_at);
    -- Slots only grow, so one look serves until the window closes.
    if looked_at + waiting.typing >= open_until then
      if not messaging.is_send_window_open(instance, looked_at)
        or not messaging.is_send_window_open(instance, looked_at + waiting.typing) then
        begin
          select f.slot, f.held_by into slot, held_by
          from messaging.fit_send_window(instance, looked_at, waiting.typing) f;
        exception when sqlstate 'MI010' then
          return;
        end;
        looked_at := slot;
      end if;
      open_until := messaging.window_open_until(instance, looked_at);
    end if;
    if held_by is not null or left_at is not null then
      left_at := slot + waiting.typing;
    end if;
    return next;
  end loop;
end;
$$;
