-- Until when nothing of an instance leaves, whether paced or not: an operator's hold, a lost connection, or a
-- session of another number. `infinity` for no end known, NULL where none is.
create or replace function messaging.stopped_until(dispatch messaging.dispatch)
returns timestamptz language sql immutable
return greatest(
  dispatch.operator_hold_until,
  dispatch.disconnected_until,
  dispatch.wrong_phone_until
);
