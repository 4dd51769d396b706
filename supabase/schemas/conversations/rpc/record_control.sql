-- conversations-api control: the channel has done what it was asked. `request`: instanceId, contactId, handledBy,
-- reason, idempotency. Returns {contactId, conversationId, handledBy, previous}, or {replayed} where another call
-- with this key was first. Errors: MI007, MI008, MI031 (the contact is gone meanwhile), MI035.
create or replace function public.record_control(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  conversation := messaging.recipient_conversation(request);
  select c.* into conversation from messaging.conversations c
  where c.id = conversation.id for no key update;
  perform messaging.change_control(
    conversation.id, request->>'handledBy', request->>'reason',
    -- The channel tells whole seconds: what the contact writes in the same one counts.
    greatest(date_trunc('second', clock_timestamp()), conversation.control_at)
  );
  outcome := jsonb_build_object(
    'contactId', conversation.contact_id,
    'conversationId', conversation.id,
    'handledBy', request->'handledBy',
    'previous', conversation.handled_by
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
