-- settle_messages: restarts the agent's pauses now that the messages have left. They began when the
-- calls were accepted. Writes in the order of the contacts, so that two calls never wait for each
-- other.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.pause_agent(paused.instance_id, paused.contact_id, clock)
  from (
    select s.instance_id, s.contact_id
    from unnest(settlements) as s
    where s.pauses_agent and exists (
      select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
      -- Looks for each instance; a join may read all agents.
      offset 0
    )
    order by s.contact_id
  ) as paused;
end;
$$;
revoke all
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
to service_role;
