-- Whether the server knows a time zone by exactly this name.
create or replace function messaging.is_time_zone(name text)
returns boolean
language sql
stable
parallel safe
set search_path = ''
as $$
  select exists (
    select from pg_catalog.pg_timezone_names z where z.name = is_time_zone.name
  );
$$;
