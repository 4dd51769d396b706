-- Records conversation.turn for a turn that has ended, which the caller has deleted: the records of its messages, in
-- the order in which they were stored, as they are now. Records that would make the event longer than 20,000 bytes
-- are {messageId} alone, and isTruncated says so. Records nothing where its instance or all of its messages are gone.
create or replace function messaging.tell_turn(
  turn messaging.conversation_turns, ended_at timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  -- Below what fit_event_data lets through, with the members beside the records.
  max_bytes constant integer := 18800;
  -- A signed link takes the place of mediaUrl: see fit_event_data.
  link_bytes constant integer := 500;
  brief_bytes constant integer := 56;
  zone text;
  message messaging.messages;
  record jsonb;
  record_bytes integer;
  records jsonb[] := '{}';
  -- As if all records were brief.
  bytes integer := brief_bytes * cardinality(turn.message_ids);
  is_truncated boolean := false;
begin
  select i.time_zone into zone from messaging.instances i where i.id = turn.instance_id;
  if not found then
    return;
  end if;
  for message in
    select m.*
    from unnest(turn.message_ids) with ordinality as named(id, place)
    join messaging.messages m on m.id = any (array[named.id])
    order by named.place
  loop
    record := messaging.message_record(message, zone, false)
      || messaging.read_message_contact(message.contact_id)
      || coalesce(messaging.message_media(message.media_id, message.content), '{}');
    record_bytes := octet_length(record::text) + 2 - brief_bytes
      + case when message.media_id is null then 0 else link_bytes end;
    if bytes + record_bytes > max_bytes then
      record := jsonb_build_object('messageId', message.id);
      is_truncated := true;
    else
      bytes := bytes + record_bytes;
    end if;
    records := records || record;
  end loop;
  if records = '{}' then
    return;
  end if;
  perform messaging.record_event(
    turn.instance_id, turn.contact_id, 'conversation.turn', jsonb_build_object(
      'contactId', turn.contact_id,
      'conversationId', turn.conversation_id,
      'startedAt', messaging.iso_in_zone(turn.started_at, zone),
      'endedAt', messaging.iso_in_zone(ended_at, zone),
      'messages', to_jsonb(records)
    ) || case when is_truncated then jsonb '{"isTruncated": true}' else '{}' end
  );
end;
$$;
