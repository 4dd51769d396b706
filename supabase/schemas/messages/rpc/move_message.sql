-- messages-api: moves a message that still waits to another instant, and its end. `request`: instanceId,
-- messageId, sendAt and expiresAt, each NULL for as it is. A paced message gets the slot that an enqueue at that time gives (see enqueue_message_later),
-- and its former one is released; any other is due then. A time before its slot brings it forward, to the first
-- slot that is free there (see bring_forward), and never makes it later: where none is free it keeps its slot. What waited to be tried again waits until then.
-- Locks the message, then pacing. Tries the queue row without waiting: its holder is about to send the
-- message. Returns describe_message.
-- Errors: MI004; MI010; MI041, MI042, MI043 and MI057 (instants); MI044 (in flight, or settled already).
create or replace function public.move_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  instance messaging.instances;
  waiting messaging.message_queue;
  new_end timestamptz;
  send_at timestamptz;
  is_placed boolean := false;
begin
  message := messaging.find_message(request);
  if message.status <> 'queued' then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = message.status;
  end if;
  new_end := coalesce((request->>'expiresAt')::timestamptz, message.expires_at);
  perform messaging.check_timing(jsonb_build_object('timing', jsonb_build_object(
    'sendAt', request->>'sendAt', 'expiresAt', new_end
  )));
  if request->>'sendAt' is null and new_end <= message.scheduled_for then
    raise exception using errcode = 'MI057', message = 'expiresAt is before the message leaves';
  end if;
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  select w.* into waiting
  from messaging.message_queue w
  where w.message_id = message.id and w.claim_token is null
  for update skip locked;
  if not found and message.held_by = 'awaiting_reply' and request->>'sendAt' is null then
    -- It is in no queue: only its end can move.
    update messaging.messages m
    set expires_at = new_end, ladder = m.ladder - 'endsByDefault'
    where m.id = message.id
    returning m.* into message;
    return messaging.describe_message(message);
  elsif not found and message.held_by = 'awaiting_reply' then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'awaiting_reply';
  elsif not found then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'sending';
  end if;
  update messaging.messages m set expires_at = new_end where m.id = message.id;
  send_at := date_trunc('milliseconds', (request->>'sendAt')::timestamptz);
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  if waiting.lane = 'paced' and send_at <= waiting.scheduled_at then
    is_placed := messaging.bring_forward(message, instance, waiting, send_at);
  end if;
  if send_at is not null and not is_placed then
    delete from messaging.message_queue q where q.message_id = message.id;
    perform messaging.release_slots(array[waiting]);
    perform messaging.place_moved_message(message, instance, waiting, send_at);
    perform messaging.refresh_dispatch(array[instance.id]);
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
