-- How far behind `left_at` the next message of an instance leaves: see spacing. While the instance is slowed,
-- its pace is half.
create or replace function messaging.present_spacing(
  dispatch messaging.dispatch, left_at timestamptz, interval_seconds integer, follows_pace boolean
) returns interval language sql immutable
return case
  when follows_pace
  and dispatch.messages_per_second is not null
  and left_at < dispatch.slowed_until then 2 * messaging.spacing(
    dispatch.messages_per_second,
    interval_seconds,
    follows_pace
  )
  else messaging.spacing(dispatch.messages_per_second, interval_seconds, follows_pace)
end;
