-- Pauses the agents for several contacts, as pause_agent does for one: not before `until`. The instances,
-- in the order of the contacts, have an active agent. Writes in the order of the contacts, so that two
-- batches never wait for each other.
-- Returns until when each is paused, by contact; NULL for no contacts.
create or replace function messaging.renew_agent_pauses(
  contact_ids uuid[], instance_ids uuid[], until timestamptz
) returns jsonb language plpgsql set search_path = '' as $$
declare
  pauses jsonb;
  renewed uuid[];
begin
  with paused as (
    insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
    select distinct on (wanted.contact_id)
      wanted.contact_id, wanted.instance_id, renew_agent_pauses.until
    from unnest(contact_ids, instance_ids) as wanted(contact_id, instance_id)
    order by wanted.contact_id
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = greatest(pause.paused_until, excluded.paused_until)
    returning pause.contact_id, pause.paused_until
  )
  select jsonb_object_agg(p.contact_id, p.paused_until),
    array_agg(p.contact_id) filter (where p.paused_until = renew_agent_pauses.until)
  into pauses, renewed
  from paused p;
  perform messaging.record_agent_pauses(renewed);
  return pauses;
end;
$$;
