-- accept_messages: pauses the agents of the plain calls, as pause_agent does for one, and notes until
-- when. Writes in the order of the contacts, so that two batches never wait for each other.
create or replace function messaging.pause_accepted_agents(plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  pauses jsonb;
begin
  if not exists (select from unnest(plain) as p where p.has_active_agent) then
    return plain;
  end if;
  with paused as (
    insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
    select distinct on (p.contact_id)
      p.contact_id, p.instance_id, clock_timestamp() + interval '30 minutes'
    from unnest(plain) as p
    where p.has_active_agent
    order by p.contact_id
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = greatest(pause.paused_until, excluded.paused_until)
    returning pause.contact_id, pause.paused_until
  )
  select jsonb_object_agg(paused.contact_id, paused.paused_until) into pauses from paused;
  for place in 1..cardinality(plain) loop
    plain[place].paused_until := (pauses->>plain[place].contact_id::text)::timestamptz;
  end loop;
  return plain;
end;
$$;
revoke all
on function messaging.pause_accepted_agents(messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.pause_accepted_agents(messaging.acceptance[])
to service_role;
