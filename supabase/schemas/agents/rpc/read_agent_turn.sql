-- Returns what an agent needs to answer in a conversation: the agent, its channel, what it may know of the contact,
-- and the recent history. `request`: instanceId, conversationId, limit.
-- Returns {turn, isLimitReached}. turn is NULL when the agent must not answer now (paused, not active,
-- a blocked contact, the contact's last message too old for it, or its answers of this hour used up:
-- isLimitReached) or no question is open. maxMessages is how many messages the answer may be.
-- showsTyping says whether the person may see that an answer is being written (readReceipts).
-- A message that was a keyword about marketing is left out: it asks the agent nothing.
-- answers: what was read of the newest answers to questions of agents, {<id of the message that answers>: value}.
-- History and number of questions (answersThrough) come from one snapshot: a message that commits
-- later is counted later and requests a turn of its own.
create or replace function public.read_agent_turn(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  conversation messaging.conversations;
  contact messaging.contacts;
  agent messaging.ai_agents;
  answered_count bigint;
  collected_data jsonb;
  limited_until timestamptz;
begin
  select c.* into conversation from messaging.conversations c
  where c.id = (request->>'conversationId')::uuid
    and c.instance_id = (request->>'instanceId')::uuid
    and not c.is_merged;
  select c.* into contact from messaging.contacts c where c.id = conversation.contact_id;
  select a.* into agent from messaging.ai_agents a
  where a.id = messaging.conversation_agent(conversation) and a.is_active;
  select s.answered_count, s.collected_data, messaging.agent_limited_until(s.answered_at)
  into answered_count, collected_data, limited_until
  from messaging.agent_sessions s where s.conversation_id = conversation.id;
  if agent.id is null or messaging.keeps_agent_silent(contact, clock_timestamp())
    or not messaging.is_young_enough(agent, contact.last_inbound_at, clock_timestamp())
    or conversation.question_count <= coalesce(answered_count, 0)
    or limited_until is not null then
    return jsonb_build_object(
      'turn', null,
      'isLimitReached', limited_until is not null
        and conversation.question_count > coalesce(answered_count, 0)
    );
  end if;
  return jsonb_build_object('isLimitReached', false, 'turn', jsonb_build_object(
    'agentId', agent.id,
    'channel', (
      select jsonb_build_object(
        'provider', i.provider,
        'sealedProviderConfig', i.sealed_provider_config,
        'gatewayInstanceId', i.gateway_instance_id,
        'interactiveRendering', i.interactive_rendering
      )
      from messaging.instances i where i.id = contact.instance_id
    ),
    'model', agent.model,
    'instructions', agent.instructions,
    'maxMessages', agent.max_messages_per_answer,
    'collectedData', coalesce(collected_data, '{}'),
    'givenName', case when not contact.is_profile_name then contact.name end,
    'profileName', case when contact.is_profile_name then contact.name end,
    'contactPhone', messaging.contact_display_phone(contact),
    'address', messaging.contact_send_address(contact, null),
    'answeredBefore', coalesce(answered_count, 0),
    'answersThrough', conversation.question_count,
    'showsTyping', (
      select i.read_receipts <> 'off' from messaging.instances i where i.id = conversation.instance_id
    ),
    'answers', (
      select coalesce(jsonb_object_agg(q.answer_message_id, q.answer->'value'), '{}')
      from (
        select a.* from messaging.questions a
        where a.contact_id = contact.id and a.agent_id is not null and a.answer ? 'value'
        order by a.created_at desc, a.id desc
        limit (request->>'limit')::integer
      ) as q
    ),
    'history', (
      select coalesce(jsonb_agg(h.message order by h.place), '[]')
      from jsonb_array_elements(
        messaging.history_page(
          contact.instance_id, contact.id, '-infinity', 'infinity', null, (request->>'limit')::integer
        )->'messages'
      ) with ordinality as h(message, place)
      where (h.message->>'messageId')::uuid <> all (array(
        select l.message_id from messaging.consent_log l
        where l.contact_id = contact.id and l.message_id is not null
      ))
    )
  ));
end;
$$;
