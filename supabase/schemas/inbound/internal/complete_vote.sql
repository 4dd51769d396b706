-- Writes what was chosen into a vote (see newest_vote) that Evolution could not decrypt, where an update of the poll
-- (`event`) tells it within ten minutes: it is one vote, told as edited, and asks the agent now. Returns whether it is.
-- A vote that was taken back has no options either, but its update has none then.
create or replace function messaging.complete_vote(
  instance messaging.instances, vote messaging.messages, event jsonb
) returns boolean language plpgsql set search_path = '' as $$
declare
  chosen constant jsonb := event->'content'->'pollVote'->'options';
begin
  update messaging.messages m
  set message = event->>'message', content = m.content || (event->'content')
  where m.id = vote.id and vote.content->'pollVote'->'options' = '[]'
    and jsonb_array_length(chosen) > 0
    and vote.provider_message_id not like 'vote:%' and event->>'providerMessageId' like 'vote:%'
    and vote.created_at > clock_timestamp() - interval '10 minutes';
  if not found then
    return false;
  end if;
  perform messaging.request_agent_reply(
    instance, vote.contact_id, vote.conversation_id, messaging.event_instant(event)
  )
  where not vote.is_group;
  return true;
end;
$$;
