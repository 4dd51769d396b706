-- A page of a list of a conversation (see conversation_log), oldest first. `request`: instanceId,
-- conversationId, limit, `after` as returned in `next`. Returns {items, next}. Errors: MI014, MI032.
create or replace function messaging.list_conversation_log(request jsonb, list text)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', l.at, 'id', l.id, 'record', l.record)
    from messaging.conversation_log(conversation.id, list, instance.time_zone) as l
    where (l.at, l.id) > (page.after_at, page.after_id)
    order by l.at, l.id
    limit page.size + 1
  ), page.size);
end;
$$;
