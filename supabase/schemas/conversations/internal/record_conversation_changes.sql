-- Records what has become of a conversation since `before`, which is what conversation_state said then:
-- conversation.assigned where its operator, its department or the operator's portfolio has changed,
-- conversation.status_changed where its status has; nothing where neither has.
-- A closing ends the watch of its silence (see idle_watches).
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_conversation_changes(
  conversation messaging.conversations, before jsonb
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  state constant jsonb := messaging.conversation_state(conversation.id);
  ids constant jsonb := jsonb_build_object(
    'contactId', conversation.contact_id, 'conversationId', conversation.id
  );
begin
  if state <> before then
    perform messaging.note_contact(conversation.contact_id);
  end if;
  if state->'assignment' <> before->'assignment' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.assigned',
      ids || (state->'assignment') || jsonb_build_object(
        'operatorId', state->'assignment'->'assignedTo',
        'previousAssignedTo', before->'assignment'->'assignedTo'
      )
    );
  end if;
  if state->'status' <> before->'status' then
    if state->>'status' = 'closed' then
      delete from messaging.idle_watches w where w.contact_id = conversation.contact_id;
    end if;
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.status_changed',
      ids || jsonb_build_object('status', state->'status')
    );
  end if;
end;
$$;
