-- When a message that has just been queued or scheduled may leave, where its instance is held, by a
-- refusal or an operator, or disconnected, for longer than until the message's slot: see expected_departure. Else the slot and what moved it, as they are.
create or replace function messaging.held_departure(
  message_id uuid,
  instance messaging.instances,
  inout slot timestamptz,
  inout held_by text
)
language plpgsql
set search_path = ''
as $$
begin
  perform from messaging.dispatch d
  where d.instance_id = instance.id and greatest(d.hold_until, d.operator_hold_until, d.disconnected_until) > slot;
  if not found then
    return;
  end if;
  select e.leaves_at, e.held_by into slot, held_by
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  join messaging.dispatch d on d.instance_id = q.instance_id
  cross join lateral messaging.expected_departure(q, m, instance, d) as e
  where q.message_id = held_departure.message_id;
end;
$$;
