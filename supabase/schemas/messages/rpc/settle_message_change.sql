-- messages-api: records what a provider has answered to an edit or a deletion (see begin_message_change).
-- `request`: instanceId, messageId, token, outcome (done, refused, unknown), error ({code, message}; NULL when
-- done). Done: the message has its new words or is deleted, which is told once, by its event. Otherwise it
-- stays as it was. A call that is repeated changes nothing, nor does a refusal of what an echo has proved.
-- Locks the message. Returns {message}: its record, NULL where it was erased meanwhile.
create or replace function public.settle_message_change(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = (request->>'messageId')::uuid and m.instance_id = (request->>'instanceId')::uuid
  for no key update;
  if not found then
    return jsonb_build_object('message', null);
  end if;
  if message.change->>'token' = request->>'token' and message.change->>'status' = 'under_way' then
    perform messaging.end_message_change(message, request->>'outcome', request->'error');
    select m.* into strict message from messaging.messages m where m.id = message.id;
  end if;
  return jsonb_build_object('message', messaging.describe_message(message));
end;
$$;
