-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held, by its provider's refusal or by an operator, or
-- disconnected. NULL slot (an empty queue) is never.
create or replace function messaging.next_due_at(
  dispatch messaging.dispatch,
  slot timestamptz,
  interval_seconds integer
)
returns timestamptz
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if slot is null then
    return timestamptz 'infinity';
  end if;
  return greatest(
    slot,
    dispatch.paced_from + make_interval(secs => interval_seconds),
    dispatch.hold_until,
    dispatch.operator_hold_until,
    dispatch.disconnected_until
  );
end;
$$;
revoke all
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
from public, anon, authenticated;
grant execute
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
to service_role;
