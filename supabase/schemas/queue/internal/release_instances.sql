-- Frees the `landing` instances whose message in flight is among `settled`, holds those that their
-- provider refuses (`held` until `held_until`, `are_outages` where it is no rate limit; not
-- where the credentials in `held_seals`, NULL for not known, have been replaced), and recomputes when
-- each is due next.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
create or replace function messaging.release_instances(
  settled uuid[],
  landing uuid[],
  held uuid[],
  held_until timestamptz[],
  are_outages boolean[],
  held_seals text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from messaging.pacing p
  where p.instance_id = any (landing || held)
  order by p.instance_id
  for no key update;
  if held is not null then
    update messaging.dispatch d
    set hold_until = greatest(d.hold_until, h.held_until),
      refused_at = case when h.is_outage then clock_timestamp() else d.refused_at end
    from unnest(held, held_until, are_outages, held_seals)
      as h(instance_id, held_until, is_outage, sealed_provider_config)
    join messaging.instances i on i.id = h.instance_id
    where d.instance_id = h.instance_id
      and i.sealed_provider_config = coalesce(h.sealed_provider_config, i.sealed_provider_config);
  end if;
  update messaging.dispatch d
  set in_flight = null,
    lease_until = null,
    next_due_at = messaging.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(landing) as wanted(instance_id)
  left join lateral (
    -- head_of_queue, written out: settling is the queue's busiest path.
    select q.scheduled_at, q.interval_seconds
    from messaging.message_queue q
    where q.instance_id = wanted.instance_id and q.lane = 'paced' and q.claim_token is null
    order by q.scheduled_at, q.position
    limit 1
  ) as head on true
  -- "is true" keeps the plan off the index of all that is in flight.
  where d.instance_id = wanted.instance_id and (d.in_flight = any (settled)) is true;
  perform messaging.refresh_dispatch(held) where held is not null;
end;
$$;
revoke all on function messaging.release_instances(uuid[], uuid[], uuid[], timestamptz[], boolean[], text[]) from public, anon, authenticated;
grant execute on function messaging.release_instances(uuid[], uuid[], uuid[], timestamptz[], boolean[], text[]) to service_role;
