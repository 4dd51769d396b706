-- When a paced message at the head may be claimed: at its slot, one interval after the one before it, and
-- not while the instance is held, by its provider's refusal or by an operator, or
-- disconnected. NULL slot (an empty queue) is never. Where the instance has a pace it is claimed a little
-- sooner, and leaves at that instant: see claim_instance_group.
create or replace function messaging.next_due_at(
  dispatch messaging.dispatch, slot timestamptz, interval_seconds integer, follows_pace boolean
) returns timestamptz language sql stable
return case
  when slot is null then 'infinity'::timestamptz
  when dispatch.messages_per_second is null then greatest(
    slot,
    dispatch.paced_from + make_interval(secs => interval_seconds),
    messaging.held_until(dispatch)
  )
  else greatest(
    slot,
    dispatch.paced_from + messaging.present_spacing(
      dispatch,
      dispatch.paced_from,
      interval_seconds,
      follows_pace
    ),
    messaging.held_until(dispatch)
  ) - messaging.group_lead()
end;
