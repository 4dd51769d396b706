-- claim_due_messages: claims the head of each due instance that has nothing in flight: in order, one
-- interval after the message before it, and inside the window.
-- An instance with a pace is left to a claim of its own (see claim_message_group): its id is in `groups`, and
-- it is due again shortly, in case that claim does not come. `claimed`: the ids of what was claimed.
-- Heads of instances with protection, a budget, or a lock on new chats are left to claim_protected_messages.
-- A head whose expires_at has come is ended instead, and the next claim takes the one behind it.
-- An instance that is due but has nothing to send now gets its new due time: see postpone_dispatch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_paced_messages(
  max_messages integer, lease interval, due_from timestamptz, clock timestamptz, out claimed uuid[],
  out groups uuid[]
) language plpgsql set search_path = '' as $$
declare
  stalled uuid[];
  protected uuid[];
  late uuid[];
begin
  with due as materialized (
    select d.instance_id, d.generation, d.queue_from, d.paced_from, d.messages_per_second,
      d.new_chats_locked_until > clock as locks_new_chats
    from messaging.dispatch d
    where d.in_flight is null and d.next_due_at >= due_from and d.next_due_at <= clock
    order by d.next_due_at
    limit max_messages
    for no key update skip locked
  ),
  head as (
    select due.instance_id, due.generation, leaving.message_id, leaving.typing, leaving.is_late,
      i.protection is not null or i.budget is not null or due.locks_new_chats as is_protected
    from due
    join messaging.instances i on i.id = any (array[due.instance_id])
    left join lateral (
      select q.message_id, q.interval_seconds
      from messaging.message_queue q
      where q.instance_id = due.instance_id and q.lane = 'paced' and q.claim_token is null
        and q.scheduled_at >= due.queue_from and q.scheduled_at <= clock
      order by q.scheduled_at, q.position
      limit 1
      for no key update skip locked
    ) as h on true
    left join lateral (
      select m.id as message_id, shown.typing, coalesce(m.expires_at <= clock, false) as is_late
      from messaging.messages m
      cross join lateral (
        select interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
      ) as shown
      where m.id = h.message_id
        -- The due time may have been another head's, with a shorter interval.
        and due.paced_from + make_interval(secs => h.interval_seconds) <= clock
        and exists (
          select from messaging.open_window(i, (clock + shown.typing) at time zone i.time_zone)
        )
        and (shown.typing = interval '0' or messaging.is_send_window_open(i, clock))
    ) as leaving on true
    where due.messages_per_second is null
  ),
  marked as (
    -- An instance that is less than 50 ms late keeps the grid of its slots: the delay is not added to
    -- the next message. Beyond that the interval counts from now, and as soon as it is known from the
    -- call: see departed_at.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    from head
    -- The version that this statement sees, of which another claim and its settlement may have made a newer one
    -- before it was locked. If there was more than one settlement, nothing is claimed: the instance stays due.
    where d.instance_id = any (array[head.instance_id]) and d.generation >= head.generation - 1
      and head.message_id is not null and not head.is_protected and not head.is_late
    returning d.in_flight, d.lease_until
  ),
  claimed_rows as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = marked.lease_until
    from marked
    where q.message_id = any (array[marked.in_flight])
    returning q.message_id
  )
  select
    (select array_agg(claimed_rows.message_id) from claimed_rows),
    (
      select array_agg(head.instance_id) from head
      where head.message_id is null or head.is_late
    ),
    (
      select array_agg(head.message_id) from head
      where head.is_protected and not head.is_late
    ),
    (select array_agg(head.message_id) from head where head.is_late),
    (select array_agg(due.instance_id) from due where due.messages_per_second is not null)
  into claimed, stalled, protected, late, groups;

  if protected is not null then
    claimed := claimed || messaging.claim_protected_messages(protected, lease, clock);
  end if;

  if late is not null then
    perform messaging.expire_due_messages(late, clock);
  end if;
  if stalled is not null then
    perform messaging.postpone_dispatch(stalled, clock);
  end if;
  if groups is not null then
    update messaging.dispatch d
    set next_due_at = clock + interval '100 milliseconds'
    from unnest(groups) as due(instance_id)
    cross join lateral messaging.dispatch_of(due.instance_id) as own
    where d.instance_id = any (array[own.instance_id])
      and d.generation >= own.generation;
  end if;
end;
$$;

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
    from messaging.head_of_queue(i.id, '-infinity') h
    join messaging.messages m on m.id = h.message_id
  ) as head
  where d.instance_id = any (locked) and i.id = d.instance_id
    and d.in_flight is null and d.next_due_at <= clock;
end;
$$;

-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them: see take_place_of_day. What a lock on new chats keeps waits for its end. The caller
-- has locked dispatch and the queue rows. Tries the pacing rows without waiting: an enqueue locks the two in
-- the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[], lease interval, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  head record;
  place record;
  budget record;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      own.generation, own.new_chats_locked_until as locked_until,
      messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id) as is_stoppable,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    cross join lateral messaging.dispatch_of(q.instance_id) as own
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    if messaging.locks_new_chat(head.locked_until, head.contact_id, clock) then
      perform messaging.postpone_message(
        head.message_id, head.instance, head.locked_until, 'new_contacts'
      );
      perform messaging.refresh_dispatch(array[head.instance_id]);
      continue;
    end if;
    if head.is_stoppable then
      continue when not messaging.lock_budget(head.instance_id, false);
      budget := messaging.budget_state(head.instance, clock);
      if budget.is_reached then
        perform messaging.postpone_message(head.message_id, head.instance, budget.month_ends_at, 'budget');
        perform messaging.refresh_dispatch(array[head.instance_id]);
        continue;
      end if;
    end if;
    if (head.instance).protection is null then
      select true as is_taken, null::date as day, head.takes_new as counts_as_new into place;
    else
      place := messaging.take_place_of_day(
        head.instance, head.contact_id, head.takes_new, head.scheduled_at, clock
      );
    end if;
    continue when not place.is_taken;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = place.day,
      is_new = place.counts_as_new
    where q.message_id = head.message_id;
    -- See claim_paced_messages.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    where d.instance_id = head.instance_id and d.generation >= head.generation;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;
