-- Day 0 of an instance's warm-up, its own (local) day: NULL without one. `startedAt` is an instant, or
-- that day itself.
create or replace function messaging.warm_up_from(instance messaging.instances)
returns date language plpgsql stable parallel safe set search_path = '' as $$
declare
  started_at constant text := instance.protection->'warmUp'->>'startedAt';
begin
  if length(started_at) = 10 then
    return started_at::date;
  end if;
  return (started_at::timestamptz at time zone instance.time_zone)::date;
end;
$$;
