-- accept_messages: pauses the agents of the plain calls, as pause_agent does for one, and notes until
-- when.
create or replace function messaging.pause_accepted_agents(plain messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
declare
  pauses jsonb;
begin
  if not exists (select from unnest(plain) as p where p.has_active_agent) then
    return plain;
  end if;
  select messaging.renew_agent_pauses(
    array_agg(p.contact_id), array_agg(p.instance_id), messaging.agent_pause_ends_at(clock_timestamp())
  )
  into pauses
  from unnest(plain) as p
  where p.has_active_agent;
  for place in 1..cardinality(plain) loop
    plain[place].paused_until := (pauses->>plain[place].contact_id::text)::timestamptz;
  end loop;
  return plain;
end;
$$;
