-- A note on a conversation, for operators' eyes. Returns its id.
create or replace function messaging.add_internal_note(
  instance_id uuid,
  conversation_id uuid,
  note text
)
returns uuid
language sql
set search_path = ''
as $$
  insert into messaging.internal_notes (instance_id, conversation_id, note)
  values (add_internal_note.instance_id, add_internal_note.conversation_id, add_internal_note.note)
  returning id;
$$;
