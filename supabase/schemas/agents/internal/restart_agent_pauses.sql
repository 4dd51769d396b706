-- settle_messages: pauses the agents now that the messages have left. Where they left soon after, the
-- pauses began when the calls were accepted: see leaves_in_pause.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.renew_agent_pauses(
    array_agg(s.contact_id), array_agg(s.instance_id), messaging.agent_pause_ends_at(clock)
  )
  from unnest(settlements) as s
  where s.pauses_agent and exists (
    select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
    -- Looks for each instance; a join may read all agents.
    offset 0
  )
  -- Most batches pause no agent.
  having count(*) > 0;
end;
$$;
