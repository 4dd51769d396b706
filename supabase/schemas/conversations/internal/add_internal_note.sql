-- A note on a conversation, for operators' eyes. Returns its id. Locks the conversation, see internal_notes.
create or replace function messaging.add_internal_note(
  instance_id uuid, conversation_id uuid, note text
) returns uuid language sql set search_path = '' as $$
  select from messaging.conversations c
  where c.id = add_internal_note.conversation_id for no key update;
  insert into messaging.internal_notes (instance_id, conversation_id, note)
  values (add_internal_note.instance_id, add_internal_note.conversation_id, add_internal_note.note)
  returning id;
$$;
