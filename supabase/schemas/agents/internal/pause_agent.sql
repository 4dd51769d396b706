-- Pauses the instance's agent for a contact, until
-- agent_pause_ends_at. Does nothing where the instance has no active agent or that instant is past.
-- Returns the end of the pause, or NULL. Records agent.paused where the pause begins or is prolonged.
create or replace function messaging.pause_agent(
  instance_id uuid, contact_id uuid, written_at timestamptz
) returns timestamptz language plpgsql set search_path = '' as $$
declare
  until timestamptz;
begin
  if messaging.agent_pause_ends_at(written_at) <= clock_timestamp() or not exists (
    select from messaging.ai_agents a
    where a.instance_id = pause_agent.instance_id and a.is_active
  ) then
    return null;
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  values (
    pause_agent.contact_id, pause_agent.instance_id, messaging.agent_pause_ends_at(written_at)
  )
  on conflict on constraint agent_pauses_pkey do update
  set paused_until = excluded.paused_until
  where excluded.paused_until > pause.paused_until
  returning pause.paused_until into until;
  if found then
    perform messaging.record_agent_pauses(array[contact_id]);
  else
    select p.paused_until into until
    from messaging.agent_pauses p where p.contact_id = pause_agent.contact_id;
  end if;
  return until;
end;
$$;
