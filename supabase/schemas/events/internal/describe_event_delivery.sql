-- events-api: a delivery as a response shows it.
create or replace function messaging.describe_event_delivery(delivery messaging.event_deliveries)
returns jsonb
language sql
stable
set search_path = ''
as $$
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
