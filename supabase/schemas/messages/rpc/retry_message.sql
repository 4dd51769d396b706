-- messages-api: sends a `failed` or `unconfirmed` message again because a person asks for it.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI034 (the contact has denied marketing by now); MI007; MI008; MI012 (any other state; its
-- expires_at has come; or a delivery event failed the message while its call to
-- the provider is still open, so that a further attempt may be due anyway).
create or replace function public.retry_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  message := messaging.find_message(request);
  if message.status not in ('failed', 'unconfirmed') or message.expires_at <= clock_timestamp()
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI012', message = 'message_not_retriable', detail = case
      when message.status not in ('failed', 'unconfirmed') then message.status
      when message.expires_at <= clock_timestamp() then 'expired'
      else 'sending'
    end;
  end if;
  select c.* into contact from messaging.contacts c where c.id = message.contact_id;
  -- A closed window does not refuse it: whether the contact has written since, the channel knows.
  perform messaging.refuse_send(null, contact, message.message_type, message.purpose);
  if message.cancel_on is not null then
    -- It waits anew, for another reply.
    perform messaging.expect_reply(array[message.contact_id], true, false);
    message.cancel_reason := null;
  end if;
  message.ladder := message.ladder - array['from', 'refused', 'isExhausted', 'passed'];
  perform messaging.requeue_message(message);
  perform messaging.touch_noted_contacts();
  select m.* into message from messaging.messages m where m.id = message.id;
  return messaging.keep_outcome(request, messaging.describe_message(message));
end;
$$;
