-- When a message that has just been queued or scheduled may leave, and what moved it, where its instance is
-- held at its slot: see expected_departure.
create or replace function messaging.held_departure(
  message_id uuid,
  instance messaging.instances,
  out slot timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
begin
  select e.leaves_at, e.held_by into slot, held_by
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  join messaging.dispatch d on d.instance_id = q.instance_id
  cross join lateral messaging.expected_departure(q, m, instance, d) as e
  where q.message_id = held_departure.message_id;
end;
$$;
