-- batches-api: what recipients are filled from before they are stored. `request`: instanceId, tokenId,
-- batchId or NULL, templateId or template {name, language} or neither, entries [{phone | contactId | userId} | NULL].
-- Returns {batch {source, purpose, validation, recipientCount} or NULL, template or NULL, contacts}:
-- `template` as find_template_to_send gives it, of the entries' contacts {contactId, name, phone}, or NULL
-- for whom no contact is known. Writes and locks nothing.
-- Errors: MI027, MI028 (recipients are added to drafts alone), MI065.
create or replace function public.prepare_batch_recipients(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  instance messaging.instances;
  batch messaging.batches;
  template messaging.message_templates;
begin
  if request->>'batchId' is not null then
    batch := messaging.find_batch(request);
    if batch.status <> 'draft' then
      raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
    end if;
  end if;
  if coalesce(request->>'templateId', request->>'template') is not null then
    select i.* into strict instance from messaging.instances i where i.id = of_instance;
    template := messaging.find_sendable_template(instance, request);
  end if;
  return jsonb_build_object(
    'batch', case when batch.id is not null then jsonb_build_object(
      'source', batch.source,
      'purpose', batch.purpose,
      'validation', batch.validation,
      'recipientCount', batch.recipient_count
    ) end,
    'template', case when template.id is not null then
      messaging.describe_message_template(template)
    end,
    'contacts', (
      select coalesce(jsonb_agg(person.told order by e.place), '[]')
      from jsonb_array_elements(request->'entries') with ordinality as e(entry, place)
      left join lateral (
        select jsonb_build_object(
          'contactId', c.id, 'name', c.name, 'phone', messaging.contact_display_phone(c)
        ) as told
        from messaging.contacts c
        where c.id = messaging.entry_contact(
          of_instance,
          (e.entry->>'contactId')::uuid,
          messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId'))
        )
        offset 0
      ) as person on true
    )
  );
end;
$$;
