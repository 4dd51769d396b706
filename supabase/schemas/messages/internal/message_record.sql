-- A message's row as the record that messages-api answers, with instants in the time zone of its
-- instance. `is_claimed`: whether its row of the queue has a claim: it is being sent, and that attempt
-- counts already. Reads no table, so that it is cheap for many rows at once. Of a message that waits it
-- shows its slot as stored; describe_message knows what else may hold it. Of a message with a media_id
-- message_media knows the rest: add it.
create or replace function messaging.message_record(
  message messaging.messages,
  time_zone text,
  is_claimed boolean
)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'messageId', message.id,
    'direction', message.direction,
    'status', case
      when is_claimed and message.status = 'queued' then 'sending'
      else message.status
    end,
    'messageType', message.message_type,
    'message', message.message,
    'cardId', message.card_id,
    'batchId', message.batch_id,
    'metadata', coalesce(message.metadata, '{}'),
    'mediaId', message.media_id,
    'mediaStatus', null,
    'mediaUrl', message.content->>'mediaUrl',
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'scheduledFor', messaging.iso_in_zone(message.scheduled_for, time_zone),
    'heldBy', message.held_by,
    'createdAt', messaging.iso_in_zone(message.created_at, time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, time_zone),
    'attempts', message.attempts + case when is_claimed then 1 else 0 end,
    'lastError', message.last_error
  );
end;
$$;
revoke all
on function messaging.message_record(messaging.messages, text, boolean)
from public, anon, authenticated;
grant execute
on function messaging.message_record(messaging.messages, text, boolean)
to service_role;
