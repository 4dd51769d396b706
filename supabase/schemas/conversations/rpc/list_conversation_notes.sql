-- conversations-api: the internal notes of a conversation, oldest first, a page at a time.
-- `request`: instanceId, conversationId, limit, `after` as returned in `next`. Returns {items, next}.
-- Errors: MI014, MI032.
create or replace function public.list_conversation_notes(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', n.created_at, 'id', n.id,
        'record', jsonb_build_object(
          'noteId', n.id,
          'note', n.note,
          'createdAt', messaging.iso_in_zone(n.created_at, instance.time_zone)
        )
      )
      from messaging.internal_notes n
      where n.conversation_id = conversation.id
        and (n.created_at, n.id) > (page.after_at, page.after_id)
      order by n.created_at, n.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
