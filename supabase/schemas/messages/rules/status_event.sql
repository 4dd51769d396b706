-- The event that tells a message's new status. That a reaction is sent or received is told as the reaction.
create or replace function messaging.status_event(message_type text, status text)
returns text language sql immutable
return 'message.' || case
  when message_type = 'reaction'
  and status in ('sent', 'received') then 'reaction'
  else status
end;
