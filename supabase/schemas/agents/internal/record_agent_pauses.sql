-- Records agent.paused for contacts that the caller has just begun to pause, or has paused for longer. NULL ids mean
-- none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_agent_pauses(contact_ids uuid[])
returns void language plpgsql strict set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(p.instance_id, p.contact_id, 'agent.paused', jsonb_build_object(
    'contactId', p.contact_id,
    'pausedUntil', messaging.iso_in_zone(p.paused_until, i.time_zone)
  ))
  from messaging.agent_pauses p
  join messaging.instances i on i.id = any (array[p.instance_id])
  where p.contact_id = any (contact_ids)
  order by p.contact_id;
end;
$$;
