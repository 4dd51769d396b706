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

-- Everything that may keep a whole instance from sending, each with the word for it (`heldBy` of answers), why,
-- the provider's code where one refused it, and until when: `infinity` for no end known. What is over has its
-- end all the same. `place`: of several at once the first one is told, since it is what a person has to end.
create or replace function messaging.instance_holds(dispatch messaging.dispatch)
returns table (place integer, held_by text, reason text, code text, ends_at timestamptz)
language sql immutable rows 4
begin atomic
  select h.*
  from
    (
      values
        (1, 'operator_hold', dispatch.operator_hold_reason, null, dispatch.operator_hold_until),
        (2, 'disconnected', dispatch.disconnected_reason, null, dispatch.disconnected_until),
        (3, 'wrong_phone', 'wrong_phone', null, dispatch.wrong_phone_until),
        (
          4,
          'instance_held',
          'provider_refused',
          dispatch.hold_error ->> 'code',
          dispatch.hold_until
        )
    ) as h (place, held_by, reason, code, ends_at);
end;

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

-- Until when an instance is held (see held_until), where it is held at that instant; else no row.
create or replace function messaging.hold_at(instance_id uuid, at timestamptz)
returns table (held_until timestamptz) language sql stable
begin atomic
  select messaging.held_until(own)
  from messaging.dispatch_of(hold_at.instance_id) as own
  where messaging.held_until(own) > at;
end;

-- Until when nothing of an instance's paced messages leaves: its provider's refusal, or stopped_until. NULL
-- where nothing holds it.
create or replace function messaging.held_until(dispatch messaging.dispatch)
returns timestamptz language sql immutable
return greatest(dispatch.hold_until, messaging.stopped_until(dispatch));

-- Until when nothing of an instance leaves, whether paced or not: an operator's hold, a lost connection, or a
-- session of another number. `infinity` for no end known, NULL where none is.
create or replace function messaging.stopped_until(dispatch messaging.dispatch)
returns timestamptz language sql immutable
return greatest(
  dispatch.operator_hold_until,
  dispatch.disconnected_until,
  dispatch.wrong_phone_until
);
