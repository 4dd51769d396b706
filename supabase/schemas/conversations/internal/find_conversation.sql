-- A conversation of an instance. An unknown id and one of another tenant are one error: MI032.
create or replace function messaging.find_conversation(instance_id uuid, conversation_id uuid)
returns messaging.conversations language plpgsql stable set search_path = '' as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.id = find_conversation.conversation_id
    and c.instance_id = find_conversation.instance_id
    and not c.is_merged;
  if not found then
    raise exception using errcode = 'MI032', message = 'conversation_not_found';
  end if;
  return conversation;
end;
$$;
