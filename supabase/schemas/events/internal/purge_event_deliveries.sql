-- Part of purge_expired: deletes deliveries after 30 days, and those of deleted endpoints, then the
-- endpoints; at most `max_rows` of each. Returns how many rows of the larger kind: below `max_rows`,
-- nothing is left.
create or replace function messaging.purge_event_deliveries(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  old_rows integer;
  orphans integer;
begin
  delete from messaging.event_deliveries d
  where d.ctid = any (array(
    select e.ctid from messaging.event_deliveries e
    where e.created_at <= clock - interval '30 days'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics old_rows = row_count;

  delete from messaging.event_deliveries d
  where d.ctid = any (array(
    select x.ctid
    from messaging.event_endpoints e
    join messaging.event_deliveries x on x.endpoint_id = e.id
    where e.deleted_at <= clock
    limit max_rows for update of x skip locked
  ));
  get diagnostics orphans = row_count;

  delete from messaging.event_endpoints e
  where e.deleted_at <= clock
    and not exists (select from messaging.event_deliveries d where d.endpoint_id = e.id);
  return greatest(old_rows, orphans);
end;
$$;
