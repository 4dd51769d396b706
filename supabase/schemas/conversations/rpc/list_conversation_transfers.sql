-- conversations-api: the transfers of a conversation, a page at a time: see list_conversation_log.
create or replace function public.list_conversation_transfers(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.list_conversation_log(request, 'transfers');
$$;
