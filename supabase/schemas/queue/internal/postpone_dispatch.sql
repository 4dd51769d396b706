-- Moves the due time of instances that looked due but have nothing to send now: their head was
-- canceled or lies ahead, or the window is closed or will be when the head's typing has been shown.
-- Tries the pacing rows without waiting: the caller holds the dispatch rows, and an enqueue locks the
-- two in the other order.
create or replace function messaging.postpone_dispatch(instance_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  locked uuid[];
begin
  select array_agg(l.instance_id) into locked
  from (
    select p.instance_id
    from messaging.pacing p
    where p.instance_id = any (instance_ids)
    order by p.instance_id
    for no key update skip locked
  ) as l;
  perform messaging.refresh_dispatch(locked);
  update messaging.dispatch d
  -- A window that never opens must not stop other instances: check such an instance daily.
  set next_due_at = case
    when not messaging.is_send_window_open(i, clock)
      then coalesce(messaging.next_window_start(i, clock), clock + interval '1 day')
    when not messaging.is_send_window_open(i, head.leaves_at)
      then coalesce(messaging.next_window_start(i, head.leaves_at), clock + interval '1 day')
    else clock
  end
  from messaging.instances i
  cross join lateral (
    select clock + interval '1 millisecond' * coalesce(max(m.delay_typing_ms), 0) as leaves_at
    from messaging.head_of_queue(i.id) h
    join messaging.messages m on m.id = h.message_id
  ) as head
  where d.instance_id = any (locked) and i.id = d.instance_id
    and d.in_flight is null and d.next_due_at <= clock;
end;
$$;
