-- When what an instance had in flight left, as its pace counts it: when its call began, and its typing had
-- been shown. After an unknown outcome the end of what may have been its call, which is over when its lease
-- is. A call that began at most 50 ms late keeps the grid of the slots: the delay is not added to the next
-- message.
create or replace function messaging.departed_at(
  dispatch messaging.dispatch, outcome text, called_after_ms integer, clock timestamptz
) returns timestamptz language sql stable
return case
  when outcome = 'unknown' then greatest(dispatch.paced_from, least(dispatch.lease_until, clock))
  when dispatch.departs_at + called_after_ms * interval '1 millisecond' > dispatch.paced_from + interval '50 milliseconds' then dispatch.departs_at + called_after_ms * interval '1 millisecond'
  else dispatch.paced_from
end;
