-- What an event keeps of a message: see tables/message_snapshot.sql. `contact_phone` as
-- contact_display_phone, `contact_identities` as hidden_identities. `is_claimed`: whether the message is
-- still in a worker's hands.
create or replace function messaging.snapshot_message(
  message messaging.messages, contact_name text, contact_phone text, contact_identities jsonb,
  is_claimed boolean
) returns messaging.message_snapshot language sql stable
return row(
  message.id,
  message.direction,
  case
    when is_claimed
    and message.status = 'queued' then 'sending'
    else message.status
  end,
  message.message_type,
  message.message,
  case
    when message.direction = 'inbound'
    or message.is_typed_on_phone then message.content
    else message.content - array['template', 'choices', 'mediaUrl', 'mediaFilename']
  end,
  message.card_id,
  message.metadata,
  message.contact_id,
  message.conversation_id,
  message.provider_message_id,
  message.scheduled_for,
  message.held_by,
  message.created_at,
  message.sent_at,
  message.delivered_at,
  message.read_at,
  message.failed_at,
  message.attempts + is_claimed::integer,
  message.last_error,
  contact_name,
  contact_phone,
  message.quoted_message_id,
  case
    when message.content is not null
    or message.media_id is not null then messaging.message_media(message.media_id, message.content)
  end,
  message.batch_id,
  message.quoted_provider_message_id,
  message.author,
  message.is_group,
  message.chat_name,
  message.sent_by,
  message.is_typed_on_phone,
  message.edited_at,
  message.deleted_at,
  message.channel_status,
  contact_identities,
  message.purpose,
  message.cancel_key,
  message.expires_at,
  message.pricing,
  message.group_receipts,
  message.estimated_cost,
  message.cost_currency,
  case
    when message.ladder is not null then jsonb_build_object('shown', message.ladder -> 'shown')
  end
)::messaging.message_snapshot;
