-- Tells the workspace's alert address, where there is one, that an instance has lost its connection. The
-- caller holds the dispatch row.
create or replace function messaging.tell_disconnection(
  instance messaging.instances,
  reason text,
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_disconnected_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'reason', tell_disconnection.reason,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  )
  from messaging.workspaces w
  where w.id = instance.workspace_id and w.alert_email is not null;
  if found then
    update messaging.dispatch d
    set told_disconnected_at = clock
    where d.instance_id = instance.id;
  end if;
end;
$$;
