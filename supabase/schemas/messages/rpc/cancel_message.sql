-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. The instance's last slot is given back with its
-- message;
-- any other slot stays unused, so that no other message moves. Locks the message, then pacing. Tries
-- the queue row without waiting: its holder is about to send the message.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  freed_slot timestamptz;
  gone messaging.message_queue;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  delete from messaging.message_queue q
  where q.message_id = (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = message.id and w.claim_token is null
    for update skip locked
  )
  returning q.* into gone;
  freed_slot := case when gone.lane = 'paced' then gone.scheduled_at end;
  if not found then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = message.id
  returning m.* into message;
  perform messaging.record_message_events(array[message.id], array['message.canceled']);
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = q.message_id
      where q.instance_id = p.instance_id and q.lane = 'paced' and q.scheduled_at < freed_slot
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  where p.instance_id = message.instance_id
    and p.last_slot_at
      = freed_slot + interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  perform messaging.give_back_places(array[gone]);
  perform messaging.refresh_dispatch(array[message.instance_id]);
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;
