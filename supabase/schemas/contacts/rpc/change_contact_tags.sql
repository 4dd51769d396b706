-- contacts-api tags (specification 4.3): adds and removes tags of a contact, creating it when it is
-- missing. `request`: instanceId, phone | contactId | userId, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.change_contact_tags(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.resolve_recipient(instance_id, request) r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'addTags'),
    'tagsRemoved', messaging.remove_tags(instance_id, contact_id, request->'removeTags')
  );
  if not found_contact.is_new then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
