-- Stores a webhook's payload as received, but nothing of what it says of erased persons, by messages that
-- are erased: a status that comes late, or a message that is delivered once more. `events` are what the
-- payload means.
create or replace function messaging.keep_payload(instance_id uuid, payload text, events jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  erased constant jsonb := messaging.erased_events(instance_id, events);
  kept text := payload;
begin
  if erased is not null then
    kept := case
      when jsonb_array_length(erased) < jsonb_array_length(events)
      then messaging.redact_payload(payload, messaging.marks_pattern(array(
        select e.value->>'providerMessageId' from jsonb_array_elements(erased) as e
        union
        select unnest(messaging.person_marks(
          array[e.value->>'address'] || array(
            select jsonb_array_elements_text(coalesce(e.value->'otherAddresses', '[]'))
          )
        ))
        from jsonb_array_elements(erased) as e
        where e.value->>'address' is not null
      )))
    end;
  end if;
  insert into messaging.provider_events (instance_id, payload)
  select keep_payload.instance_id, kept where kept is not null;
end;
$$;
