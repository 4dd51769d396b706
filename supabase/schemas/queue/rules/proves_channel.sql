-- Whether an event proves that the channel of an instance delivers: a message or a reaction received, or a
-- confirmation. `direction`: of the event's message.
create or replace function messaging.proves_channel(event_type text, direction text)
returns boolean language sql immutable
return event_type in ('message.received', 'message.delivered', 'message.read')
or event_type = 'message.reaction'
and direction = 'inbound';
