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
