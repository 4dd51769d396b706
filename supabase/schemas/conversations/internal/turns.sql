-- Adds a contact's message, which the caller has just stored (at `stored_at`), to the turn of its contact, or begins one: see
-- instances.turns, whose value is `turns`. A turn that is over, or has 50 messages, ends first, so that its event
-- depends on the clock alone and not on when the dispatcher looks. The agent's waiting answer waits for the
-- turn's end. The caller holds the contact: of two messages the later one waits. Locks the conversation, as
-- request_agent_reply does, then the turn, then the agent's outbox row.
create or replace function messaging.join_turn(
  turns jsonb, instance_id uuid, contact_id uuid, conversation_id uuid, message_id uuid,
  stored_at timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  turn messaging.conversation_turns;
begin
  perform from messaging.conversations c where c.id = join_turn.conversation_id for no key update;
  select t.* into turn from messaging.conversation_turns t
  where t.contact_id = join_turn.contact_id for update;
  if turn.due_at > stored_at and cardinality(turn.message_ids) < 50 then
    update messaging.conversation_turns t
    set message_ids = t.message_ids || join_turn.message_id,
      due_at = least(t.ends_by, stored_at + make_interval(secs => t.quiet_seconds))
    where t.contact_id = turn.contact_id
    returning t.due_at into turn.due_at;
    perform messaging.postpone_agent_reply(turn.conversation_id, turn.due_at);
    return;
  end if;
  if turn.contact_id is not null then
    delete from messaging.conversation_turns t where t.contact_id = turn.contact_id;
    perform messaging.tell_turn(turn, least(turn.due_at, stored_at));
    -- What the agent was to answer at the end of the turn.
    update messaging.outbox o
    set run_at = clock_timestamp()
    where o.conversation_id = turn.conversation_id and o.kind = 'agent_reply'
      and o.status = 'pending' and o.claim_token is null and o.attempts = 0
      and o.run_at = turn.due_at;
  end if;
  insert into messaging.conversation_turns (
    contact_id, instance_id, conversation_id, started_at, due_at, ends_by, quiet_seconds, message_ids
  )
  values (
    join_turn.contact_id, join_turn.instance_id, join_turn.conversation_id, stored_at,
    stored_at + make_interval(
      secs => least((turns->>'quietSeconds')::integer, (turns->>'maxSeconds')::integer)
    ),
    stored_at + make_interval(secs => (turns->>'maxSeconds')::integer),
    (turns->>'quietSeconds')::integer, array[join_turn.message_id]
  );
end;
$$;

-- merge_contacts: makes the open turn of `gone_id` that of `kept_id`. Two open ones become one, from the earlier
-- start on; where that would have more than 50 messages, the one that has begun first ends now.
-- The agent's answer that waits in the kept conversation waits for the turn's end.
-- The caller holds both conversations, and has locked no outbox row yet: see join_turn.
create or replace function messaging.merge_turns(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  kept messaging.conversation_turns;
  gone messaging.conversation_turns;
  ids uuid[];
begin
  delete from messaging.conversation_turns t where t.contact_id = gone_id returning t.* into gone;
  if not found then
    return;
  end if;
  delete from messaging.conversation_turns t where t.contact_id = kept_id returning t.* into kept;
  gone.contact_id := kept_id;
  select c.id into strict gone.conversation_id
  from messaging.conversations c where c.contact_id = kept_id;
  if cardinality(kept.message_ids) + cardinality(gone.message_ids) > 50 then
    if kept.started_at <= gone.started_at then
      perform messaging.tell_turn(kept, clock_timestamp());
    else
      perform messaging.tell_turn(gone, clock_timestamp());
      gone := kept;
    end if;
  elsif kept.contact_id is not null then
    ids := kept.message_ids || gone.message_ids;
    gone.message_ids := array(
      select m.id from messaging.messages m where m.id = any (ids) order by m.created_at, m.id
    );
    gone.started_at := least(kept.started_at, gone.started_at);
    gone.ends_by := least(kept.ends_by, gone.ends_by);
    gone.due_at := least(gone.ends_by, greatest(kept.due_at, gone.due_at));
  end if;
  insert into messaging.conversation_turns select gone.*;
  perform messaging.postpone_agent_reply(gone.conversation_id, gone.due_at);
end;
$$;

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
