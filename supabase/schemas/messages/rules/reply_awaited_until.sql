-- Until when a message waits for the answer to its invitation: what its call said, or 72 hours from `clock`.
create or replace function messaging.reply_awaited_until(expires_at timestamptz, clock timestamptz)
returns timestamptz language sql stable
return coalesce(expires_at, clock + interval '72 hours');
