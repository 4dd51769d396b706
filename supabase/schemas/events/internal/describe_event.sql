-- An event as the feed and the webhooks give it. Instants of a message are told in the time zone that
-- its instance has now; in UTC, where the instance is gone.
create or replace function messaging.describe_event(event messaging.events)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', 'evt_' || replace(event.id::text, '-', ''),
    'type', event.type,
    'timestamp', to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'instanceId', event.instance_id,
    'sequence', event.sequence,
    'data', coalesce(
      event.data,
      messaging.message_event_data(
        event.type,
        event.message,
        coalesce(
          (select i.time_zone from messaging.instances i where i.id = event.instance_id), 'UTC'
        )
      )
    )
  );
end;
$$;
