-- An erasure as contacts-api reports it.
create or replace function messaging.describe_erasure(erasure messaging.erasures)
returns jsonb language sql immutable set search_path = '' as $$
  select jsonb_build_object(
    'erasureId', erasure.id,
    'contactId', erasure.contact_id,
    'status', erasure.status,
    'counts', jsonb_build_object(
      'messages', 0, 'notes', 0, 'media', 0, 'events', 0, 'deliveries', 0, 'providerPayloads', 0,
      'outboxPayloads', 0, 'idempotencyBodies', 0
    ) || (erasure.counts - 'statuses')
  );
$$;
