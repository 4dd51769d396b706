-- messages-api: records that a provider is about to be asked to edit or delete a sent message, before it is.
-- `request`: instanceId, messageId (see find_message_id), kind (edit, delete), message (the new words of an
-- edit), leaseSeconds: how long the asking may take. Locks the message.
-- Returns {change, message}: change is {token, messageId, to, providerMessageId, messageType, message, content,
-- file} with the new words, and what settle_message_change needs; NULL where there is nothing to ask: a
-- deletion of what is deleted, of which `message` is the record.
-- Errors: MI004; MI061 (not editable), MI062 (not deletable), with the reason of change_refusal as detail.
create or replace function public.begin_message_change(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  kind constant text := request->>'kind';
  words constant text := request->>'message';
  token constant uuid := gen_random_uuid();
  message messaging.messages := messaging.find_message(request);
  instance messaging.instances;
  contact messaging.contacts;
  refusal text;
begin
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  if kind = 'delete' and message.direction = 'outbound' and message.deleted_at is not null then
    return jsonb_build_object('change', null, 'message', messaging.describe_message(message));
  end if;
  refusal := messaging.change_refusal(message, instance.provider_class, kind, clock);
  if refusal is not null then
    raise exception using
      errcode = case kind when 'edit' then 'MI061' else 'MI062' end,
      message = case kind when 'edit' then 'message_not_editable' else 'message_not_deletable' end,
      detail = refusal;
  end if;
  select c.* into strict contact from messaging.contacts c where c.id = message.contact_id;
  message.change := jsonb_build_object(
    'token', token, 'kind', kind, 'status', 'under_way', 'message', words, 'requestedAt', clock,
    'leaseUntil', clock + make_interval(secs => (request->>'leaseSeconds')::double precision),
    'error', null,
    -- The words whose echoes are still to come, of earlier edits too.
    'awaited', coalesce(message.change->'awaited', '[]') || case
      when kind = 'edit' then jsonb_build_array(md5(words)) else '[]'
    end
  );
  perform messaging.write_content(message);
  return jsonb_build_object('message', null, 'change', jsonb_build_object(
    'token', token,
    'messageId', message.id,
    'to', messaging.contact_send_address(contact, message.phone_given),
    'providerMessageId', message.provider_message_id,
    'messageType', message.message_type,
    'message', words,
    'content', message.content,
    'file', case when message.media_id is not null then messaging.file_to_send(message.media_id) end
  ));
end;
$$;

-- Why an edit or a deletion (`kind`: edit, delete) of a sent message is refused, as one word; NULL where the
-- channel may be asked. The official channel has neither. WhatsApp takes an edit for 15 minutes and says
-- nothing where it comes too late: the last ten seconds are left to the call on its way.
create or replace function messaging.change_refusal(
  message messaging.messages, provider_class text, kind text, clock timestamptz
) returns text language sql stable
return case
  when message.direction = 'inbound' then 'received'
  when provider_class = 'official' then 'official_channel'
  when message.deleted_at is not null then 'deleted'
  when message.status not in ('sent', 'delivered', 'read') then message.status
  when message.provider_message_id is null
  or message.message_type = 'reaction' then 'unknown_type'
  when message.change ->> 'status' = 'under_way'
  and (message.change ->> 'leaseUntil')::timestamptz > clock then 'changing'
  when kind = 'edit'
  and not (
    message.message_type = 'text'
    or message.message_type in ('image', 'video', 'document')
    and not message.is_typed_on_phone
  ) then 'unknown_type'
  when kind = 'edit'
  and message.sent_at <= clock - interval '14 minutes 50 seconds' then 'too_old'
end;
