-- events-api: sends the events of a time to an endpoint once more, those of its types (and of `types`,
-- where given). The dispatcher makes the deliveries (fan_out_events); until it has, the endpoint takes no
-- other replay: each one could be of all events of 30 days. `request`: instanceId, endpointId,
-- since, until (NULL for now), types (NULL for all), idempotency (see begin_idempotent).
-- Returns {count}, or {replayed}. Errors: MI007, MI008, MI024, MI026 (not active),
-- MI056 (another one waits).
create or replace function public.replay_events(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  since constant timestamptz := (request->>'since')::timestamptz;
  until constant timestamptz := coalesce((request->>'until')::timestamptz, clock_timestamp());
  types constant text[] := case
    when jsonb_typeof(request->'types') = 'array'
      then array(select jsonb_array_elements_text(request->'types'))
  end;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  horizon bigint;
  events record;
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  if not endpoint.is_active then
    raise exception using errcode = 'MI026', message = 'endpoint_not_active';
  end if;
  if exists (select from messaging.event_replays r where r.endpoint_id = endpoint.id) then
    raise exception using errcode = 'MI056', message = 'replay_pending';
  end if;
  horizon := messaging.event_horizon(endpoint.instance_id);
  select count(*) as amount, min(e.sequence) as first, max(e.sequence) as last
  into events
  from messaging.events e
  where e.instance_id = endpoint.instance_id and e.sequence <= horizon
    and e.recorded_at >= since and e.recorded_at <= until
    and e.type <> 'endpoint.test'
    and (endpoint.types is null or e.type = any (endpoint.types))
    and (types is null or e.type = any (types));
  if events.amount > 0 then
    insert into messaging.event_replays (endpoint_id, told_through, through, since, until, types)
    values (endpoint.id, events.first - 1, events.last, since, until, types);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object('count', events.amount));
end;
$$;
