-- accept_message: finds or creates what a call is about, step by step: any call that the one statement of
-- accept_message does not answer. The contact, its conversation, the address, the message that it answers,
-- the assignment, and the agent. `request` and the errors are accept_message's.
create or replace function messaging.resolve_send(
  instance messaging.instances, request jsonb, out contact_id uuid, out phone text,
  out conversation_id uuid, out assigned_to uuid, out address text,
  out quoted_provider_message_id text, out quoted_is_ours boolean, out assignment jsonb,
  out agent_id uuid
) language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
begin
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft->>'mediaId' is not null then
    perform messaging.take_media(instance.id, (draft->>'mediaId')::uuid);
  end if;
  if draft ? 'ladder' then
    perform messaging.hold_ladder_files(instance.id, draft->'ladder', request->'delivery');
  end if;
  if draft is not null then
    -- With a ladder a closed window refuses nothing yet: see decide_ladder.
    perform messaging.refuse_send(
      case when draft->'ladder' is null then instance end, contact, draft->>'messageType',
      draft->>'purpose'
    );
    address := messaging.channel_send_address(
      instance, contact, request->>'phone', draft->>'needsPhone' is not null
    );
  end if;
  if draft->>'replyTo' is not null then
    select m.provider_message_id, m.direction = 'outbound'
    into quoted_provider_message_id, quoted_is_ours
    from messaging.messages m
    where m.id = (draft->>'replyTo')::uuid and m.instance_id = instance.id
      and m.contact_id = any (messaging.merged_contact_ids(contact.id))
      and m.provider_message_id is not null;
    if not found then
      raise exception using errcode = 'MI004', message = 'message_not_found';
    end if;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;
  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    if request->'agent'->>'isContinued' is null then
      perform messaging.take_agent_turn(
        conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
        (request->'agent'->>'answersThrough')::bigint
      );
    end if;
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := messaging.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := messaging.conversation_agent(conversation);
  end if;
  contact_id := contact.id;
  phone := contact.phone;
  conversation_id := conversation.id;
  assigned_to := coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to);
end;
$$;
