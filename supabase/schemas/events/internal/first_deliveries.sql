-- When the first delivery of each endpoint that waits for some is due, from `due_from` on: see delivery_floor. By the
-- index of what waits: it goes from one endpoint to the next, so its cost follows the endpoints that wait for
-- something, not all there are, and not how much each waits for.
create or replace function messaging.first_deliveries(due_from timestamptz)
returns table (endpoint_id uuid, due_at timestamptz) language plpgsql stable set search_path = ''
set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
  with recursive waiting as (
    (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at >= due_from
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    )
    union all
    select n.endpoint_id, n.next_attempt_at
    from waiting w
    cross join lateral (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at >= due_from and d.endpoint_id > w.endpoint_id
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    ) as n
  )
  select w.endpoint_id, w.next_attempt_at from waiting w;
end;
$$;
