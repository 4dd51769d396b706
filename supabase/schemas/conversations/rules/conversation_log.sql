-- A list of a conversation, each row as the API tells it: its internal notes, or its transfers from one
-- operator to another or to nobody. `list`: notes | transfers.
create or replace function messaging.conversation_log(conversation_id uuid, list text, zone text)
returns table (at timestamptz, id uuid, record jsonb) language sql stable
begin atomic
  select
    n.created_at,
    n.id,
    jsonb_build_object(
      'noteId', n.id,
      'note', n.note,
      'createdAt', messaging.iso_in_zone(n.created_at, zone)
    )
  from messaging.internal_notes as n
  where n.conversation_id = conversation_log.conversation_id and list = 'notes'
  union all
  select
    t.transferred_at,
    t.id,
    jsonb_build_object(
      'fromOperatorId', t.from_operator_id,
      'toOperatorId', t.to_operator_id,
      'createdAt', messaging.iso_in_zone(t.transferred_at, zone)
    )
  from messaging.chat_transfer_log as t
  where t.conversation_id = conversation_log.conversation_id and list = 'transfers';
end;
