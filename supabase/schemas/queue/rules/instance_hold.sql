-- The one answer to why nothing of an instance leaves at an instant: see instance_holds. No row where nothing
-- keeps it. `is_paced`: whether the queue is meant; what leaves beside it is tried in spite of a refusal.
create or replace function messaging.instance_hold(
  dispatch messaging.dispatch, at timestamptz, is_paced boolean
) returns table (held_by text, reason text, code text, ends_at timestamptz) language sql immutable
rows 1
begin atomic
  select h.held_by, h.reason, h.code, h.ends_at
  from messaging.instance_holds(dispatch) as h
  where h.ends_at > instance_hold.at and (is_paced or h.held_by != 'instance_held')
  order by h.place
  limit 1;
end;
