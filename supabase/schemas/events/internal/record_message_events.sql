-- Records one event for each of these messages, in the order given, with the state of the message now:
-- what describe_message says of it, and its contact. `types`: the event of the message at the same place;
-- a message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent.
-- Call it when the messages are changed, and so locked.
create or replace function messaging.record_message_events(message_ids uuid[], types text[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if message_ids is null then
    return;
  end if;
  perform messaging.hold_event_floor(m.instance_id)
  from messaging.messages m
  where m.id = any (message_ids);
  insert into messaging.events (instance_id, contact_id, type, data)
  select m.instance_id, m.contact_id, named.type,
    messaging.fit_event_data(
      messaging.describe_message(m)
        || case
          when named.type = 'message.sent'
            then '{"status": "sent", "deliveredAt": null, "readAt": null}'
          else '{}'
        end::jsonb
        || jsonb_build_object('contact', jsonb_build_object(
          'contactId', c.id, 'phone', messaging.contact_display_phone(c), 'name', c.name
        ))
    )
  from unnest(message_ids, types) with ordinality as named(message_id, type, place)
  join messaging.messages m on m.id = named.message_id
  join messaging.contacts c on c.id = m.contact_id
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[])
from public, anon, authenticated;
grant execute on function messaging.record_message_events(uuid[], text[]) to service_role;
