-- Computes the slots of a stretch of an instance's waiting messages under its present send window, in
-- order. A message that would leave while the window is closed moves to its opening; the messages
-- behind it move as far as their intervals require. No slot becomes earlier. Where the window never
-- opens again the remaining messages keep their slots.
-- `clock`: an earlier slot is treated as `clock`. `left_before`: when the message before the stretch
-- will have left, NULL where it does not move. In a row, `held_by` is NULL where the message keeps its
-- slot, and `left_at` is NULL until a message has moved: up to there all keep what they were promised.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.fitted_slots(
  instance messaging.instances,
  stretch messaging.slot_moves
)
returns table (
  message_id uuid,
  scheduled_at timestamptz,
  queue_position bigint,
  slot timestamptz,
  held_by text,
  left_at timestamptz
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  waiting record;
  looked_at timestamptz;
  open_until timestamptz := '-infinity';
begin
  left_at := stretch.left_at;
  for waiting in
    select q.message_id, q.scheduled_at, q.position,
      make_interval(secs => q.interval_seconds) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and (q.scheduled_at, q.position) >= (stretch.from_at, stretch.from_position)
      and (q.scheduled_at, q.position) < (stretch.until_at, stretch.until_position)
    order by q.scheduled_at, q.position
  loop
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
    message_id := waiting.message_id;
    scheduled_at := waiting.scheduled_at;
    queue_position := waiting.position;
    return next;
  end loop;
end;
$$;
revoke all
on function messaging.fitted_slots(messaging.instances, messaging.slot_moves)
from public, anon, authenticated;
grant execute
on function messaging.fitted_slots(messaging.instances, messaging.slot_moves)
to service_role;
