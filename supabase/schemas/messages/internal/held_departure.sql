-- When a message that has just been queued or scheduled may leave, and what moved it, where its instance is
-- held at its slot or its budget may keep it: see expected_departure. `hold`: as shown_hold, NULL where the
-- instance is not held.
create or replace function messaging.held_departure(
  message_id uuid, instance messaging.instances, out slot timestamptz, out held_by text,
  out hold jsonb
) language plpgsql stable set search_path = '' as $$
begin
  select e.leaves_at, e.held_by, case
    when e.held_until is not null then messaging.shown_hold(
      e.hold_reason, e.hold_code, e.held_until, instance.time_zone
    )
  end
  into slot, held_by, hold
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  cross join lateral messaging.dispatch_of(q.instance_id) as d
  cross join lateral messaging.expected_departure(
    q, m, instance, d, messaging.budget_hold(instance, m.purpose, clock_timestamp())
  ) as e
  where q.message_id = held_departure.message_id;
end;
$$;
