-- The instant below which no change of an instance's contacts can appear any more: the lowest floor of
-- the transactions under way (see change_instant), or the present. A reader with `updatedSince` takes
-- the horizon first, and in a later statement the rows with updated_at below it.
-- The clock is read before the locks: who announces its floor after the look takes a later instant.
-- A floor is known by its low 32 bits, and lies within 24 days of the clock. One that was announced
-- between the two looks lies after the clock, and changes nothing.
create or replace function messaging.change_horizon(instance_id uuid)
returns timestamptz language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  clock_ms constant bigint := floor(extract(epoch from clock) * 1000);
  distance bigint;
begin
  select min(
    -- As a signed difference of 32 bits.
    ((l.objid::bigint + 2147483648 - clock_ms + 2147483648) & 4294967295) - 2147483648
  ) into distance
  from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid = (uuid_hash(instance_id) # 1163284301)::oid
    and l.database = (select d.oid from pg_database d where d.datname = current_database());
  return clock + least(distance, 0) * interval '1 millisecond';
end;
$$;
