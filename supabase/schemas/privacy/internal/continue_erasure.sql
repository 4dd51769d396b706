-- One step of an erasure, of at most `max_rows` rows: see run_erasures. Returns the erasure after it, stored.
-- The caller holds it locked. Plans must not depend on statistics: the settings hold for all its parts.
-- `work` is {part, after, contactIds, marks}: which part comes next and where it goes on, and the texts by
-- which payloads name the person. The parts after the first look through what does not name contacts.
create or replace function messaging.continue_erasure(erasure messaging.erasures, max_rows integer)
returns messaging.erasures language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  parts constant text[] := array[
    'rows', 'provider_events', 'unmatched_statuses', 'idempotency_keys', 'outbox', 'event_deliveries'
  ];
  part constant text := erasure.work->>'part';
  after constant jsonb := nullif(erasure.work->'after', 'null');
  marks constant text[] := array(select jsonb_array_elements_text(erasure.work->'marks'));
  pattern constant text := messaging.marks_pattern(marks);
  swept jsonb;
  next_part text;
begin
  if part = 'rows' then
    erasure := messaging.erase_rows(erasure, max_rows);
  else
    swept := case part
      when 'provider_events'
      then messaging.sweep_provider_events(erasure.instance_id, marks, pattern, after, max_rows)
      when 'unmatched_statuses'
      then messaging.sweep_unmatched_statuses(erasure.instance_id, pattern, after, max_rows)
      when 'idempotency_keys'
      then messaging.sweep_idempotency_keys(erasure.instance_id, pattern, after, max_rows)
      when 'outbox'
      then messaging.sweep_outbox(erasure.instance_id, pattern, after, max_rows)
      when 'event_deliveries'
      then messaging.sweep_event_deliveries(erasure.instance_id, pattern, after, max_rows)
    end;
    erasure.counts := messaging.add_counts(erasure.counts, swept->'erased');
    erasure.work := erasure.work || jsonb_build_object('after', swept->'after');
    if swept->'after' = 'null' then
      next_part := parts[array_position(parts, part) + 1];
      erasure.work := erasure.work || jsonb_build_object('part', next_part);
      if next_part is null then
        erasure.status := 'done';
        erasure.work := null;
        erasure.done_at := clock_timestamp();
      end if;
    end if;
  end if;
  update messaging.erasures e
  set status = erasure.status, counts = erasure.counts, work = erasure.work, done_at = erasure.done_at
  where e.id = erasure.id;
  return erasure;
end;
$$;

-- The first part of an erasure: deletes the rows of the person, at most `max_rows` messages and events a
-- step, and the contact with the last of them. Until then the contact is there: what comes to it is erased
-- with it. Afterwards its phone is nobody's: whatever names it makes a new contact.
-- Everything that writes to a contact locks it, and finds it gone where it waited for this: it is repeated
-- (see find_or_add_contact). Messages go before events: a transaction that records an event of a message
-- holds the message, so that its event is here when the message is gone.
-- A contact that was merged meanwhile is erased as the one that it has become.
-- Returns the erasure; its work is at the next part when nothing of the person is left.
-- Locks the person over the workspace (see lock_person); the person's addresses, so that no webhook about
-- them is half recorded; the contact, its conversation, messages; at the end the tombstones.
create or replace function messaging.erase_rows(erasure messaging.erasures, max_rows integer)
returns messaging.erasures language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  person_id constant uuid := coalesce(
    (select a.merged_into from messaging.contact_activity a where a.contact_id = erasure.contact_id),
    erasure.contact_id
  );
  person_ids uuid[];
  of_conversation uuid;
  tag_ids uuid[];
  identity_keys text[];
  erased jsonb;
