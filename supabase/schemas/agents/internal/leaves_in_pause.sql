-- Whether a message that is accepted now leaves before a pause of the agent that begins now would be over:
-- only then does accepting it pause the agent. What leaves later pauses it when it leaves, see
-- restart_agent_pauses. `delivery` as in accept_message. Of a message for the paced queue the slot is a
-- forecast, which locks nothing: calls at the same time may make it later.
create or replace function messaging.leaves_in_pause(instance messaging.instances, delivery jsonb)
returns boolean language plpgsql stable set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  pause_ends_at constant timestamptz := messaging.agent_pause_ends_at(clock);
  not_before constant timestamptz := messaging.earliest_departure(delivery, clock);
  walk messaging.slot_walk;
begin
  if not_before > pause_ends_at then
    return false;
  end if;
  -- Spares the forecast where nothing can pause.
  if (delivery->>'queued')::boolean is not true or not exists (
    select from messaging.ai_agents a where a.instance_id = instance.id and a.is_active
  ) then
    return true;
  end if;
  walk := messaging.next_slot(
    instance, messaging.begin_walk(instance, clock), (delivery->>'intervalSeconds')::integer,
    not_before, interval '0', null, false
  );
  return walk.slot <= pause_ends_at;
end;
$$;
