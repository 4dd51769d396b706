-- Adds counts of erased rows to those before: {messages, notes, media, events, deliveries,
-- providerPayloads, outboxPayloads, idempotencyBodies}.
create or replace function messaging.add_counts(counts jsonb, more jsonb)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select counts || coalesce(
    jsonb_object_agg(m.key, coalesce((counts->>m.key)::bigint, 0) + m.value::bigint), '{}'
  )
  from jsonb_each_text(more) as m;
$$;
