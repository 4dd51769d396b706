-- purge_expired: deletes the recipients of batches that ended, or were made and never started, longer ago
-- than their instance keeps messages, at most `max_rows`, and a batch with the last of them. What a list
-- holds are words to people as well.
-- Returns how many. Waits for no lock. Plans: see purge_expired.
create or replace function messaging.purge_batches(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
declare
  ids uuid[];
  deleted integer;
  emptied integer := 0;
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select b.id from messaging.batches b
      where b.instance_id = i.id and b.status in ('draft', 'canceled', 'finished')
        and coalesce(b.finished_at, b.created_at)
          <= clock - make_interval(days => i.retention_messages_days)
      order by b.instance_id, b.created_at
      limit max_rows
      for update of b skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  delete from messaging.batch_recipients r
  where r.ctid = any (array(
    select listed.ctid
    from unnest(ids) as named(id)
    cross join lateral (
      select x.ctid from messaging.batch_recipients x where x.batch_id = named.id limit max_rows
    ) as listed
    limit max_rows
  ));
  get diagnostics deleted = row_count;
  if deleted < max_rows then
    delete from messaging.batches b where b.id = any (ids);
    get diagnostics emptied = row_count;
  end if;
  return deleted + emptied;
end;
$$;
