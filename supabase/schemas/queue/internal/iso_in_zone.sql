-- An instant as ISO 8601 with milliseconds and the offset that the zone has then; NULL stays NULL.
create or replace function messaging.iso_in_zone(instant timestamptz, time_zone text)
returns text language plpgsql stable strict parallel safe set search_path = '' as $$
declare
  local constant timestamp := instant at time zone time_zone;
  shift constant interval := local - (instant at time zone 'UTC');
begin
  -- Without a subquery, whose start would cost several times as much.
  return to_char(local, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
    || case when shift < interval '0' then '-' else '+' end
    || to_char(greatest(shift, -shift), 'HH24:MI');
end;
$$;
