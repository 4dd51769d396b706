-- The event that tells a message's new status. That a reaction is sent is told as the reaction.
create or replace function messaging.status_event(message_type text, status text)
returns text
language sql
immutable
return 'message.' || case
  when message_type = 'reaction'
  and status = 'sent' then 'reaction'
  else status
end;
