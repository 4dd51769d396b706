-- Until when nothing of an instance leaves, whether paced or not: an operator's hold, or a lost connection.
-- `infinity` for no end known, NULL where neither is.
create or replace function messaging.stopped_until(dispatch messaging.dispatch)
returns timestamptz language sql immutable
return greatest(dispatch.operator_hold_until, dispatch.disconnected_until);