begin
  perform messaging.lock_person(c) from messaging.contacts c where c.id = person_id;
  perform messaging.lock_addresses(c.instance_id, messaging.person_addresses(c))
  from messaging.contacts c where c.id = person_id;
  select c.* into contact from messaging.contacts c where c.id = person_id for update;
  -- Merged while this waited: the next step finds the survivor.
  if contact.merged_into is not null then
    return erasure;
  end if;
  if contact.id is not null then
    person_ids := array[contact.id, erasure.contact_id] || array(
      select a.contact_id from messaging.contact_activity a where a.merged_into = contact.id
    );
    select c.id into of_conversation from messaging.conversations c
    where c.contact_id = contact.id for update;
    erased := messaging.erase_messages(contact, max_rows);
    erasure := messaging.add_erased(erasure, erased);
    if exists (
      select from messaging.messages m
      where m.contact_id = any (messaging.merged_contact_ids(contact.id))
    ) then
      return erasure;
    end if;
    erased := messaging.erase_events(contact.instance_id, person_ids, max_rows);
    erasure := messaging.add_erased(erasure, erased);
    if (erased->>'events')::integer >= max_rows then
      return erasure;
    end if;
    erasure.work := erasure.work || jsonb_build_object('marks', messaging.merge_texts(
      erasure.work->'marks', messaging.person_marks(messaging.person_addresses(contact)) || person_ids::text[]
        || of_conversation::text
    ));
    erasure.counts := messaging.add_counts(erasure.counts, jsonb_build_object('notes', (
      select count(*) from messaging.internal_notes n
      where n.conversation_id = of_conversation
    )));
    erasure.counts := messaging.add_counts(erasure.counts, jsonb_build_object(
      'media', messaging.forget_media(messaging.media_of_contact(contact.id))
    ));
    perform messaging.forget_recipients(person_ids);
    tag_ids := array(select t.tag_id from messaging.contact_tags t where t.contact_id = contact.id);
    identity_keys := messaging.denial_identities(messaging.person_addresses(contact));
    -- With its addresses, tags, consent, conversation, notes, transfers, agent session and pauses.
    delete from messaging.contacts c where c.id = contact.id;
    perform messaging.erase_words(contact.instance_id, identity_keys);
    -- A tag that nobody else has may say who the person was.
    delete from messaging.tags t
    where t.id = any (tag_ids)
      and not exists (select from messaging.contact_tags c where c.tag_id = t.id);
    perform messaging.record_event(
      contact.instance_id, contact.id, 'contact.erased', jsonb_build_object('contactId', contact.id)
    );
    perform messaging.bury_contacts(contact.instance_id, person_ids);
  end if;
  erasure.work := erasure.work || '{"part": "provider_events", "after": null}';
  return erasure;
end;
$$;

-- Part of an erasure: deletes at most `max_rows` events about these contacts (a person's, and those that
-- were merged into it), with their webhook deliveries. Readers of the feed find a gap, as after any number
-- that no event has; contact.erased tells them what to do.
-- Returns {events, deliveries, phones}: how many, and the phones that the events named.
create or replace function messaging.erase_events(
  instance_id uuid, contact_ids uuid[], max_rows integer
) returns jsonb language plpgsql set search_path = '' as $$
declare
  sequences bigint[];
  deliveries integer;
  erased jsonb;
begin
  sequences := array(
    select e.sequence from messaging.events e
    where e.contact_id = any (contact_ids) and e.type <> 'contact.erased'
    limit max_rows
  );
  delete from messaging.event_deliveries d
  where d.endpoint_id = any (array(
      select p.id from messaging.event_endpoints p where p.instance_id = erase_events.instance_id
    ))
    and d.sequence = any (sequences);
  get diagnostics deliveries = row_count;
  with gone as (
    delete from messaging.events e
    where e.sequence = any (sequences)
    returning coalesce((e.message).contact_phone, e.data->>'phone') as phone
  )
  select jsonb_build_object(
    'events', count(*),
    'deliveries', deliveries,
    'phones', coalesce(jsonb_agg(distinct g.phone) filter (where g.phone is not null), '[]')
  )
  into erased
  from gone g;
  return erased;
end;
$$;

-- The files that belong to one contact alone: those that came from it, and those that were sent to it and
-- to nobody else, by no batch and no message with a ladder
-- that may still send them. For forget_media, before the contact's messages are deleted.
create or replace function messaging.media_of_contact(contact_id uuid)
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  of_contacts constant uuid[] := messaging.merged_contact_ids(contact_id);
begin
  return array(
    select m.id from messaging.media m where m.contact_id = any (of_contacts)
    union
    select own.media_id
    from messaging.messages own
    where own.contact_id = any (of_contacts) and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id
          and other.contact_id <> all (of_contacts)
      )
      and not messaging.is_file_of_batch(own.instance_id, own.media_id)
      and not messaging.is_held_file(own.media_id)
  );
end;
$$;

-- Part of an erasure: deletes the words of a person by identities that no contact of the workspace has any more.
-- Those that a contact of another instance has stay with that contact. See person_words.
create or replace function messaging.erase_words(instance_id uuid, identity_keys text[])
returns void language plpgsql set search_path = '' as $$
declare
  of_workspace constant uuid := (
    select i.workspace_id from messaging.instances i where i.id = erase_words.instance_id
  );
