-- Records inbound messages of known persons and their payloads: one statement for all of them. An inbound
-- message opens a closed conversation and requests the agent's answer. Groups and reactions do neither of
-- them anything, and a message that the channel does not show, or that another responder answers, requests
-- no answer; it says who holds the conversation, see change_control. A keyword of the instance
-- decides about marketing instead: see apply_keyword. Any other text that names an option of what was asked
-- last is stored as the choice of it: see offered_choices and typed_choice. What answers an open question ends it,
-- and asks no agent but the one that has asked: see match_question.
-- On the official channel what waits for the person's answer leaves, before the agent is asked: see
-- release_waiting_messages; a keyword that denies marketing ends it.
-- What waits with cancelOn: reply ends: see cancel_on_reply. No reaction and no call is a reply. What a lock on new
-- chats holds for a person who writes for the first time leaves: see release_known_contacts.
-- Where the instance has turns, each message but a reaction joins its contact's: see join_turn.
-- Where the instance tells its channel at once that what arrives is read, the dispatcher does it (outbox,
-- read_receipt).
-- Returns the places of the recorded events. Leaves the others untouched: those that new_messages leaves
-- out, of unknown persons, of addresses that belong to several contacts, and of contacts that another
-- transaction holds. An event with a contact_id is always recorded: see add_inbound_message.
-- The caller holds lock_plain_events. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.record_inbound_messages(events messaging.plain_event[])
returns integer[] language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  recorded integer[] := '{}';
  named uuid[] := '{}';
  stored record;
  stored_at timestamptz;
  chosen jsonb;
  holder text;
  controlled uuid[] := '{}';
  replied uuid[] := '{}';
  become_known uuid[] := '{}';
  asked messaging.matched_answer;
