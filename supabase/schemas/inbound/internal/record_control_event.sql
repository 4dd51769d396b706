-- Records that the official channel has handed a conversation over. `event`: address, otherAddresses, handledBy
-- (who holds it now), former (who did, NULL where it is not told), reason (passed, taken or message), summary
-- (NULL for none), at. Returns whether it was news. Errors: MI055, as resolve_sender.
create or replace function messaging.record_control_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact constant messaging.contacts := messaging.resolve_sender(instance_id, event);
  conversation constant messaging.conversations := messaging.resolve_conversation(
    instance_id, contact.id
  );
begin
  return messaging.change_control(
    conversation.id, event->>'handledBy', event->>'reason',
    -- The channel tells whole seconds: a message of the same one was before the handover that it led to.
    messaging.event_instant(event) + case
      when event->>'reason' = 'message' then interval '0' else interval '1 microsecond'
    end,
    event->>'former', event->>'summary'
  );
end;
$$;
