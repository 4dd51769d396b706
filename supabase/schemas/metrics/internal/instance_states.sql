-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `disconnected`, `late` or `ok`; `oldest_due` is of what should have left by `clock`.
-- Reads the queue once as a whole, whatever the number of instances. Messages are not read, but those
-- that are unconfirmed, in their index.
create or replace function messaging.instance_states(clock timestamptz)
returns setof messaging.instance_state
language sql
stable
set search_path = ''
as $$
  with queues as materialized (
    select q.instance_id, count(*) filter (where q.claim_token is null) as waiting,
      count(q.claim_token) as in_flight, min(q.lease_until) as first_lease_end,
      min(q.scheduled_at) filter (where q.lane = 'unpaced' and q.claim_token is null)
        as first_unpaced
    from messaging.message_queue q
    group by q.instance_id
  ), unconfirmed as materialized (
    select m.instance_id, count(*) as messages
    from messaging.messages m
    where m.status = 'unconfirmed'
    group by m.instance_id
  ), states as (
    select i.id, i.provider, hold.held_by, hold.reason, hold.code, hold.ends_at,
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case
          when q.first_unpaced <= clock
            and messaging.stopped_until(d) <= clock then q.first_unpaced
        end,
        case when q.first_lease_end <= clock then q.first_lease_end end
      ) as oldest_due,
      coalesce(q.waiting, 0) as waiting, coalesce(q.in_flight, 0) as in_flight,
      coalesce(u.messages, 0) as unconfirmed
    from messaging.instances i
    join messaging.dispatch d on d.instance_id = i.id
    left join lateral messaging.instance_hold(d, clock, true) as hold on true
    left join queues q on q.instance_id = i.id
    left join unconfirmed u on u.instance_id = i.id
  )
  select s.id, s.provider,
    case
      when s.held_by = 'disconnected' then 'disconnected'
      when s.held_by is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.ends_at, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed, s.held_by, s.code, s.reason
  from states s;
$$;
