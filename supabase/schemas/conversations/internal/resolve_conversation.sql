-- The contact's one conversation, created `open` with the first operation that needs it.
create or replace function messaging.resolve_conversation(instance_id uuid, contact_id uuid)
returns messaging.conversations language plpgsql set search_path = '' as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.contact_id = resolve_conversation.contact_id;
  if found then
    return conversation;
  end if;
  insert into messaging.conversations (instance_id, contact_id)
  values (resolve_conversation.instance_id, resolve_conversation.contact_id)
  on conflict do nothing
  returning * into conversation;
  if conversation.id is not null then
    perform messaging.note_contact(resolve_conversation.contact_id);
  else
    select c.* into conversation
    from messaging.conversations c
    where c.contact_id = resolve_conversation.contact_id;
  end if;
  return conversation;
end;
$$;
