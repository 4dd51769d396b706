-- conversations-api: the transfers of a conversation from one operator to another or to nobody, oldest
-- first, a page at a time. `request`: instanceId, conversationId, limit, `after` as returned in `next`.
-- Returns {items, next}. Errors: MI014, MI032.
create or replace function public.list_conversation_transfers(request jsonb)
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
        'createdAt', t.transferred_at, 'id', t.id,
        'record', jsonb_build_object(
          'fromOperatorId', t.from_operator_id,
          'toOperatorId', t.to_operator_id,
          'createdAt', messaging.iso_in_zone(t.transferred_at, instance.time_zone)
        )
      )
      from messaging.chat_transfer_log t
      where t.conversation_id = conversation.id
        and (t.transferred_at, t.id) > (page.after_at, page.after_id)
      order by t.transferred_at, t.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
