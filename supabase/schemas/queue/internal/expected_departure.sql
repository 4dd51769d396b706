-- When a waiting message may leave as things are, and the one answer to what holds it until then: its slot, one
-- interval after the message that left last, its instance's reached budget, a hold of its instance, the send
-- window (which its typing must not outlast). For an unpaced message: its due time, unless it is to be paced
-- (see enqueue_message_later). Messages before it in the queue are not counted. `leaves_at` is NULL where a
-- hold has no end; `held_by` is NULL for what may leave now. While a hold of the whole instance keeps it,
-- that is the reason, and `hold_reason`, `hold_code` and `held_until` tell of it: see instance_hold.
-- `budget_ends_at`: see reached_budget_ends_at.
create or replace function messaging.expected_departure(
  queued messaging.message_queue, message messaging.messages, instance messaging.instances,
  dispatch messaging.dispatch, budget_ends_at timestamptz, out leaves_at timestamptz,
  out held_by text, out hold_reason text, out hold_code text, out held_until timestamptz
) language plpgsql stable set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  after_last constant timestamptz := dispatch.paced_from + messaging.present_spacing(
    dispatch, dispatch.paced_from, queued.interval_seconds, queued.follows_pace
  );
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  is_paced constant boolean := queued.lane = 'paced' or queued.interval_seconds > 0;
  is_refused boolean;
  hold record;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  -- What is tried again waits for its next attempt.
  held_by := case when queued.attempts > 0 then 'delay' else message.held_by end;
  -- A wider window and an ended protection leave slots where they are: what moved them is no reason any more.
  if held_by in ('window', 'holiday')
      and messaging.is_send_window_open(instance, leaves_at - interval '1 millisecond')
    or held_by in ('daily_limit', 'warm_up', 'new_contacts') and instance.protection is null
      and not (held_by = 'new_contacts' and dispatch.new_chats_locked_until > clock) then
    held_by := 'interval';
  end if;
  if is_paced and after_last > leaves_at then
    leaves_at := after_last;
    held_by := 'interval';
  end if;
  if budget_ends_at > greatest(leaves_at, clock)
    and messaging.stopped_by_budget(instance.budget, message.purpose, message.batch_id) then
    leaves_at := budget_ends_at;
    held_by := 'budget';
  end if;
  -- A message that met the refusal of the whole instance waits for its end, and then for its next attempt. One
  -- beside the queue does so for as long as the queue.
  is_refused := coalesce(message.last_error->>'code' = dispatch.hold_error->>'code', false)
    and case when is_paced then queued.scheduled_at <= clock else dispatch.hold_until >= leaves_at end;
  if is_paced and is_refused and held_by = 'interval' then
    held_by := 'delay';
  end if;
  -- Whose turn has not come waits for the messages before it, which a hold of this moment keeps.
  select h.* into hold
  from messaging.instance_hold(
    dispatch,
    greatest(case when not is_refused and held_by is distinct from 'interval' then leaves_at end, clock),
    is_paced or is_refused
  ) as h;
  if found then
    held_by := hold.held_by;
    hold_reason := hold.reason;
    hold_code := hold.code;
    held_until := hold.ends_at;
    leaves_at := greatest(
      leaves_at,
      case when is_paced then messaging.held_until(dispatch) else messaging.stopped_until(dispatch) end
    );
    if not isfinite(leaves_at) then
      leaves_at := null;
      return;
    end if;
  end if;
  looked_at := greatest(leaves_at, clock);
  if is_paced and messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if is_paced and not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if held_until is null then
      held_by := messaging.window_closed_reason(instance, looked_at);
    end if;
  elsif leaves_at <= clock then
    held_by := null;
  end if;
end;
$$;
