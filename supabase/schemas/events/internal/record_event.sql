-- Records one event in the transaction that makes it true. `data`: the event's data, complete; it is
-- cut to what an event may hold (see fit_event_data). `contact_id`: the person it is about, if any.
-- Call it when the rows it is about are locked and changed, so that events stand in the order in which
-- they became true. Those of messages follow from their rows: see record_message_change.
-- Returns the event.
create or replace function messaging.record_event(
  instance_id uuid, contact_id uuid, type text, data jsonb
) returns messaging.events language plpgsql set search_path = '' as $$
declare
  event messaging.events;
begin
  perform messaging.hold_event_floor(record_event.instance_id);
  insert into messaging.events (instance_id, contact_id, type, data)
  values (
    record_event.instance_id, record_event.contact_id, record_event.type,
    messaging.fit_event_data(record_event.data)
  )
  returning * into event;
  return event;
end;
$$;
