-- events-api: the deliveries to an endpoint, the newest event first, a page at a time.
-- `request`: instanceId, endpointId, status (NULL for any), limit, `after` {sequence} as returned in
-- `next`. Returns {items, next}. Error: MI024.
create or replace function public.list_event_deliveries(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  below constant bigint := coalesce(
    (request->'after'->>'sequence')::bigint, 9223372036854775807
  );
  found_rows messaging.event_deliveries[];
begin
  perform public.get_event_endpoint(request);
  found_rows := array(
    select d
    from messaging.event_deliveries d
    where d.endpoint_id = (request->>'endpointId')::uuid and d.sequence < below
      and (request->>'status' is null or d.status = request->>'status')
    order by d.sequence desc
    limit page_size + 1
  );
  return jsonb_build_object(
    'items', coalesce((
      select jsonb_agg(messaging.describe_event_delivery(d) order by d.sequence desc)
      from unnest(found_rows[:page_size]) as d
    ), '[]'),
    'next', case when cardinality(found_rows) > page_size
      then jsonb_build_object('sequence', found_rows[page_size].sequence)
    end
  );
end;
$$;

-- events-api: sends a delivery again, from the beginning of the schedule. One that is pending is due now.
-- `request`: instanceId, deliveryId, idempotency (see begin_idempotent).
-- Returns the delivery, or {replayed}. Errors: MI007, MI008, MI025 (no such delivery, or its event is
-- purged), MI026 (its endpoint is not active).
create or replace function public.resend_event_delivery(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  delivery messaging.event_deliveries;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select d.* into delivery
  from messaging.event_deliveries d
  where d.id = (request->>'deliveryId')::uuid;
  -- The endpoint is locked first, as everywhere.
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = delivery.endpoint_id and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null
  for no key update;
  if not found
    or not exists (select from messaging.events v where v.sequence = delivery.sequence) then
    raise exception using errcode = 'MI025', message = 'delivery_not_found';
  end if;
  if not endpoint.is_active then
    raise exception using errcode = 'MI026', message = 'endpoint_not_active';
  end if;
  perform messaging.queue_event_deliveries(
    endpoint.id, array[delivery.sequence], clock_timestamp()
  );
  select d.* into delivery from messaging.event_deliveries d where d.id = delivery.id;
  return messaging.keep_outcome(request, messaging.describe_event_delivery(delivery));
end;
$$;

-- events-api: a delivery as a response shows it.
create or replace function messaging.describe_event_delivery(delivery messaging.event_deliveries)
returns jsonb language sql stable set search_path = '' as $$
select jsonb_build_object(
    'deliveryId', delivery.id,
    'endpointId', delivery.endpoint_id,
    'eventId', 'evt_' || replace(delivery.event_id::text, '-', ''),
    'type', delivery.type,
    'status', delivery.status,
    'attempts', delivery.attempts,
    'nextAttemptAt', messaging.iso_in_zone(delivery.next_attempt_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(delivery.created_at, 'UTC')
  );
$$;
