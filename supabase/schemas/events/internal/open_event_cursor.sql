-- The number that a cursor of the feed holds; NULL for what seal_event_cursor has not made with this
-- key.
create or replace function messaging.open_event_cursor(cursor text, cursor_key uuid)
returns bigint
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  number bigint;
begin
  if cursor !~ '^[0-9A-Za-z_-]{28}$' then
    return null;
  end if;
  number := ('x' || encode(
    substring(decode(translate(cursor, '-_', '+/'), 'base64') from 1 for 8), 'hex'
  ))::bit(64)::bigint;
  return case when messaging.seal_event_cursor(number, cursor_key) = cursor then number end;
end;
$$;
