-- Whether the agent has stepped back from a conversation: another responder of the number holds it, or a pause of
-- its contact lasts.
create or replace function messaging.agent_steps_back(
  conversation messaging.conversations, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return conversation.handled_by <> 'us' or exists (
    select from messaging.agent_pauses p
    where p.contact_id = conversation.contact_id and p.paused_until > clock
  );
end;
$$;
