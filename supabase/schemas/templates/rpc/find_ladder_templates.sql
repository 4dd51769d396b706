-- What a call with outsideWindow needs before its templates can be filled. `request`: instanceId, templates
-- ({templateId} or {template {name, language}} each, see find_sendable_template; templateIds of functions of
-- 1.1.0), and phone | contactId | userId, or none of them. Returns {templates, contact}: the templates in the
-- order asked, NULL for one that the instance's workspace does not have; NULL contact for one that the instance
-- does not know. Writes nothing. Error: MI065.
create or replace function public.find_ladder_templates(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance messaging.instances;
  contact messaging.contacts;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := case
    when coalesce(request->>'contactId', request->>'phone', request->>'userId') is null then null
    when request->>'contactId' is null then messaging.find_recipient(instance.id, request)
    -- Where the id is unknown, the faults of the templates come first.
    else messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)
  end;
  return jsonb_build_object(
    'templates', (
      select jsonb_agg(
        case when known.id is not null then messaging.describe_message_template(known) end
        order by named.place
      )
      from (
        select template, place
        from jsonb_array_elements(request->'templates') with ordinality as asked(template, place)
        union all
        select jsonb_build_object('templateId', id), place
        from jsonb_array_elements(request->'templateIds') with ordinality as asked(id, place)
      ) as named
      cross join lateral messaging.find_sendable_template(instance, named.template) as known
    ),
    'contact', case when contact.id is not null then
      jsonb_build_object('name', contact.name, 'phone', messaging.contact_display_phone(contact))
    end
  );
end;
$$;
