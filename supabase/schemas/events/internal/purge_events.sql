-- purge_expired: deletes events that are older than 30 days, the oldest first, at most `max_rows`, and notes
-- how far each instance's feed is gone: a cursor before that has missed something. Numbers rise with
-- time, so it reads from the lowest number on, and no further than the rows that it may delete. Returns
-- how many it deleted. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_events(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
declare
  deleted integer;
begin
  with oldest as materialized (
    select e.ctid, e.recorded_at from messaging.events e
    order by e.sequence
    limit max_rows
  ), due as materialized (
    -- Locks only these: a lock writes its row, and mostly no row is due.
    select e.ctid from messaging.events e
    where e.ctid = any (array(
      select o.ctid from oldest o where o.recorded_at <= clock - interval '30 days'
    ))
    for update skip locked
  ), gone as (
    delete from messaging.events e
    where e.ctid = any (array(select d.ctid from due d))
    returning e.instance_id, e.sequence
  ), noted as (
    insert into messaging.event_streams as s (instance_id, purged_through)
    select g.instance_id, max(g.sequence)
    from gone g
    where exists (select from messaging.instances i where i.id = g.instance_id)
    group by g.instance_id
    order by g.instance_id
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through)
  )
  select count(*) into deleted from gone;
  return deleted;
end;
$$;
