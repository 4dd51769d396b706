-- contacts-api: contacts of an instance, a page at a time.
-- `request`: instanceId, limit, `after` {createdAt, id} as returned in `next`, and any of the filters
-- phone, contactId or userId (one of them), tag, q, assignedTo (operator's UUID or e-mail), consent,
-- updatedSince (inclusive), referral (whether an ad or post brought it). An unknown phone, userId or tag has no contacts.
-- Returns {items, next}: items see describe_contacts; a page may be short, see list_contact_ids. Errors: MI001; MI031 and MI035 see find_recipient.
create or replace function public.list_contacts(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  filters jsonb := jsonb_strip_nulls(jsonb_build_object(
    'q', nullif(request->>'q', ''), 'consent', request->>'consent',
    'updatedSince', request->>'updatedSince', 'referral', request->>'referral'
  ));
  tag_id uuid;
  contact_id uuid;
  page jsonb;
  items jsonb;
begin
  if request->>'assignedTo' is not null then
    filters := filters || jsonb_build_object(
      'assignedTo', (messaging.find_operator(instance.workspace_id, request->>'assignedTo')).id
    );
  end if;
  if request->>'tag' is not null then
    select t.id into tag_id from messaging.tags t
    where t.instance_id = instance.id and lower(t.name) = lower(request->>'tag');
    filters := filters || jsonb_build_object('tagId', tag_id);
  end if;
  if coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null then
    contact_id := (messaging.find_recipient(instance.id, request)).id;
    filters := filters || jsonb_build_object('contactId', contact_id);
  end if;
  if filters @? '$.* ? (@ == null)' then
    return jsonb_build_object('items', jsonb '[]', 'next', null);
  end if;
  page := messaging.list_contact_ids(
    instance.id, filters,
    coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity'),
    coalesce((request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'),
    (request->>'limit')::integer
  );
  items := messaging.describe_contacts(
    instance, array(select f.id::uuid from jsonb_array_elements_text(page->'ids') as f(id))
  );
  -- A contact may have changed since the page was read. Its newer instant would lead a reader past the
  -- changes of transactions under way, so it is told by the instant that was read, and comes again.
  if filters ? 'updatedSince' then
    select coalesce(jsonb_agg(
      i.item || jsonb_build_object('updatedAt', messaging.iso_in_zone(
        (page->'instants'->>(i.item->>'contactId'))::timestamptz, instance.time_zone
      ))
      order by i.place
    ), '[]') into items
    from jsonb_array_elements(items) with ordinality as i(item, place);
  end if;
  return jsonb_build_object('items', items, 'next', page->'next');
end;
$$;
