-- Disables an endpoint that the caller has locked: `gone` (it answered 410) or `failing` (nothing but
-- failures for 5 days). Tells it by an event, and by an e-mail to the workspace's alert address.
create or replace function messaging.disable_event_endpoint(
  endpoint messaging.event_endpoints,
  reason text
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.event_endpoints e
  set is_active = false, disabled_reason = reason, disabled_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where e.id = endpoint.id;
  perform messaging.fail_pending_deliveries(endpoint.id);
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'endpoint_disabled_email', jsonb_build_object(
    'instanceId', i.id,
    'instanceName', i.name,
    'endpointId', endpoint.id,
    'description', endpoint.description,
    'url', endpoint.url,
    'reason', reason,
    'alertEmail', w.alert_email
  )
  from messaging.instances i
  join messaging.workspaces w on w.id = i.workspace_id
  where i.id = endpoint.instance_id and w.alert_email is not null;
  perform messaging.record_event(
    endpoint.instance_id, null, 'endpoint.disabled',
    jsonb_build_object('endpointId', endpoint.id, 'reason', reason)
  );
end;
$$;
