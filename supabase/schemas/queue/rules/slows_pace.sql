-- Whether a refusal slows its instance down: the channel has refused a message for its speed, and the instance
-- has a pace. Others wait as after any temporary refusal.
create or replace function messaging.slows_pace(dispatch messaging.dispatch, error jsonb)
returns boolean language sql immutable
return dispatch.messages_per_second is not null and error ->> 'meaning' = 'too_fast';
