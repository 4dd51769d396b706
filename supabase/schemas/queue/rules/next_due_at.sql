-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held, by its provider's refusal or by an operator, or
-- disconnected. NULL slot (an empty queue) is never.
create or replace function messaging.next_due_at(
  dispatch messaging.dispatch,
  slot timestamptz,
  interval_seconds integer
)
returns timestamptz
language sql
stable
return case
  when slot is null then 'infinity'::timestamptz
  else greatest(
    slot,
    dispatch.paced_from + make_interval(secs => interval_seconds),
    dispatch.hold_until,
    dispatch.operator_hold_until,
    dispatch.disconnected_until
  )
end;
