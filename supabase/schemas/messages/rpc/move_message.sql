-- messages-api: moves a message that still waits to another instant. `request`: instanceId, messageId,
-- sendAt. A paced message gets the slot that an enqueue at that time gives (see enqueue_message_later),
-- and its former one is given back; any other is due then. What waited to be tried again waits until then.
-- Locks the message, then pacing. Tries the queue row without waiting: its holder is about to send the
-- message. Returns describe_message.
-- Errors: MI004; MI010; MI041 and MI042 (sendAt); MI044 (in flight, or settled already).
create or replace function public.move_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  instance messaging.instances;
  gone messaging.message_queue;
begin
  message := messaging.find_message(request);
  if message.status <> 'queued' then
    raise exception using errcode = 'MI044', message = 'message_not_movable';
  end if;
  perform messaging.check_timing(jsonb_build_object('sendAt', request->'sendAt'));
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  delete from messaging.message_queue q
  where q.message_id = (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = message.id and w.claim_token is null
    for update skip locked
  )
  returning q.* into gone;
  if not found then
    raise exception using errcode = 'MI044', message = 'message_not_movable';
  end if;
  perform messaging.give_back_slots(array[gone]);
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  perform messaging.place_moved_message(
    message, instance, gone, date_trunc('milliseconds', (request->>'sendAt')::timestamptz)
  );
  perform messaging.refresh_dispatch(array[instance.id]);
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.move_message(jsonb) from public, anon, authenticated;
grant execute on function public.move_message(jsonb) to service_role;
