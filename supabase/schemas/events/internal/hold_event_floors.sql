-- hold_event_floor for several instances, in one statement for all that have none yet. For more than a
-- hundred one lock stands for all instances, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. NULL ids mean none.
create or replace function messaging.hold_event_floors(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
  missing constant uuid[] := case
    when held = '*' then '{}'
    else array(
      select distinct i.instance_id from unnest(instance_ids) as i(instance_id)
      where strpos(held, i.instance_id::text) = 0
    )
  end;
begin
  if cardinality(missing) = 0 then
    return;
  elsif cardinality(instance_ids) > 100 then
    perform
      pg_advisory_xact_lock_shared(
        0, (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
      )
    from messaging.event_sequence s;
    perform set_config('messaging.event_floors', '*', true);
  else
    perform
      pg_advisory_xact_lock_shared(
        uuid_hash(m.instance_id),
        (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
      )
    from messaging.event_sequence s
    cross join unnest(missing) as m(instance_id);
    perform set_config('messaging.event_floors', held || array_to_string(missing, ''), true);
  end if;
end;
$$;
revoke all on function messaging.hold_event_floors(uuid[]) from public, anon, authenticated;
grant execute on function messaging.hold_event_floors(uuid[]) to service_role;
