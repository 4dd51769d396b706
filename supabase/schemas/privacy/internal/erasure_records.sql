-- Adds to an erasure what one step of it has deleted: `erased` {<kind>: count, phones: spellings of the
-- person's phone that the rows had}.
create or replace function messaging.add_erased(erasure messaging.erasures, erased jsonb)
returns messaging.erasures language plpgsql immutable set search_path = '' as $$
begin
  erasure.counts := messaging.add_counts(erasure.counts, erased - 'phones');
  erasure.work := erasure.work || jsonb_build_object('marks', messaging.merge_texts(
    erasure.work->'marks',
    messaging.person_marks(array(select jsonb_array_elements_text(erased->'phones')))
  ));
  return erasure;
end;
$$;

-- Adds counts of erased rows to those before: {messages, notes, media, events, deliveries,
-- providerPayloads, outboxPayloads, idempotencyBodies}.
create or replace function messaging.add_counts(counts jsonb, more jsonb)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select counts || coalesce(
    jsonb_object_agg(m.key, coalesce((counts->>m.key)::bigint, 0) + m.value::bigint), '{}'
  )
  from jsonb_each_text(more) as m;
$$;

-- The texts of both lists, each once.
create or replace function messaging.merge_texts(texts jsonb, more text[])
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select coalesce(jsonb_agg(distinct t.text), '[]')
  from (
    select jsonb_array_elements_text(texts) as text
    union all
    select unnest(more)
  ) as t
  where t.text is not null;
$$;

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
