-- What a channel has to be told to mark messages of a person as read: those that the person sent up to one
-- message. `request`: instanceId; messageId (see find_message_id), sent or received, or conversationId for
-- its newest; direction: what that message has to be, NULL for either.
-- Returns {instance, to, messages}: instance is what opens the provider; to the chat's address; messages
-- [{messageId, providerMessageId, isRead}] the newest received one, read or not, after at most 19 unread ones
-- among the hundred messages before it, in their order. A missed call is none: no channel takes a receipt of it.
-- Errors: MI004, MI032; MI063 (of the other direction), with its status as detail.
create or replace function public.list_unread_messages(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  named messaging.messages;
  contact messaging.contacts;
begin
  if request->>'conversationId' is not null then
    select c.* into contact
    from messaging.conversations v
    join messaging.contacts c on c.id = v.contact_id
    where v.id = (request->>'conversationId')::uuid
      and v.instance_id = (request->>'instanceId')::uuid and not v.is_merged;
    if not found then
      raise exception using errcode = 'MI032', message = 'conversation_not_found';
    end if;
  else
    select m.* into named
    from messaging.messages m
    where m.id = messaging.find_message_id(request);
    if not found then
      raise exception using errcode = 'MI004', message = 'message_not_found';
    end if;
    if named.direction <> coalesce(request->>'direction', named.direction) then
      raise exception using errcode = 'MI063', message = 'message_not_readable', detail = named.status;
    end if;
    named := messaging.message_after_merge(named);
    select c.* into strict contact from messaging.contacts c where c.id = named.contact_id;
  end if;
  return (
    with recent as (
      select m.id, m.direction, m.message_type, m.provider_message_id, m.read_at, m.sent_at
      from messaging.messages m
      where m.contact_id = contact.id and m.sent_at <= coalesce(named.sent_at, 'infinity')
      order by m.sent_at desc
      limit 100
    ), received as (
      select r.*,
        row_number() over (order by r.id is not distinct from named.id desc, r.sent_at desc) as place
      from recent r
      where r.direction = 'inbound' and r.provider_message_id is not null
        and r.message_type <> 'call'
        and (r.message_type <> 'reaction' or r.id is not distinct from named.id)
    )
    select jsonb_build_object(
      'instance', jsonb_build_object(
        'instanceId', i.id, 'provider', i.provider, 'sealedProviderConfig', i.sealed_provider_config
      ),
      'to', messaging.contact_send_address(contact, null),
      'messages', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'messageId', u.id, 'providerMessageId', u.provider_message_id, 'isRead', u.read_at is not null
        ) order by u.place desc), '[]')
        from received u
        where u.place = 1 or u.read_at is null and u.place <= 20
      )
    )
    from messaging.instances i
    where i.id = (request->>'instanceId')::uuid
  );
end;
$$;
