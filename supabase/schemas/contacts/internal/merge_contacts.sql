-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: notes, tags, addresses,
-- the messages that wait or are being sent, and as many others as a step moves; run_merges moves the rest.
-- Until then `gone` is a row that only its messages name: no call finds it, its id means `kept`, and who
-- reads the messages of `kept` reads those too (see merged_contact_ids).
-- Values of `kept` win; a name that was given wins over a profile name. Of two consents
-- `denied` wins, then the newer. The row of contact_activity of `gone` remains as its tombstone.
-- Locks both contacts: a transaction that writes to `gone` has either committed, and its rows are moved, or finds
-- no such contact and is repeated. Then their questions and payments (see hold_what_was_asked), then both
-- conversations: what ends a message holds it, then its question or payment, then the conversation whose agent is
-- asked, or to which a message is added.
-- What waits for an answer leaves where the window of one of them is open.
-- Records contact.merged, then what has become of `kept` by it.
-- Returns `kept` as it is now. Errors: MI055 where another call has merged one of them.
-- Over 80 lines: what moves, table by table, in the order of the locks.
create or replace function messaging.merge_contacts(
  kept messaging.contacts, gone messaging.contacts
) returns messaging.contacts language plpgsql set search_path = '' as $$
declare
  kept_conversation messaging.conversations;
  gone_conversation messaging.conversations;
  merged messaging.contacts;
  still_there integer;
  contact_before jsonb;
  consent_before text;
  conversation_before jsonb;
  paused_until timestamptz;
  changed_at timestamptz;
  person jsonb;
