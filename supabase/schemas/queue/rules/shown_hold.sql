-- A hold as answers and events show it, beside its `heldBy`: {holdReason, holdCode, heldUntil}, each NULL where
-- it is not known. See instance_hold.
create or replace function messaging.shown_hold(
  reason text, code text, ends_at timestamptz, time_zone text
) returns jsonb language sql stable
return jsonb_build_object(
  'holdReason', reason,
  'holdCode', code,
  'heldUntil', messaging.iso_in_zone(
    case
      when isfinite(ends_at) then ends_at
    end,
    time_zone
  )
);
