-- Records that the contact has edited a message: replaces its words. No agent is asked again; an agent
-- that has yet to answer reads the new words. Edits of our own messages and of unknown messages change
-- nothing. Returns whether words changed.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_edit(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  words constant text := event->>'message';
  edited_id uuid;
begin
  update messaging.messages m
  set message = edited.message
  from (
    select own.id,
      -- In a group the words stand after their author's name, which the edit does not contain.
      case
        when own.is_group and event->>'kind' = 'message_edit'
          then coalesce(substring(own.message from '^[^:\n]{1,200}: '), '') || words
        else words
      end as message
    from messaging.messages own
    where own.instance_id = record_message_edit.instance_id
      and own.provider_message_id = event->>'providerMessageId'
      and own.direction = 'inbound'
  ) as edited
  where m.id = edited.id and words is not null and m.message is distinct from edited.message
  returning m.id into edited_id;
  if not found then
    return false;
  end if;
  perform messaging.record_message_events(array[edited_id], array['message.edited']);
  return true;
end;
$$;
revoke all on function messaging.record_message_edit(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_message_edit(uuid, jsonb) to service_role;
