-- What an agent needs to answer in a conversation: itself, what it may know of the contact, and the
-- recent history. `request`: instanceId, conversationId, limit.
-- Returns {turn}: NULL where it is to be silent now (paused, no active agent, a blocked contact) or
-- nothing inbound waits for an answer.
create or replace function public.read_agent_turn(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  conversation public.conversations;
  contact public.contacts;
  agent public.ai_agents;
  answered_through timestamptz;
  newest_inbound timestamptz;
  collected_data jsonb;
begin
  select c.* into conversation from public.conversations c
  where c.id = (request->>'conversationId')::uuid
    and c.instance_id = (request->>'instanceId')::uuid;
  select c.* into contact from public.contacts c where c.id = conversation.contact_id;
  select a.* into agent from public.ai_agents a
  where a.id = public.speaking_agent(conversation) and a.is_active;
  select s.answered_through, s.collected_data into answered_through, collected_data
  from public.agent_sessions s where s.conversation_id = conversation.id;
  select max(m.created_at) into newest_inbound
  from public.messages m
  where m.instance_id = conversation.instance_id and m.contact_id = contact.id
    and m.sent_at is not null and m.direction = 'inbound'
    and m.sent_at > clock_timestamp() - interval '2 days';
  if agent.id is null or contact.is_blocked or newest_inbound is null
    or newest_inbound <= coalesce(answered_through, '-infinity')
    or exists (
      select from public.agent_pauses p
      where p.contact_id = contact.id and p.paused_until > clock_timestamp()
    ) then
    return jsonb_build_object('turn', null);
  end if;
  return jsonb_build_object('turn', jsonb_build_object(
    'agentId', agent.id,
    'model', agent.model,
    'instructions', agent.instructions,
    'collectedData', coalesce(collected_data, '{}'),
    'contactName', contact.name,
    'contactPhone', contact.phone,
    'address', public.address_of(contact),
    'answersThrough', newest_inbound,
    'history', public.history_page(
      contact.instance_id, contact.id, '-infinity', 'infinity', null, (request->>'limit')::integer
    )->'messages'
  ));
end;
$$;
revoke all on function public.read_agent_turn(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_turn(jsonb) to service_role;
