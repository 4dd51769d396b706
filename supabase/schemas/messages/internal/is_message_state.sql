-- Whether the columns of a message's state agree: known values, `received` for inbound messages and
-- only for them, an instant for everything that was sent or received.
-- One function instead of five CHECK constraints: Postgres parses constraints again for each statement
-- that writes a message, which took a sixth of the time of queuing one.
create or replace function messaging.is_message_state(
  direction text,
  status text,
  mode text,
  held_by text,
  sent_at timestamptz
)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return direction in ('inbound', 'outbound')
    and case direction
      when 'inbound' then status = 'received'
      else status in
        ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unconfirmed')
    end
    and (mode is null or mode in ('sent', 'queued', 'scheduled'))
    and (held_by is null or held_by in ('interval', 'window', 'holiday', 'delay'))
    and (sent_at is not null or status not in ('sent', 'delivered', 'read', 'received'));
end;
$$;
revoke all
on function messaging.is_message_state(text, text, text, text, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.is_message_state(text, text, text, text, timestamptz)
to service_role;
