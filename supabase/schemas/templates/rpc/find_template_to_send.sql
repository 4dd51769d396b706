-- What send-template-message needs before it can render. `request`: tokenId, templateId or template
-- {name, language} (see find_sendable_template), phone |
-- contactId | userId,
-- idempotency (see begin_idempotent). Returns {template, contact, known}: NULL template
-- unless the workspace of the token's instance has it, NULL contact for one that the token's
-- instance does not know; known is what an earlier call with the same key came to
-- (see describe_kept_outcome).
-- Writes nothing. Errors: MI007, MI008, MI065.
create or replace function public.find_template_to_send(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  template messaging.message_templates;
  contact messaging.contacts;
  known jsonb := messaging.recall_idempotent(request)->'replayed';
begin
  select i.* into strict instance
  from messaging.client_tokens t
  join messaging.instances i on i.id = t.instance_id
  where t.id = (request->>'tokenId')::uuid;
  template := messaging.find_sendable_template(instance, request);
  contact := case
    when request->>'contactId' is null then messaging.find_recipient(instance.id, request)
    -- Where the id is unknown, the faults of the template come first.
    else messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)
  end;
  return jsonb_build_object(
    'template', case when template.id is not null then
      messaging.describe_message_template(template)
    end,
    'contact', case when contact.id is not null then
      jsonb_build_object('name', contact.name, 'phone', messaging.contact_display_phone(contact))
    end,
    'known', known
  );
end;
$$;
