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