begin
  perform from messaging.contacts c
  where c.id in (kept.id, gone.id) and c.merged_into is null
  order by c.id
  for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  contact_before := messaging.contact_state(kept.id);
  -- While its addresses are its own.
  select messaging.event_person(c) into person from messaging.contacts c where c.id = gone.id;
  select c.consent_marketing into consent_before from messaging.contacts c where c.id = kept.id;
  perform messaging.hold_what_was_asked(array[kept.id, gone.id]);
  kept_conversation := messaging.resolve_conversation(kept.instance_id, kept.id);
  perform from messaging.conversations c
  where c.contact_id in (kept.id, gone.id) order by c.id for update;
  conversation_before := messaging.conversation_state(kept_conversation.id);
  select c.* into gone_conversation from messaging.conversations c where c.contact_id = gone.id;
  if found then
    perform messaging.merge_turns(kept.id, gone.id);
    perform messaging.merge_conversations(kept_conversation, gone_conversation);
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  select kept.id, p.instance_id, p.paused_until
  from messaging.agent_pauses p where p.contact_id = gone.id
  on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until
  where excluded.paused_until > pause.paused_until
  returning pause.paused_until into paused_until;
  insert into messaging.contact_tags (contact_id, tag_id)
  select kept.id, t.tag_id from messaging.contact_tags t where t.contact_id = gone.id
  order by t.tag_id
  on conflict do nothing;
  insert into messaging.portfolios (contact_id, instance_id, operator_id, created_at)
  select kept.id, p.instance_id, p.operator_id, p.created_at
  from messaging.portfolios p
  -- Another operator's portfolio would hide the contact from the operator of its conversation.
  join messaging.conversations c on c.id = kept_conversation.id and c.assigned_to = p.operator_id
  where p.contact_id = gone.id
  on conflict do nothing;
  perform messaging.move_recipients(kept.id, gone.id);
  update messaging.contact_addresses a set contact_id = kept.id where a.contact_id = gone.id;
  perform messaging.keep_own_addresses(kept.id, gone.id);
  update messaging.consent_log l set contact_id = kept.id where l.contact_id = gone.id;
  update messaging.payments p set contact_id = kept.id where p.contact_id = gone.id;
  update messaging.contacts c
  set phone = coalesce(c.phone, other.phone),
    name = case when names.is_others then other.name else c.name end,
    is_profile_name = case
      when names.is_others then other.is_profile_name else c.is_profile_name
    end,
    email = coalesce(c.email, other.email),
    company = coalesce(c.company, other.company),
    job_title = coalesce(c.job_title, other.job_title),
    notes = coalesce(c.notes, other.notes),
    utm_source = coalesce(c.utm_source, other.utm_source),
    utm_medium = coalesce(c.utm_medium, other.utm_medium),
    utm_campaign = coalesce(c.utm_campaign, other.utm_campaign),
    channel_identity = coalesce(c.channel_identity, other.channel_identity),
    identity_change = case
      when c.channel_identity is null then other.identity_change else c.identity_change
    end,
    custom_labels = case
      when messaging.object_bytes(other.custom_labels || c.custom_labels) <= 64 * 1024
      then other.custom_labels || c.custom_labels
      else c.custom_labels
    end,
    is_favorite = c.is_favorite or other.is_favorite,
    is_archived = c.is_archived and other.is_archived,
    is_blocked = c.is_blocked or other.is_blocked,
    cancels_on_reply = c.cancels_on_reply or other.cancels_on_reply,
    last_inbound_at = greatest(c.last_inbound_at, other.last_inbound_at),
    awaits_answer = c.awaits_answer or other.awaits_answer,
    phone_book_name = coalesce(c.phone_book_name, other.phone_book_name),
    phone_book_at = greatest(c.phone_book_at, other.phone_book_at),
    profile_picture_url = coalesce(c.profile_picture_url, other.profile_picture_url),
    profile_picture_at = coalesce(c.profile_picture_at, other.profile_picture_at),
    consent_marketing = case
      when consents.is_others then other.consent_marketing else c.consent_marketing
    end,
    consent_at = case when consents.is_others then other.consent_at else c.consent_at end,
    consent_source = case when consents.is_others then other.consent_source else c.consent_source end,
    created_at = least(c.created_at, other.created_at),
    updated_at = now()
  from messaging.contacts other
  join messaging.contacts known on known.id = kept.id
  cross join lateral (
    select known.name is null
      or known.is_profile_name and other.name is not null and not other.is_profile_name
  ) as names(is_others)
  cross join lateral (
    select (other.consent_marketing = 'denied', other.consent_at is not null, other.consent_at)
      > (known.consent_marketing = 'denied', known.consent_at is not null, known.consent_at)
  ) as consents(is_others)
  where c.id = known.id and other.id = gone.id
  returning c.* into merged;
  delete from messaging.contact_tags t where t.contact_id = gone.id;
  delete from messaging.portfolios p where p.contact_id = gone.id;
  delete from messaging.agent_pauses p where p.contact_id = gone.id;
  delete from messaging.contact_search s where s.contact_id = gone.id;
  update messaging.contacts c
  set merged_into = kept.id, identity_key = 'merged:' || c.id
  where c.id = gone.id;
  update messaging.contacts c set merged_into = kept.id where c.merged_into = gone.id;
  -- The rest of what is under way settles on the survivor, and what waits goes to its address.
  perform messaging.move_messages(array(
    select w.id
    from messaging.messages w
    join messaging.message_queue q on q.message_id = any (array[w.id])
    where w.contact_id = gone.id and w.sent_at is null
    order by w.id
    for no key update of w
  ));
  perform messaging.merge_questions(kept.id, gone.id);
  if merged.identity_key <> messaging.phone_identity_key(merged.phone) then
    -- From now on the phone is its identity, as by assign_contact_phone.
    update messaging.contacts c set identity_key = messaging.phone_identity_key(c.phone)
    where c.id = kept.id
    returning c.* into merged;
  end if;
  perform messaging.refresh_contact_search(merged.id);
  perform messaging.record_event(
    gone.instance_id, gone.id, 'contact.merged',
    person || jsonb_build_object('mergedInto', kept.id)
  );
  perform messaging.record_contact_changes(kept.instance_id, kept.id, contact_before);
  if merged.consent_marketing <> consent_before then
    perform messaging.record_consent_event(merged);
  end if;
  perform messaging.merge_words(merged);
  perform messaging.record_conversation_changes(kept_conversation, conversation_before);
  if paused_until > clock_timestamp() then
    perform messaging.record_agent_pauses(array[kept.id]);
  end if;
  perform messaging.release_waiting_messages(kept.id);
  if merged.last_inbound_at is not null then
    perform messaging.release_known_contacts(array[kept.id]);
  end if;
  -- Before the rows of contact_activity are locked: a settlement of either contact waits for those.
  perform messaging.move_merged_messages(gone.id, 500);
  perform messaging.merge_idle_watches(kept.id, gone.id);
  changed_at := messaging.change_instant(kept.instance_id);
  -- Tombstones are locked here, not last: what changes them holds the contact that is gone now.
  insert into messaging.contact_activity as a (contact_id, instance_id, updated_at, merged_into)
  values (gone.id, gone.instance_id, changed_at, kept.id)
  on conflict on constraint contact_activity_pkey do update
  set merged_into = excluded.merged_into, last_message_at = null, awaits_reply = false,
    updated_at = greatest(a.updated_at, excluded.updated_at);
  update messaging.contact_activity a
  set merged_into = kept.id, updated_at = greatest(a.updated_at, changed_at)
  where a.merged_into = gone.id;
  perform messaging.note_contact(kept.id);
  return merged;
end;
$$;

