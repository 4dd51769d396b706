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
