-- settle_messages: restarts the agent's pauses now that the messages have left. They began when the
-- calls were accepted.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.renew_agent_pauses(
    array_agg(s.contact_id), array_agg(s.instance_id), clock + interval '30 minutes'
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
revoke all
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
to service_role;
