-- Whether a message with this delivery (see accept_message) is sent by its call, immediately.
create or replace function messaging.leaves_at_once(delivery jsonb, clock timestamptz)
returns boolean language sql stable
return (delivery ->> 'queued')::boolean is not true
and (delivery ->> 'isDeferred')::boolean is not true
and messaging.earliest_departure(delivery, clock) <= clock;
