-- Until when nothing of an instance's paced messages leaves: its provider's refusal, or stopped_until. NULL
-- where nothing holds it.
create or replace function messaging.held_until(dispatch messaging.dispatch)
returns timestamptz language sql immutable
return greatest(dispatch.hold_until, messaging.stopped_until(dispatch));
