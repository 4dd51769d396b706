-- Releases suspect instances (see hold_suspects) whose channel has confirmed or delivered something since.
-- Costs a look at an empty index where none is suspect. Never waits for a lock: what another session holds
-- is left to hold_suspects. Returns how many were released.
create or replace function messaging.trust_confirmed_instances()
returns integer language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  released uuid[];
begin
  perform from messaging.dispatch d where d.suspected_at is not null limit 1;
  if not found then
    return 0;
  end if;
  select array_agg(l.instance_id) into released
  from (
    select d.instance_id
    from messaging.dispatch d
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where d.suspected_at is not null
      and messaging.has_confirmed_since(d.instance_id, d.suspected_at)
    order by d.instance_id
    for no key update of d, p skip locked
  ) as l;
  if released is not null then
    perform messaging.set_operator_hold(released, '-infinity', null);
  end if;
  return coalesce(cardinality(released), 0);
end;
$$;

-- Whether an instance's channel has delivered anything since, see proves_channel. Of the newest 500 events.
create or replace function messaging.has_confirmed_since(instance_id uuid, since timestamptz)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return exists (
    select from (
      select e.recorded_at, messaging.proves_channel(e.type, (e.message).direction) as is_proof
      from messaging.events e
      where e.instance_id = has_confirmed_since.instance_id
      order by e.sequence desc
      limit 500
    ) as newest
    where newest.recorded_at > since and newest.is_proof
  );
end;
$$;
