-- The number up to which no event of the instance can appear any more. The caller reads the events in a
-- later statement, in a transaction of isolation level read committed: see the head of
-- tables/events.sql.
-- A floor is rebuilt from its low 32 bits as the number nearest to the one that was drawn last. Another
-- instance's lock with the same hash only makes the horizon lower. The key 0 is every instance's: see
-- hold_event_floors.
create or replace function messaging.event_horizon(instance_id uuid)
returns bigint language plpgsql set search_path = '' as $$
declare
  last_drawn bigint;
  lowest_floor bigint;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  select min(last_drawn + ((l.objid::bigint - last_drawn + 2147483648) & 4294967295) - 2147483648)
  into lowest_floor
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid in (0::oid, (uuid_hash(event_horizon.instance_id)::bigint & 4294967295)::oid)
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  return least(last_drawn, lowest_floor);
end;
$$;
