-- messages-api: the payments of an instance, oldest first, a page at a time. `request`: instanceId, limit, `after` as
-- returned in `next`, and filters, each NULL for any: status, reference, contactId (the id of a merged contact finds
-- the survivor's), since and until (of the request, both included). Returns {items, next}. Errors: MI014; MI035.
create or replace function public.list_payments(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  of_contact constant uuid := case
    when request->>'contactId' is not null
      then (messaging.find_contact_by_id(
        (request->>'instanceId')::uuid, (request->>'contactId')::uuid
      )).id
  end;
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', p.created_at, 'id', p.message_id, 'record', messaging.describe_payment(p)
      )
      from messaging.payments p
      where p.instance_id = (request->>'instanceId')::uuid
        and (p.created_at, p.message_id) > (page.after_at, page.after_id)
        and (request->>'status' is null or p.status = request->>'status')
        and (request->>'reference' is null or p.reference = request->>'reference')
        and (request->>'contactId' is null or p.contact_id = of_contact)
        and (request->>'since' is null or p.created_at >= (request->>'since')::timestamptz)
        and (
          request->>'until' is null
          or p.created_at < (request->>'until')::timestamptz + interval '1 millisecond'
        )
      order by p.created_at, p.message_id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
