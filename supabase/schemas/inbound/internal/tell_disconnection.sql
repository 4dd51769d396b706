-- Tells the workspace's alert address, where there is one, that an instance has lost its connection. The
-- caller holds the dispatch row.
create or replace function messaging.tell_disconnection(
  instance messaging.instances, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_disconnected_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'reason', h.reason,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  ) || messaging.shown_hold(h.reason, h.code, h.ends_at, instance.time_zone)
  from messaging.workspaces w
  join messaging.dispatch d on d.instance_id = instance.id
  cross join lateral messaging.instance_holds(d) as h
  where w.id = instance.workspace_id and w.alert_email is not null and h.held_by = 'disconnected';
  if found then
    update messaging.dispatch d
    set told_disconnected_at = clock
    where d.instance_id = instance.id;
  end if;
end;
$$;
