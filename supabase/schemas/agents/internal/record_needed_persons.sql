-- Records agent.needs_person for conversations in which the agent has given up an answer: what the contact wrote
-- waits for a person. `reason`: the error of the last attempt.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_needed_persons(conversation_ids uuid[], reason text)
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(
    c.instance_id, c.contact_id, 'agent.needs_person',
    jsonb_build_object(
      'contactId', c.contact_id, 'conversationId', c.id, 'reason', record_needed_persons.reason
    )
  )
  from messaging.conversations c
  where c.id = any (conversation_ids) and not c.is_merged;
end;
$$;
