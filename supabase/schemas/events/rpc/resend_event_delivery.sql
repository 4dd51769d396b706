-- events-api: sends a delivery again, from the beginning of the schedule. One that is pending is due now.
-- `request`: instanceId, deliveryId, idempotency (see begin_idempotent).
-- Returns the delivery, or {replayed}. Errors: MI007, MI008, MI025 (no such delivery, or its event is
-- purged), MI026 (its endpoint is not active).
create or replace function public.resend_event_delivery(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