begin
  delete from messaging.person_words w
  where w.workspace_id = of_workspace
    and w.identity_key = any (array(
      select known.identity_key from unnest(identity_keys) as known(identity_key)
      where not exists (
        select
        from messaging.instances i
        cross join lateral messaging.address_owners(i.id, array[known.identity_key]) as o
        where i.workspace_id = of_workspace
      )
    ));
end;
$$;

-- Part of an erasure: looks through the next `max_rows` webhook payloads of the instance and takes out
-- what is about the person; payloads do not name contacts, so all of them are looked through.
-- `after`: the last row that was looked at, {at, id}; NULL at the beginning. Returns {erased:
-- {providerPayloads}, after}, with `after` NULL at the end.
create or replace function messaging.sweep_provider_events(
  of_instance uuid, marks text[], pattern text, after jsonb, max_rows integer
) returns jsonb language sql set search_path = '' set enable_bitmapscan = off set enable_sort = off
as $$
  with seen as materialized (
    select p.id, p.received_at,
      case
        -- A search for literal texts costs a twentieth of the expression.
        when p.payload like any (array(select '%' || m.mark || '%' from unnest(marks) as m(mark)))
          and p.payload ~ pattern
          then p.payload
      end as hit
    from messaging.provider_events p
    where p.instance_id = of_instance
      and (p.received_at, p.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'), coalesce((after->>'id')::bigint, 0)
      )
    order by p.instance_id, p.received_at, p.id
    limit max_rows
  ),
  redacted as materialized (
    select s.id, messaging.redact_payload(s.hit, pattern) as rest from seen s where s.hit is not null
  ),
  gone as (
    delete from messaging.provider_events p
    where p.id = any (array(select r.id from redacted r where r.rest is null))
  ),
  kept as (
    update messaging.provider_events p set payload = r.rest
    from redacted r
    where p.id = any (array[r.id]) and r.rest is not null
  )
  select messaging.swept(
    'providerPayloads', (select count(*) from redacted),
    (select jsonb_build_object('at', s.received_at, 'id', s.id) from seen s offset max_rows - 1)
  );
$$;

-- Part of an erasure: looks through the next `max_rows` delivery events of the instance that no
-- message is known for, and deletes those with an error that names the person. `after` {id, status} and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_unmatched_statuses(
  of_instance uuid, pattern text, after jsonb, max_rows integer
) returns jsonb language sql set search_path = '' set enable_bitmapscan = off as $$
  with seen as materialized (
    select s.provider_message_id as id, s.status,
      s.provider_message_id ~ pattern or coalesce(s.error::text ~ pattern, false) as is_hit
    from messaging.unmatched_statuses s
    where s.instance_id = of_instance
      and (s.provider_message_id, s.status) > (
        coalesce(after->>'id', ''), coalesce(after->>'status', '')
      )
    order by s.instance_id, s.provider_message_id, s.status
    limit max_rows
  ),
  gone as (
    delete from messaging.unmatched_statuses u
    using seen s
    where s.is_hit and u.instance_id = of_instance and u.provider_message_id = any (array[s.id])
      and u.status = s.status
    returning u.status
  )
  select messaging.swept(
    'statuses', (select count(*) from gone),
    (select jsonb_build_object('id', s.id, 'status', s.status) from seen s offset max_rows - 1)
  );
$$;

-- Part of an erasure: looks through the next `max_rows` kept calls of the instance's tokens and of the
-- admin API, and empties those about the person: a repeated call is answered contact_erased, so that it
-- sends nothing a second time. A key that names the person goes whole. `after` {scope, key} and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_idempotency_keys(
  of_instance uuid, pattern text, after jsonb, max_rows integer
) returns jsonb language plpgsql set search_path = '' set enable_bitmapscan = off as $$
declare
  in_scope text;
  seen record;
  last_key text;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for in_scope in
    select s.scope
    from (
      select t.id::text as scope from messaging.client_tokens t where t.instance_id = of_instance
      union all
      select 'admin'
    ) as s
    where s.scope >= coalesce(after->>'scope', '')
    order by s.scope
  loop
    for seen in
      select k.key, k.key ~* pattern as is_key_hit,
        coalesce(k.outcome::text ~ pattern, false) or coalesce(k.response::text ~ pattern, false) as is_hit
      from messaging.idempotency_keys k
      where k.scope = in_scope
        and k.key > case when in_scope = after->>'scope' then after->>'key' else '' end
      order by k.scope, k.key
      limit max_rows - rows_seen
    loop
      rows_seen := rows_seen + 1;
      last_key := seen.key;
      if seen.is_key_hit then
        delete from messaging.idempotency_keys k where k.scope = in_scope and k.key = seen.key;
      elsif seen.is_hit then
        update messaging.idempotency_keys k
        set fingerprint = '', outcome = '{"isErased": true}', response = null, message_id = null,
          attempt = null
        where k.scope = in_scope and k.key = seen.key;
      end if;
      erased := erased + (seen.is_key_hit or seen.is_hit)::integer;
    end loop;
    exit when rows_seen = max_rows;
  end loop;
  return messaging.swept(
    'idempotencyBodies', erased,
    case when rows_seen = max_rows then jsonb_build_object('scope', in_scope, 'key', last_key) end
  );
