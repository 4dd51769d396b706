-- An instant as ISO 8601 with milliseconds and the offset that the zone has then; NULL stays NULL.
create or replace function messaging.iso_in_zone(instant timestamptz, time_zone text)
returns text
language plpgsql
stable
strict
parallel safe
set search_path = ''
as $$
begin
  return (
    select to_char(clock.local, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
      || case when clock.shift < interval '0' then '-' else '+' end
      || to_char(greatest(clock.shift, -clock.shift), 'HH24:MI')
    from (
      select instant at time zone time_zone as local,
        (instant at time zone time_zone) - (instant at time zone 'UTC') as shift
    ) as clock
  );
end;
$$;
revoke all on function messaging.iso_in_zone(timestamptz, text) from public, anon, authenticated;
grant execute on function messaging.iso_in_zone(timestamptz, text) to service_role;
