-- Whether an instance is held at that instant, by its provider's refusal or an operator, or disconnected.
create or replace function messaging.is_held_at(dispatch messaging.dispatch, at timestamptz)
returns boolean
language sql
stable
return coalesce(
  greatest(dispatch.hold_until, dispatch.operator_hold_until, dispatch.disconnected_until) > at,
  false
);
