-- contacts-api: the contacts of a contact's person at the other instances of the workspace. `request`: instanceId,
-- contactId. Returns {contacts: [{instanceId, instanceName, contactId}]}, in the order of the instances.
-- Errors: MI031, MI035, MI071.
create or replace function public.list_person_contacts(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  named constant messaging.contacts := messaging.find_recipient(
    (request->>'instanceId')::uuid, request
  );
  contact_ids constant uuid[] := messaging.person_of(named);
begin
  return jsonb_build_object('contacts', (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('instanceId', i.id, 'instanceName', i.name, 'contactId', c.id)
        order by i.created_at, i.id, c.id
      ),
      '[]'
    )
    from messaging.contacts c
    join messaging.instances i on i.id = c.instance_id
    where c.id = any (contact_ids) and c.id <> named.id and c.merged_into is null
  ));
end;
$$;