end;
$$;

-- Part of an erasure: looks through the next `max_rows` outbox rows of the instance's workspace, done and
-- dead ones too, and deletes those about the person. A worker that holds one finds it gone. `after` and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_outbox(
  of_instance uuid, pattern text, after jsonb, max_rows integer
) returns jsonb language sql set search_path = '' set enable_bitmapscan = off set enable_sort = off
as $$
  with seen as materialized (
    select o.id, o.created_at, (
        o.payload::text ~ pattern or o.conversation_id::text ~ pattern or o.last_error ~ pattern
      ) and coalesce(o.payload->>'instanceId', of_instance::text) = of_instance::text as is_hit
    from messaging.outbox o
    where o.workspace_id = (select i.workspace_id from messaging.instances i where i.id = of_instance)
      and (o.created_at, o.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'),
        coalesce((after->>'id')::uuid, '00000000-0000-0000-0000-000000000000')
      )
    order by o.workspace_id, o.created_at, o.id
    limit max_rows
  ),
  gone as (
    delete from messaging.outbox o
    where o.id = any (array(select s.id from seen s where s.is_hit))
    returning o.id
  )
  select messaging.swept(
    'outboxPayloads', (select count(*) from gone),
    (select jsonb_build_object('at', s.created_at, 'id', s.id) from seen s offset max_rows - 1)
  );
$$;

-- Part of an erasure: looks through the next `max_rows` webhook deliveries of the instance, and deletes the
-- receivers' answers that name the person: those of events that are gone, and of other people's. `after`
-- {endpointId, sequence} and the result as in sweep_provider_events.
create or replace function messaging.sweep_event_deliveries(
  of_instance uuid, pattern text, after jsonb, max_rows integer
) returns jsonb language plpgsql set search_path = '' set enable_bitmapscan = off as $$
declare
  endpoint uuid;
  seen record;
  last_sequence bigint;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for endpoint in
    select e.id from messaging.event_endpoints e
    where e.instance_id = of_instance
      and e.id >= coalesce((after->>'endpointId')::uuid, '00000000-0000-0000-0000-000000000000')
    order by e.id
  loop
    for seen in
      select d.id, d.sequence, d.attempts::text ~ pattern as is_hit
      from messaging.event_deliveries d
      where d.endpoint_id = endpoint
        and d.sequence > case
          when endpoint = (after->>'endpointId')::uuid then (after->>'sequence')::bigint else 0
        end
      order by d.endpoint_id, d.sequence
      limit max_rows - rows_seen
    loop
      rows_seen := rows_seen + 1;
      last_sequence := seen.sequence;
      if seen.is_hit then
        update messaging.event_deliveries d
        set attempts = (
          select jsonb_agg(a.value || '{"answer": null}' order by a.place)
          from jsonb_array_elements(d.attempts) with ordinality as a(value, place)
        )
        where d.id = seen.id;
        erased := erased + 1;
      end if;
    end loop;
    exit when rows_seen = max_rows;
  end loop;
  return messaging.swept(
    'deliveries', erased,
    case when rows_seen = max_rows then jsonb_build_object('endpointId', endpoint, 'sequence', last_sequence) end
  );
end;
$$;

-- What a sweep of an erasure returns: {erased: {<kind>: how many}, after}; `after` says where the next one goes
-- on, NULL at the end.
create or replace function messaging.swept(kind text, erased bigint, after jsonb)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select jsonb_build_object('erased', jsonb_build_object(kind, swept.erased), 'after', swept.after);
$$;
