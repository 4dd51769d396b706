-- The endpoints that have a delivery due at `clock`, by the index of what waits: it goes from one endpoint to
-- the next, so its cost follows the endpoints that wait for something, not all there are, and not how much
-- each waits for.
create or replace function messaging.endpoints_with_due_deliveries(clock timestamptz)
returns setof uuid language plpgsql stable set search_path = '' set enable_bitmapscan = off
set enable_sort = off as $$
begin
  return query
  with recursive waiting as (
    (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at is not null
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    )
    union all
    select n.endpoint_id, n.next_attempt_at
    from waiting w
    cross join lateral (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at is not null and d.endpoint_id > w.endpoint_id
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    ) as n
  )
  select w.endpoint_id from waiting w where w.next_attempt_at <= clock;
end;
$$;
