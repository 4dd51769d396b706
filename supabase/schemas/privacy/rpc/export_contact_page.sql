-- contacts-api: the next page of a list of an export. `request`: instanceId, contactId, limit, list
-- (messages | notes | transfers | consentLog | questions | payments), and `after` {at, id} as returned in `next`.
-- Returns {items, next}: oldest first, `next` NULL on the last page. Messages that have not left come
-- first. Of messages the record as messages-api gives it, and their whole content.
-- Pages are read by keys, each of its own list; what is added meanwhile may be on a later page.
-- Errors: MI031, MI035.
create or replace function public.export_contact_page(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  contact messaging.contacts;
  of_conversation uuid;
  zone text;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce((request->'after'->>'at')::timestamptz, '-infinity');
  after_id constant text := coalesce(request->'after'->>'id', '');
  after_uuid constant uuid := case
    when request->>'list' in ('questions', 'payments')
      then coalesce(nullif(after_id, ''), '00000000-0000-0000-0000-000000000000')
  end;
  found_items jsonb[];
begin
  contact := messaging.find_recipient(instance.id, request);
  select v.id into of_conversation from messaging.conversations v where v.contact_id = contact.id;
  zone := instance.time_zone;
  case request->>'list'
    when 'messages' then
      found_items := messaging.export_messages(contact, zone, request->'after', page_size + 1);
    when 'notes', 'transfers' then
      found_items := array(
        select jsonb_build_object('at', l.at, 'id', l.id, 'item', l.record)
        from messaging.conversation_log(of_conversation, request->>'list', zone) as l
        where (l.at, l.id::text) > (after_at, after_id)
        order by l.at, l.id::text
        limit page_size + 1
      );
    when 'consentLog' then
      found_items := array(
        select jsonb_build_object('at', l.recorded_at, 'id', l.id, 'item', jsonb_build_object(
          'marketing', l.marketing,
          'at', messaging.iso_in_zone(l.said_at, zone),
          'source', l.source,
          'evidence', l.evidence,
          'messageId', l.message_id,
          'recordedAt', messaging.iso_in_zone(l.recorded_at, zone)
        ))
        from messaging.consent_log l
        where l.contact_id = contact.id and l.id > coalesce(nullif(after_id, '')::bigint, 0)
        order by l.id
        limit page_size + 1
      );
    when 'questions' then
      found_items := array(
        select jsonb_build_object(
          'at', q.created_at, 'id', q.id, 'item', messaging.describe_question(q) - 'contact'
        )
        from messaging.questions q
        where q.contact_id = contact.id and (q.created_at, q.id) > (after_at, after_uuid)
        order by q.created_at, q.id
        limit page_size + 1
      );
    when 'payments' then
      found_items := array(
        select jsonb_build_object(
          'at', p.created_at, 'id', p.message_id, 'item', messaging.describe_payment(p) - 'contact'
        )
        from messaging.payments p
        where p.contact_id = contact.id and (p.created_at, p.message_id) > (after_at, after_uuid)
        order by p.created_at, p.message_id
        limit page_size + 1
      );
  end case;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(f.found->'item' order by f.place), '[]')
      from unnest(found_items) with ordinality as f(found, place)
      where f.place <= page_size
    ),
    'next', case
      when cardinality(found_items) > page_size then found_items[page_size] - 'item'
    end
  );
end;
$$;

-- export_contact_page: a contact's messages, at most `max_items`, those after `after` {at, id}: first those
-- that have not left, in the order of their ids, then the others from the oldest. [{at, id, item}], where
-- `at` is NULL for a message that has not left.
-- Read by the index of the history, from where the last page ended: messages of one instant are few.
create or replace function messaging.export_messages(
  contact messaging.contacts, zone text, after jsonb, max_items integer
) returns jsonb[] language plpgsql stable set search_path = '' as $$
declare
  after_at constant timestamptz := coalesce((after->>'at')::timestamptz, '-infinity');
  after_id constant uuid := coalesce(
    (after->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  own_ids constant uuid[] := messaging.merged_contact_ids(contact.id);
  found_items jsonb[] := '{}';
begin
  if after->>'at' is null then
    found_items := array(
      select messaging.export_message(messaging.message_after_merge(unsent.m), zone)
      from unnest(own_ids) as own(contact_id)
      cross join lateral (
        select m from messaging.messages m
        where m.contact_id = own.contact_id and m.sent_at is null and m.id > after_id
        order by m.id
        limit max_items
      ) as unsent
      order by (unsent.m).id
      limit max_items
    );
    if cardinality(found_items) = max_items then
      return found_items;
    end if;
    return found_items || array(
      select messaging.export_message(messaging.message_after_merge(first.m), zone)
      from unnest(own_ids) as own(contact_id)
      cross join lateral (
        select m from messaging.messages m
        where m.contact_id = own.contact_id and m.sent_at is not null
        order by m.sent_at, m.id
        limit max_items
      ) as first
      order by (first.m).sent_at, (first.m).id
      limit max_items - cardinality(found_items)
    );
  end if;
  return array(
    select messaging.export_message(messaging.message_after_merge(next.m), zone)
    from unnest(own_ids) as own(contact_id)
    cross join lateral (
      select m from messaging.messages m
      where m.contact_id = own.contact_id and m.sent_at >= after_at
        and (m.sent_at, m.id) > (after_at, after_id)
      order by m.sent_at, m.id
      limit max_items
    ) as next
    order by (next.m).sent_at, (next.m).id
    limit max_items
  );
end;
$$;

-- A message of an export: its record, and what the record leaves out: content, and what is
-- kept of its file.
create or replace function messaging.export_message(message messaging.messages, zone text)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('at', message.sent_at, 'id', message.id, 'item',
    messaging.message_record(message, zone, false)
    || coalesce(messaging.message_media(message.media_id, message.content), '{}')
    || jsonb_build_object(
      'content', message.content,
      'media', (
        select jsonb_build_object(
          'filename', f.filename, 'mimeType', f.mime_type, 'size', f.size, 'sha256', f.sha256,
          'transcript', f.transcript
        )
        from messaging.media f where f.id = message.media_id
      )
    ));
end;
$$;
