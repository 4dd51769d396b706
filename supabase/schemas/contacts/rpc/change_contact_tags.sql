-- contacts-api tags (specification 4.3): adds and removes tags of a contact, creating it when it is
-- missing. `request`: instanceId, phone | contactId | userId, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.change_contact_tags(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  change record;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  change := messaging.begin_contact_change(request);
  outcome := jsonb_build_object(
    'contactId', change.contact_id,
    'tagsApplied', messaging.apply_tags(instance_id, change.contact_id, request->'addTags'),
    'tagsRemoved', messaging.remove_tags(instance_id, change.contact_id, request->'removeTags')
  );
  if change.is_new then
    perform messaging.record_new_contacts(array[change.contact_id]);
  else
    perform messaging.record_contact_changes(instance_id, change.contact_id, change.before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- Takes tags off a contact by name. Returns those really taken off, as first written; the tags
-- themselves stay with the instance.
create or replace function messaging.remove_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb language sql set search_path = '' as $$
  with removed as (
    delete from messaging.contact_tags c
    using messaging.tags t
    where t.instance_id = remove_tags.instance_id
      and c.tag_id = t.id
      and c.contact_id = remove_tags.contact_id
      and lower(t.name) in (
        select lower(w.name)
        from jsonb_array_elements_text(coalesce(nullif(names, 'null'), '[]')) as w(name)
      )
    returning t.name
  )
  select coalesce(jsonb_agg(r.name order by r.name), '[]') from removed r;
$$;
