-- messages-context: the newest messages that were really sent to or received from one contact in a
-- period, oldest first. `request`: instanceId, phone, startsAt and endsAt (Unix seconds; the end is
-- not included), limit, fromMe (true for sent only, false for received only, NULL for both).
-- Returns {contact {name, phone}, messages, hasMore}; contact is NULL for an unknown phone, and
-- hasMore says whether older ones of the period were left out. Instants carry the instance's offset.
-- Writes nothing.
create or replace function public.read_history(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance public.instances;
  contact public.contacts;
  page_size constant integer := (request->>'limit')::integer;
  starts_at constant timestamptz := to_timestamp((request->>'startsAt')::double precision);
  ends_at constant timestamptz := to_timestamp((request->>'endsAt')::double precision);
  wanted_direction constant text := case (request->>'fromMe')::boolean
    when true then 'outbound' when false then 'inbound'
  end;
  messages jsonb;
  has_more boolean;
begin
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := public.find_contact(instance.id, request->>'phone');
  if contact.id is null then
    return jsonb_build_object('contact', null, 'messages', '[]'::jsonb, 'hasMore', false);
  end if;
  with newest as (
    select m.*, row_number() over (order by m.sent_at desc, m.created_at desc, m.id desc) as place
    from public.messages m
    where m.instance_id = instance.id and m.contact_id = contact.id
      and m.sent_at >= starts_at and m.sent_at < ends_at
      and m.status in ('sent', 'delivered', 'read', 'received')
      and (wanted_direction is null or m.direction = wanted_direction)
    order by m.sent_at desc, m.created_at desc, m.id desc
    limit page_size + 1
  )
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'messageId', n.id,
          'direction', n.direction,
          'messageType', n.message_type,
          'message', n.message,
          'mediaUrl', n.media_url,
          'mediaFilename', n.media_filename,
          'optionList', n.option_list,
          'choice', n.choice,
          'template', n.template,
          'cardId', n.card_id,
          'sentBy', n.sent_by,
          'operatorName', o.name,
          'agentName', a.name,
          'status', n.status,
          'providerMessageId', n.provider_message_id,
          'sentAt', public.iso_in_zone(n.sent_at, instance.time_zone),
          'deliveredAt', public.iso_in_zone(n.delivered_at, instance.time_zone),
          'readAt', public.iso_in_zone(n.read_at, instance.time_zone),
          'isGroup', n.is_group,
          'chatName', n.chat_name
        )
        order by n.place desc
      ) filter (where n.place <= page_size),
      '[]'
    ),
    count(*) > page_size
  into messages, has_more
  from newest n
  left join public.operators o on o.id = n.operator_id
  left join public.ai_agents a on a.id = n.agent_id;
  return jsonb_build_object(
    'contact', jsonb_build_object('name', contact.name, 'phone', contact.phone),
    'messages', messages,
    'hasMore', has_more
  );
end;
$$;
revoke all on function public.read_history(jsonb) from public, anon, authenticated;
grant execute on function public.read_history(jsonb) to service_role;
