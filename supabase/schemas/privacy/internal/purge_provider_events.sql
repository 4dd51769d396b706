-- purge_expired: deletes webhook payloads that are older than their instance keeps them: 30 days, unless it
-- is set otherwise. At most `max_rows` of either kind, the oldest first.
-- The payloads of instances without a setting are found by their age alone. What is older and is kept
-- longer by a setting is marked once, so that it is passed over from then on.
-- Returns how many were deleted or marked. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_provider_events(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
declare
  places tid[];
  own_time integer;
begin
  places := array(
    select e.ctid from messaging.provider_events e
    where not e.is_kept_longer and e.received_at <= clock - interval '30 days'
    order by e.received_at
    limit max_rows
    for update skip locked
  );
  update messaging.provider_events p
  set is_kept_longer = true
  where p.ctid = any (places) and exists (
    select from messaging.instances i
    where i.id = p.instance_id
      and (i.retention_provider_events_days = 0 or i.retention_provider_events_days > 30)
  );
  -- What was marked has moved to another place.
  delete from messaging.provider_events p
  where p.ctid = any (places) and not p.is_kept_longer;

  delete from messaging.provider_events p
  where p.ctid = any (array(
    select due.place
    from messaging.instances i
    cross join lateral (
      select e.ctid as place from messaging.provider_events e
      where e.instance_id = i.id
        and e.received_at <= clock - make_interval(days => i.retention_provider_events_days)
      order by e.instance_id, e.received_at
      limit max_rows
      for update skip locked
    ) as due
    where i.retention_provider_events_days > 0
    limit max_rows
  ));
  get diagnostics own_time = row_count;
  return greatest(cardinality(places), own_time);
end;
$$;