begin
  for stored in
    with known as (
      select e.*, gen_random_uuid() as stored_id, contact.id as sender_id, contact.is_nameless,
        contact.cancels_on_reply,
        contact.awaits_answer,
        contact.becomes_known,
        conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id, conversation.handled_by,
        instance.read_receipts = 'on_receive' and not e.is_group and not e.is_standby as marks_read,
        instance.has_window, instance.turns,
        case
          when offer.choices is not null then messaging.typed_choice(offer.choices, e.message)
        end as choice,
        case
          when e.may_ask_agent and messaging.may_hold_keyword(e.message_type)
          then messaging.read_keyword(instance.keywords, instance.resume_keywords, e.message)
        end as keyword_said
      from messaging.new_messages(events) as e
      cross join lateral (
        select i.opt_out_keywords as keywords, i.opt_out_resume_keywords as resume_keywords,
          i.read_receipts, i.provider_class = 'official' as has_window, i.turns
        from messaging.instances i
        where i.id = e.instance_id
        limit 1
      ) as instance
      cross join lateral (
        select c.id, c.phone, c.name is null as is_nameless, c.cancels_on_reply, c.awaits_answer,
          -- For one that this transaction has created nothing waits.
          c.last_inbound_at is null and c.created_at <> now() as becomes_known
        from messaging.contacts c
        where c.id = coalesce(
          e.contact_id,
          (
            select own.id from messaging.contacts own
            where own.instance_id = e.instance_id and own.identity_key = e.identity_keys[1]
          ),
          (
            select a.contact_id from messaging.contact_addresses a
            where a.instance_id = e.instance_id and a.identity_key = e.identity_keys[1]
          )
        )
          and c.merged_into is null
        -- Finds no contact that is merged meanwhile, and waits for none.
        for no key update of c skip locked
      ) as contact
      cross join lateral (
        select v.id, v.status, v.agent_id, v.handled_by from messaging.conversations v
        where v.contact_id = contact.id
        limit 1
      ) as conversation
      left join lateral messaging.offered_choices(
        contact.id, e.occurred_at, e.quoted_provider_message_id
      ) as offer on e.message_type = 'text'
      where e.contact_id is not null or (
        (contact.phone is not null or not messaging.is_phone(e.addresses[1]))
        and (
          select true from messaging.address_owners(e.instance_id, e.identity_keys) as o
          where o.contact_id <> contact.id
          limit 1
        ) is null
      )
    ),
    payloads as (
      insert into messaging.provider_events (instance_id, payload)
      select k.instance_id, k.payload from known k where k.payload is not null order by k.place
    ),
    contacts as (
      update messaging.contacts c
      set name = coalesce(c.name, told.name),
        is_profile_name = c.is_profile_name or c.name is null and told.name is not null,
        last_inbound_at = greatest(c.last_inbound_at, told.last_at),
        profile_picture_url = case
          when messaging.may_refresh_picture(c.profile_picture_at, clock)
            then coalesce(told.picture, c.profile_picture_url)
          else c.profile_picture_url
        end,
        profile_picture_at = case
          when told.picture <> coalesce(c.profile_picture_url, '')
            and messaging.may_refresh_picture(c.profile_picture_at, clock) then clock
          else c.profile_picture_at
        end
      from (
        select k.sender_id, max(k.occurred_at) as last_at, max(k.profile_picture_url) as picture,
          (
            array_agg(k.contact_name order by k.place) filter (where k.contact_name is not null)
          )[1] as name
        from known k
        group by k.sender_id
      ) as told
      where c.id = any (array[told.sender_id])
        and (
          c.name is null and told.name is not null
          or c.last_inbound_at is null or c.last_inbound_at < told.last_at
          or told.picture <> coalesce(c.profile_picture_url, '')
            and messaging.may_refresh_picture(c.profile_picture_at, clock)
        )
    )
    select k.*, k.is_nameless and k.contact_name is not null as tells_name,
      k.conversation_status = 'closed' as is_closed,
      k.contact_id is null and (
        select true
        from unnest(k.addresses, k.identity_keys) with ordinality
          as seen(address, identity_key, place)
        left join lateral (
          select a.address, a.proven_at from messaging.contact_addresses a
          where a.instance_id = k.instance_id and a.identity_key = seen.identity_key
          limit 1
        ) as proven on true
        where proven.address is null or seen.place = 1 and (
          proven.address <> seen.address or proven.proven_at < clock - interval '1 hour'
          or proven.proven_at < (
            select max(a.proven_at) from messaging.contact_addresses a
            where a.contact_id = k.sender_id
          )
        )
        limit 1
      ) as has_unproven_address,
      k.may_ask_agent and not k.is_standby and k.keyword_said is null and (
        k.agent_id is not null or (
          select true from messaging.ai_agents a
          where a.instance_id = k.instance_id and a.is_active
          limit 1
        )
      ) as asks_agent
    from known k
    order by k.place
  loop
    recorded := recorded || stored.place;
    chosen := case when stored.keyword_said is null then stored.choice end;
    asked := null;
    if stored.awaits_answer and stored.may_ask_agent and stored.keyword_said is null then
      asked := messaging.match_question(
        stored.instance_id, stored.sender_id, stored.message_type, stored.message, stored.content,
        stored.media_id, stored.occurred_at, stored.quoted_provider_message_id
      );
      if asked.answer is not null and stored.message_type = 'text' then
        chosen := asked.answer->'choice';
      end if;
    end if;
    -- After the questions: who ends one may wait for the conversation.
    holder := stored.handled_by;
    if not stored.is_group and (
      coalesce(stored.is_standby, false) <> (holder <> 'us')
      -- An earlier message of this call may have changed it.
      or stored.conversation_id = any (controlled)
    ) then
      perform messaging.change_control(
        stored.conversation_id,
        case when stored.is_standby then 'other' else 'us' end,
        case when stored.is_standby then 'standby' else 'message' end,
        stored.occurred_at
      );
      controlled := controlled || stored.conversation_id;
      select v.handled_by into strict holder
      from messaging.conversations v where v.id = stored.conversation_id;
    end if;
    if stored.media_id is not null then
      perform messaging.add_channel_media(
        stored.media_id, stored.instance_id, stored.sender_id,
        case when chosen is not null then 'choice' else stored.message_type end, stored.file
      );
    end if;
    if stored.has_unproven_address then
      perform messaging.prove_addresses(stored.instance_id, stored.sender_id, stored.addresses);
    end if;
    if stored.tells_name and stored.sender_id <> all (named) then
      named := named || stored.sender_id;
      perform messaging.record_contact_changes(
        stored.instance_id, stored.sender_id, jsonb '{"name": null}'
      );
    end if;
    -- Not the transaction's instant: messages keep their order by it.
    stored_at := clock_timestamp();
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
      quoted_message_id, media_id, quoted_provider_message_id, author, question_id, handled_by
    )
    values (
      stored.stored_id, stored.instance_id, stored.sender_id, stored.conversation_id, 'inbound',
      case when chosen is not null then 'choice' else stored.message_type end,
      stored.message,
      case
        when chosen is not null
        then coalesce(stored.content, '{}') || jsonb_build_object('choice', chosen)
        else stored.content
      end,
      false, 'received', stored.provider_message_id, stored.occurred_at, stored.is_group, stored.chat_name,
      stored_at, stored.quoted_message_id, stored.media_id, stored.quoted_provider_message_id,
      stored.author, case when asked.outcome = 'answered' then asked.question_id end,
      case when stored.is_standby then messaging.standby_holder(holder) end
    );
    if stored.cancels_on_reply and messaging.is_reply(stored.message_type) then
      replied := replied || stored.sender_id;
    end if;
    if stored.becomes_known then
      become_known := become_known || stored.sender_id;
    end if;
    if asked.question_id is not null then
      perform messaging.apply_answer(
        asked.question_id, asked.outcome, asked.answer, stored.stored_id,
        stored.quoted_provider_message_id, not coalesce(stored.is_standby, false)
      );
    end if;
    if stored.keyword_said = 'denied' and stored.awaits_answer then
      perform messaging.end_questions_of_contact(stored.sender_id, 'opted_out');
    end if;
    if stored.turns is not null and stored.message_type <> 'reaction' then
      perform messaging.join_turn(
        stored.turns, stored.instance_id, stored.sender_id, stored.conversation_id, stored.stored_id,
        stored_at
      );
    end if;
    if stored.is_closed then
      perform messaging.reopen_conversation(stored.conversation_id);
    end if;
    if stored.keyword_said is not null then
      perform messaging.apply_keyword(
        stored.instance_id, stored.sender_id, stored.conversation_id, stored.stored_id,
        stored.keyword_said, stored.occurred_at, coalesce(stored.is_standby, false)
      );
    end if;
    if stored.has_window then
      if stored.keyword_said = 'denied' then
        perform messaging.cancel_waiting_messages(stored.sender_id);
      else
        perform messaging.release_waiting_messages(stored.sender_id);
      end if;
    end if;
    if stored.marks_read then
      insert into messaging.outbox (workspace_id, kind, payload)
      select i.workspace_id, 'read_receipt',
        jsonb_build_object('instanceId', i.id, 'messageId', stored.stored_id)
      from messaging.instances i where i.id = stored.instance_id;
    end if;
    if stored.asks_agent and (asked.answer is null or asked.agent_id is not null) then
      perform messaging.await_transcript(stored.media_id, stored.conversation_id)
      from messaging.instances i
      where i.id = stored.instance_id and messaging.request_agent_reply(
        i, stored.sender_id, stored.conversation_id, stored.occurred_at
      );
    end if;
  end loop;
  -- Last: they lock pacing, which who waits for a contact may hold. Where the first one finds something, it locks
  -- all that the second one does.
  if become_known <> '{}' then
    perform messaging.release_known_contacts(become_known);
  end if;
  if replied <> '{}' then
    perform messaging.cancel_on_reply(replied);
  end if;
  return recorded;
end;
$$;

-- Whether a received message of this type may be a keyword of consent: what a person has typed or tapped.
create or replace function messaging.may_hold_keyword(message_type text)
returns boolean language sql immutable
return message_type in ('text', 'option_list', 'choice');

-- Opens a closed conversation: its contact has written again.
create or replace function messaging.reopen_conversation(conversation_id uuid)
returns void language plpgsql set search_path = '' as $$
declare
  reopened messaging.conversations;
begin
  update messaging.conversations c
  set status = 'open', updated_at = now()
  where c.id = reopen_conversation.conversation_id and c.status = 'closed'
  returning c.* into reopened;
  if found then
    perform messaging.record_conversation_changes(
      reopened, messaging.conversation_state(conversation_id) || '{"status": "closed"}'
    );
  end if;
end;
$$;