-- merge_contacts: moves notes, transfers and the agent's knowledge from one conversation
-- into another, which keeps its own operator, department and agent. Open questions move too.
-- The caller holds both conversations locked.
create or replace function messaging.merge_conversations(
  kept messaging.conversations, gone messaging.conversations
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.internal_notes n set conversation_id = kept.id where n.conversation_id = gone.id;
  update messaging.chat_transfer_log l set conversation_id = kept.id where l.conversation_id = gone.id;
  insert into messaging.agent_sessions as session (
    conversation_id, instance_id, agent_id, collected_data, created_at, answered_count, answered_at
  )
  select kept.id, s.instance_id, s.agent_id, s.collected_data, s.created_at, s.answered_count,
    s.answered_at
  from messaging.agent_sessions s where s.conversation_id = gone.id
  on conflict on constraint agent_sessions_pkey do update
  set collected_data = case
      when messaging.object_bytes(excluded.collected_data || session.collected_data) <= 64 * 1024
      then excluded.collected_data || session.collected_data
      else session.collected_data
    end,
    answered_count = session.answered_count + excluded.answered_count,
    answered_at = array(
      select answer.at
      from (
        select both_of.at from unnest(session.answered_at || excluded.answered_at) as both_of(at)
        order by both_of.at desc
        limit 30
      ) as answer
      order by answer.at
    ),
    updated_at = now();
  update messaging.conversations c
  set status = case when 'open' in (c.status, gone.status) then 'open' else c.status end,
    assigned_to = coalesce(c.assigned_to, gone.assigned_to),
    department_id = coalesce(c.department_id, gone.department_id),
    agent_id = coalesce(c.agent_id, gone.agent_id),
    question_count = c.question_count + gone.question_count,
    created_at = least(c.created_at, gone.created_at),
    updated_at = now()
  where c.id = kept.id;
  -- What was told last decides, of whichever conversation.
  perform messaging.change_control(kept.id, gone.handled_by, 'merged', gone.control_at)
  where gone.control_at > kept.control_at;
  -- A row that a worker has claimed already names the former conversation: the worker finds none.
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  select o.workspace_id, o.kind,
    o.payload || jsonb_build_object('conversationId', kept.id),
    coalesce(
      (select t.due_at from messaging.conversation_turns t where t.contact_id = kept.contact_id),
      least(o.run_at, clock_timestamp() + interval '3 seconds')
    ),
    kept.id
  from messaging.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
  order by o.run_at
  limit 1;
  delete from messaging.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
    and o.claim_token is null;
  delete from messaging.agent_sessions s where s.conversation_id = gone.id;
  -- Holds the messages that still move, and is shown to nobody.
  update messaging.conversations c set is_merged = true where c.id = gone.id;
end;
$$;

-- merge_contacts: what the two contacts are known by of themselves, a phone as a call gave it or a hidden
-- identity, finds the surviving one from now on, though nothing has proven it. What is another
-- contact's proven address stays with that one.
create or replace function messaging.keep_own_addresses(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
  select c.instance_id, own.address, kept_id, '-infinity'
  from messaging.contacts c
  cross join lateral (
    select c.phone as address
    union
    select c.identity_key
    -- A phone's own key is a spelling that nobody gave.
    where c.phone is null or c.identity_key <> messaging.phone_identity_key(c.phone)
  ) as own
  where c.id = gone_id and own.address is not null
    or c.id = kept_id and c.phone is null and own.address is not null
  on conflict do nothing;
end;
$$;

-- merge_contacts: two contacts turned out to be one person: their words count together from now on. Where the
-- merge keeps a denial although the other one granted later, the denial is the person's newest word.
create or replace function messaging.merge_words(merged messaging.contacts)
returns void language plpgsql set search_path = '' as $$
declare
  instance record;
  word messaging.person_words;
begin
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = merged.instance_id;
  if instance.people_scope <> 'workspace' then
    return;
  end if;
  word := messaging.newest_word(
    instance.workspace_id,
    array(select p.identity_key from messaging.person_identities(merged.id) as p)
  );
  if merged.consent_marketing = 'denied' and word.marketing <> 'denied'
    and word.said_at >= merged.consent_at then
    perform messaging.say_word(merged, 'denied', word.said_at, merged.consent_source);
  end if;
  perform messaging.note_person(merged);
end;
$$;

-- merge_contacts: locks the questions and payments of these contacts, after the messages of the live ones, as what
-- settles a message does. The caller holds the contacts.
create or replace function messaging.hold_what_was_asked(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.messages m
  where m.id = any (array(
    select q.message_id from messaging.questions q
    where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
    union all
    select p.message_id from messaging.payments p where p.contact_id = any (contact_ids)
  ))
  order by m.id
  for no key update;
  perform from messaging.questions q
  where q.contact_id = any (contact_ids)
  order by q.id
  for no key update;
  perform from messaging.payments p
  where p.contact_id = any (contact_ids)
  order by p.message_id
  for no key update;
end;
$$;

-- merge_contacts: the questions of the contact that is gone are the surviving one's. Of two open ones the one that
-- left last stays. The caller holds the questions of both.
create or replace function messaging.merge_questions(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  older uuid;
begin
  update messaging.questions q set contact_id = kept_id where q.contact_id = gone_id;
  for older in
    select q.id from messaging.questions q
    where q.contact_id = kept_id and q.status = 'open'
    order by q.opened_at desc, q.id desc
    offset 1
  loop
    perform messaging.end_question(older, 'canceled', 'replaced');
  end loop;
end;
$$;
