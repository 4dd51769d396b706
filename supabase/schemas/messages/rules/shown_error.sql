-- A message's last error as callers see it. What it means beyond the message is for SQL alone.
create or replace function messaging.shown_error(error jsonb)
returns jsonb language sql immutable
return error - 'meaning';
