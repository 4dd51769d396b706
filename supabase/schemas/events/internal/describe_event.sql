-- An event as the feed and the webhooks give it. Instants of a message are written in the time zone that
-- its instance has now; in UTC, where the instance is gone.
create or replace function messaging.describe_event(event messaging.events)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', 'evt_' || replace(event.id::text, '-', ''),
    'type', event.type,
    'timestamp', to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'instanceId', event.instance_id,
    'sequence', event.sequence,
    'data', coalesce(
      event.data,
      messaging.message_event_data(
        event.type,
        event.message,
        coalesce(
          (select i.time_zone from messaging.instances i where i.id = event.instance_id), 'UTC'
        )
      )
    )
  );
end;
$$;

-- The data of a message's event: the message's record (see message_record) and its contact as they were
-- then, with the price that a delivery has got since: see shown_price.
create or replace function messaging.message_event_data(
  type text, message messaging.message_snapshot, time_zone text
) returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
declare
  data jsonb := messaging.message_record(
    jsonb_populate_record(null::messaging.messages, to_jsonb(message)), time_zone, false
  ) || messaging.message_contact(
    message.contact_id, message.contact_phone, message.contact_name, message.contact_identities
  );
begin
  if message.question is not null then
    data := data || message.question;
  end if;
  if message.media is not null then
    data := data || message.media;
  end if;
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  end if;
  return messaging.fit_event_data(data);
end;
$$;
