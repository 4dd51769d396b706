-- The number up to which no event of the instance can appear any more. The caller reads the events in a
-- later statement, in a transaction of isolation level read committed: see the head of
-- tables/events.sql.
-- Another instance's lock with the same hash only makes the horizon lower. The key 0 is every instance's: see
-- hold_event_floor. read_position asks the same for several instances.
create or replace function messaging.event_horizon(instance_id uuid)
returns bigint language plpgsql set search_path = '' as $$
declare
  last_drawn bigint;
  lowest_floor bigint;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  select min(messaging.event_floor(last_drawn, l.objid))
  into lowest_floor
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid in (0::oid, (uuid_hash(event_horizon.instance_id)::bigint & 4294967295)::oid)
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  return least(last_drawn, lowest_floor);
end;
$$;
