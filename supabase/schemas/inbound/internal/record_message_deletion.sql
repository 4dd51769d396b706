-- Records that a person has deleted a message for everyone: the contact, or somebody on the business's
-- own phone. Tells it once; the message keeps its words and its status. A deletion of an unknown message
-- changes nothing, also where the message arrives later. Returns whether it was news.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_deletion(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set deleted_at = clock_timestamp()
  where m.instance_id = record_message_deletion.instance_id
    and m.provider_message_id = event->>'providerMessageId'
    and m.deleted_at is null
    -- One that waits to be sent once more is not what the provider knows by this id.
    and m.status not in ('queued', 'sending');
  return found;
end;
$$;
