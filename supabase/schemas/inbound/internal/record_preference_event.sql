-- Records what a contact has set in the channel about marketing messages. `event`: address,
-- otherAddresses, marketing (denied or granted), at. Returns false where it changes nothing, or was
-- recorded before.
create or replace function messaging.record_preference_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts := messaging.resolve_sender(instance_id, event);
begin
  perform from messaging.consent_log l
  where l.contact_id = contact.id and l.source = 'user_preferences'
    and l.marketing = event->>'marketing' and l.said_at = (event->>'at')::timestamptz;
  return not found and messaging.change_consent(
    contact.id,
    jsonb_build_object(
      'marketing', event->'marketing', 'source', 'user_preferences', 'saidAt', event->'at'
    )
  );
end;
$$;
