-- A message's row as the record that messages-api answers, with instants in the time zone of its
-- instance. `is_claimed`: whether its row of the queue has a claim: it is being sent, and that attempt
-- counts already. Reads no table, so that it is cheap for many rows at once, but for a delivery of the last
-- seconds (see shown_price) and the question that it asks (see shown_question). Of a message that waits it
-- shows its slot as stored, and no hold; describe_message knows what else may hold it. Of a message with a media_id
-- message_media knows the rest: add it. So add read_message_contact, its contact.
create or replace function messaging.message_record(
  message messaging.messages, time_zone text, is_claimed boolean
) returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
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
    'quotedMessageId', message.quoted_message_id,
    'quotedProviderMessageId', message.quoted_provider_message_id,
    'isGroup', coalesce(message.is_group, false),
    'chatName', message.chat_name,
    'author', message.author,
    'sentBy', message.sent_by,
    'handledBy', coalesce(message.handled_by, 'us'),
    'isTypedOnPhone', coalesce(message.is_typed_on_phone, false),
    'cardId', message.card_id,
    'batchId', message.batch_id,
    'purpose', messaging.told_purpose(message.purpose),
    'cancelKey', message.cancel_key,
    'cancelOn', message.cancel_on,
    'paymentReference', message.payment_reference,
    'cancelReason', case when message.status = 'canceled' then message.cancel_reason end,
    'metadata', coalesce(message.metadata, '{}'),
    'mediaId', message.media_id,
    'mediaStatus', null,
    'mediaUrl', message.content->>'mediaUrl',
    'mediaFilename', message.content->>'mediaFilename',
    'mediaMimeType', null,
    'mediaSize', null,
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'channelStatus', case when message.status = 'sent' then message.channel_status end,
    'scheduledFor', messaging.iso_in_zone(message.scheduled_for, time_zone),
    'heldBy', case
      when message.status = 'queued' and is_claimed is not true then message.held_by
    end,
    'holdReason', null,
    'holdCode', null,
    'heldUntil', null,
    'expiresAt', messaging.iso_in_zone(message.expires_at, time_zone),
    'createdAt', messaging.iso_in_zone(message.created_at, time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, time_zone),
    'editedAt', messaging.iso_in_zone(message.edited_at, time_zone),
    'deletedAt', messaging.iso_in_zone(message.deleted_at, time_zone),
    'attempts', message.attempts + case when is_claimed then 1 else 0 end,
    'lastError', messaging.shown_error(message.last_error)
  ) || messaging.shown_price(
    message.id, message.delivered_at, message.pricing, message.estimated_cost, message.cost_currency
  ) || messaging.shown_parts(message.content) || case
    when message.change is null then '{}'
    else jsonb_build_object('change', messaging.shown_change(message.change, time_zone, now()))
  end || case
    when message.ladder is null then '{}'
    else coalesce(message.ladder->'shown', '{}')
  end || case
    when message.question_id is null then '{}'
    else messaging.shown_question(message.question_id, message.direction)
  end || case
    when messaging.asks_to_pay(message.content)
      then messaging.shown_payment(message.id, message.content->'payment')
    else '{}'
  end || case
    when message.group_receipts is null then '{}'
    else jsonb_build_object('groupReceipts', message.group_receipts)
  end;
end;
$$;

-- What a record shows of a message's `content`: the parts that it has (shared/model/content_parts.ts), and
-- always `choice`. Its file has members of its own; a sent template is not repeated, and `choices` is what
-- offered_choices reads.
create or replace function messaging.shown_parts(content jsonb)
returns jsonb language sql immutable
return '{"choice": null}'::jsonb || coalesce(
  content - array['mediaUrl', 'mediaId', 'mediaFilename', 'choices', 'template'],
  '{}'
);

-- What a record tells of the last change that a call asked for: {kind, status, message, requestedAt, error}.
-- One under way whose lease is over is `unknown`: its worker ended before it recorded what came of it.
create or replace function messaging.shown_change(change jsonb, time_zone text, clock timestamptz)
returns jsonb language sql stable
return (change - array['token', 'leaseUntil', 'awaited']) || jsonb_build_object(
  'requestedAt', messaging.iso_in_zone((change ->> 'requestedAt')::timestamptz, time_zone)
) || case
  when change ->> 'status' = 'under_way'
  and (change ->> 'leaseUntil')::timestamptz <= clock then jsonb_build_object(
    'status', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was asking the provider ended before it recorded the outcome.'
    )
  )
  else '{}'
end;
