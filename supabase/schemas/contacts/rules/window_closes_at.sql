-- When the official channel's conversation window closes: 24 hours after the contact's last message. NULL
-- where none is known.
create or replace function messaging.window_closes_at(last_inbound_at timestamptz)
returns timestamptz language sql stable
return last_inbound_at + interval '24 hours';
