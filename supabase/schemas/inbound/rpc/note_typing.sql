-- A gateway tells that a person types: the quiet time of its open turn begins anew, within what a turn may last, and
-- the agent's answer waits with it. Stores nothing else, and begins no turn. Where a transaction holds the
-- conversation nothing is to do: it records a message, which does the same.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against), addresses.
-- Returns {recorded}: 1 where a turn lasts longer, else 0; NULL where the credentials have been replaced.
-- Locks the conversation, the turn, the agent's outbox row, as join_turn.
create or replace function public.note_typing(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  instance record;
  turn messaging.conversation_turns;
begin
  select i.id, i.turns, i.sealed_provider_config into strict instance
  from messaging.instances i where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  elsif instance.turns is null then
    return jsonb_build_object('recorded', 0);
  end if;
  select t.* into turn
  from jsonb_array_elements_text(request->'addresses') as told(address)
  cross join lateral messaging.find_contact(instance.id, told.address) as person
  join messaging.conversation_turns t on t.contact_id = any (array[person.id])
  limit 1;
  if not found then
    return jsonb_build_object('recorded', 0);
  end if;
  perform from messaging.conversations c where c.id = turn.conversation_id
  for no key update skip locked;
  if not found then
    return jsonb_build_object('recorded', 0);
  end if;
  update messaging.conversation_turns t
  set due_at = least(t.ends_by, clock_timestamp() + make_interval(secs => t.quiet_seconds))
  where t.contact_id = turn.contact_id and t.due_at > clock_timestamp() and t.due_at < t.ends_by
  returning t.* into turn;
  if not found then
    return jsonb_build_object('recorded', 0);
  end if;
  perform messaging.postpone_agent_reply(turn.conversation_id, turn.due_at);
  return jsonb_build_object('recorded', 1);
end;
$$;
