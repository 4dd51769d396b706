-- Whether a received message counts as a reply, by its type: a reaction and a call are none.
create or replace function messaging.is_reply(message_type text)
returns boolean language sql immutable parallel safe
return message_type not in ('reaction', 'call');
