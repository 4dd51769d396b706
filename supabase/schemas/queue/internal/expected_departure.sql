-- When a waiting message may leave as things are, and what holds it until then: its slot, one interval
-- after the message that left last, the end of its instance's hold, the send window (which its typing
-- must not outlast). For an unpaced message: its due time, unless it is to be paced (see enqueue_message_later). Messages before it in the queue are not
-- counted. While an operator's hold or a lost connection keeps it, that is the reason; `leaves_at` is NULL where the hold has
-- no end.
create or replace function messaging.expected_departure(
  queued messaging.message_queue,
  message messaging.messages,
  instance messaging.instances,
  dispatch messaging.dispatch,
  out leaves_at timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
declare
  after_last constant timestamptz := dispatch.paced_from + messaging.present_spacing(
    dispatch, dispatch.paced_from, queued.interval_seconds, queued.follows_pace
  );
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  is_paced boolean;
  kept_until timestamptz;
  is_kept boolean;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  held_by := message.held_by;
  is_paced := queued.lane = 'paced' or queued.interval_seconds > 0;
  if is_paced then
    if after_last > leaves_at then
      leaves_at := after_last;
      held_by := 'interval';
    end if;
    leaves_at := greatest(leaves_at, dispatch.hold_until);
  end if;
  -- What lasts longer says the reason; of two without an end, the operator's hold.
  kept_until := messaging.stopped_until(dispatch);
  is_kept := kept_until > greatest(leaves_at, clock_timestamp());
  if is_kept then
    held_by := case
      when dispatch.operator_hold_until = kept_until then 'operator_hold' else 'disconnected'
    end;
    leaves_at := case when isfinite(kept_until) then kept_until end;
  end if;
  if not is_paced or leaves_at is null then
    return;
  end if;
  looked_at := greatest(leaves_at, clock_timestamp());
  if messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if not is_kept then
      held_by := messaging.window_closed_reason(instance, looked_at);
    end if;
  end if;
end;
$$;
