-- An event as the feed and the webhooks give it.
create or replace function messaging.describe_event(event messaging.events)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', 'evt_' || replace(event.id::text, '-', ''),
    'type', event.type,
    'timestamp', to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'instanceId', event.instance_id,
    'sequence', event.sequence,
    'data', event.data
  );
$$;
revoke all on function messaging.describe_event(messaging.events) from public, anon, authenticated;
grant execute on function messaging.describe_event(messaging.events) to service_role;
