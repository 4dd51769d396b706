-- Those of a webhook's events that are about messages of erased persons: see erased_messages.
create or replace function messaging.erased_events(instance_id uuid, events jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(e.value)
    from jsonb_array_elements(events) as e
    where exists (
      select from messaging.erased_messages x
      where x.instance_id = erased_events.instance_id
        and x.id_hash = any (array[
          messaging.message_id_hash(e.value->>'providerMessageId'),
          messaging.message_id_hash(e.value->>'messageId')
        ])
    )
  );
end;
$$;
