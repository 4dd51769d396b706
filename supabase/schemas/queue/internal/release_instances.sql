-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, outcome and
-- called_after_ms for the pace (see departed_at), and to hold the instance retry_at, error, is_retried,
-- is_outage and sealed_provider_config: a refusal of credentials that have been replaced holds nothing.
-- Records instance.held where a hold begins or is prolonged, and tells of it (see tell_hold). Gives the
-- running batches of released instances their next message.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_instances(settlements messaging.settlement[])
returns void language plpgsql set search_path = '' as $$
declare
  released uuid[];
  held uuid[];
  held_longer uuid[];
  held_for_good uuid[];
  has_returned boolean;
  feeding uuid[];
  clock constant timestamptz := clock_timestamp();
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance),
    bool_or(s.is_retried and s.lane = 'paced')
  into released, held, has_returned
  from unnest(settlements) as s;
  if released is null and held is null then
    return;
  end if;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if has_returned then
    perform messaging.recount_unsent_claims(
      array(select s.message_id from unnest(settlements) as s where s.is_retried)
    );
  end if;
  if held is not null then
    with former as (
      select d.instance_id, greatest(messaging.held_until(d), clock_timestamp()) as ends_at
      from messaging.dispatch d
      where d.instance_id = any (held)
    ), refused as (
      update messaging.dispatch d
      set hold_until = greatest(d.hold_until, s.retry_at),
        hold_error = s.error,
        hold_refused_at = case when s.is_retried then clock_timestamp() end,
        refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
      from unnest(settlements) as s
      join messaging.instances i on i.id = any (array[s.instance_id])
      where s.holds_instance and d.instance_id = any (array[s.instance_id])
        and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config)
      returning d.instance_id, d.hold_until, s.is_retryable
    )
    select array_agg(r.instance_id), array_agg(r.instance_id) filter (where not r.is_retryable)
    into held_longer, held_for_good
    from refused r
    join former f on f.instance_id = any (array[r.instance_id])
    where r.hold_until > f.ends_at;
    if held_longer is not null then
      perform messaging.record_instance_holds(held_longer, 'instance_held');
      perform messaging.tell_hold(i, 'instance_held', coalesce(i.id = any (held_for_good), false), clock)
      from messaging.instances i
      where i.id = any (held_longer);
    end if;
  end if;

  if released is not null then
    with freed as (
    update messaging.dispatch d
    set in_flight = null,
      lease_until = null,
      generation = d.generation + 1,
      queue_from = coalesce(head.scheduled_at, 'infinity'),
      paced_from = messaging.departed_at(d, s.outcome, s.called_after_ms, clock),
      next_due_at = greatest(
        messaging.next_due_at(d, head.scheduled_at, head.interval_seconds, head.follows_pace),
        messaging.departed_at(d, s.outcome, s.called_after_ms, clock)
          + messaging.spacing(d.messages_per_second, head.interval_seconds, head.follows_pace)
      )
    from unnest(settlements) as s
    cross join lateral messaging.dispatch_of(s.instance_id) as own
    -- What comes back has its former slot, which may be before all others.
    left join lateral messaging.head_of_queue(
      s.instance_id, case when s.is_retried then '-infinity' else own.queue_from end
    ) as head on true
    -- "is true" keeps the plan off the index of everything in flight.
    where s.lane = 'paced' and d.instance_id = any (array[own.instance_id])
      and d.generation >= own.generation and (d.in_flight = s.message_id) is true
    returning d.instance_id, d.feeds_batches
    )
    select array_agg(f.instance_id order by f.instance_id) into feeding from freed f where f.feeds_batches;
  end if;

  -- A message of a group that comes back is nobody's in flight: see claim_instance_group.
  if has_returned then
    held := held || array(
      select s.instance_id from unnest(settlements) as s where s.is_retried and s.lane = 'paced'
    );
  end if;
  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
  if feeding is not null then
    perform messaging.feed_after_settling(feeding);
  end if;
end;
$$;

-- When what an instance had in flight left, as its pace counts it: when its call began, and its typing had
-- been shown. After an unknown outcome the end of what may have been its call, which is over when its lease
-- is. A call that began at most 50 ms late keeps the grid of the slots: the delay is not added to the next
-- message.
create or replace function messaging.departed_at(
  dispatch messaging.dispatch, outcome text, called_after_ms integer, clock timestamptz
) returns timestamptz language sql stable
return case
  when outcome = 'unknown' then greatest(dispatch.paced_from, least(dispatch.lease_until, clock))
  when dispatch.departs_at + called_after_ms * interval '1 millisecond' > dispatch.paced_from + interval '50 milliseconds' then dispatch.departs_at + called_after_ms * interval '1 millisecond'
  else dispatch.paced_from
end;

-- release_instances: feeds the batches of instances (see feed_instance) without endangering what has been
-- settled: where the send window never opens, nothing is queued until it is changed; where a payment's reference is
-- being taken, the dispatcher's maintenance comes back. The caller holds the pacing rows.
create or replace function messaging.feed_after_settling(instance_ids uuid[])
returns void language plpgsql set search_path = '' as $$
declare
  instance_id uuid;
begin
  foreach instance_id in array instance_ids loop
    begin
      perform messaging.feed_instance(instance_id);
    exception when sqlstate 'MI010' or sqlstate 'MI090' then
      null;
    end;
  end loop;
end;
$$;

-- Claimed messages that go back into the paced queue unsent no longer count on the day of their claim,
-- but on that of their slot. The caller holds the pacing rows.
create or replace function messaging.recount_unsent_claims(message_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  back record;
begin
  for back in
    select q.message_id, q.instance_id, q.counted_on, q.is_new,
      (q.scheduled_at at time zone i.time_zone)::date as day
    from messaging.message_queue q
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids) and q.lane = 'paced' and q.claim_token is null
      and q.counted_on is not null
    order by q.message_id
  loop
    update messaging.message_queue q set counted_on = null where q.message_id = back.message_id;
    update messaging.paced_days d
    set sent = greatest(d.sent - 1, 0),
      sent_new = greatest(d.sent_new - coalesce(back.is_new, false)::integer, 0)
    where d.instance_id = back.instance_id and d.day = back.counted_on;
    insert into messaging.paced_days as d (instance_id, day, waiting, waiting_new)
    values (back.instance_id, back.day, 1, coalesce(back.is_new, false)::integer)
    on conflict on constraint paced_days_pkey do update
    set waiting = d.waiting + 1, waiting_new = d.waiting_new + excluded.waiting_new;
  end loop;
end;
$$;
