-- hold_event_floor for several instances, in one statement for all that have none yet. For more than a
-- hundred one lock stands for all instances, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. NULL ids mean none.
create or replace function messaging.hold_event_floors(instance_ids uuid[])
returns void language plpgsql set search_path = '' as $$
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
    perform messaging.lock_event_floor(null);
    perform set_config('messaging.event_floors', '*', true);
  else
    perform messaging.lock_event_floor(m.instance_id) from unnest(missing) as m(instance_id);
    perform set_config('messaging.event_floors', held || array_to_string(missing, ''), true);
  end if;
end;
$$;
