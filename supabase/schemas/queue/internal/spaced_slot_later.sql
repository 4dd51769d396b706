-- free_slot_later: the first slot from `not_before` on that lies in the send window and keeps its distance
-- from the messages that wait for their instants: one interval after the one before it, and the next one's
-- interval before that. The intervals hold the jitter; `jitter_seconds` is NULL for none. `held_by` says what
-- moved it, or NULL. Errors: MI010.
create or replace function messaging.spaced_slot_later(
  instance messaging.instances, pace interval, jitter_seconds integer, not_before timestamptz,
  typing interval, out slot timestamptz, out held_by text
) language plpgsql stable set search_path = '' as $$
declare
  -- No interval and no typing is longer, but for the jitter.
  reach constant interval := interval '61 minutes' + make_interval(secs => coalesce(jitter_seconds, 0));
  other record;
  ends_at timestamptz;
  open_until timestamptz;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.fit_send_window(instance, not_before, typing) f;
  open_until := messaging.window_open_until(instance, slot);
  for other in
    select q.scheduled_at, messaging.spacing(
        instance.messages_per_second,
        q.interval_seconds + messaging.jitter_of(q.message_id::text, jitter_seconds),
        q.follows_pace
      ) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
      and q.scheduled_at > slot - reach
    order by q.scheduled_at, q.position
  loop
    exit when other.scheduled_at > slot + typing + reach;
    ends_at := other.scheduled_at + other.typing;
    if slot < ends_at + pace and other.scheduled_at < slot + typing + other.pace then
      slot := ends_at + pace;
      held_by := 'interval';
      if slot + typing >= open_until then
        select f.slot, coalesce(f.held_by, 'interval') into slot, held_by
        from messaging.fit_send_window(instance, slot, typing) f;
        open_until := messaging.window_open_until(instance, slot);
      end if;
    end if;
  end loop;
end;
$$;
