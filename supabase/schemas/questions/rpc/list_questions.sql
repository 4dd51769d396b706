-- messages-api: the questions of an instance, oldest first, a page at a time. `request`: instanceId, limit, `after`
-- as returned in `next`, and filters, each NULL for any: status, contactId, key, batchId. Returns {items, next}.
-- Errors: MI014, MI027; MI031 and MI035 see find_recipient.
create or replace function public.list_questions(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  of_contact constant uuid := case
    when request->>'contactId' is not null
      then (messaging.find_recipient((request->>'instanceId')::uuid, request)).id
  end;
  of_batch constant uuid := case
    when request->>'batchId' is not null then (messaging.find_batch(request)).id
  end;
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', q.created_at, 'id', q.id, 'record', messaging.describe_question(q)
      )
      from messaging.questions q
      where q.instance_id = (request->>'instanceId')::uuid
        and (q.created_at, q.id) > (page.after_at, page.after_id)
        and (request->>'status' is null or q.status = request->>'status')
        and (of_contact is null or q.contact_id = of_contact)
        and (request->>'key' is null or q.key = request->>'key')
        and (of_batch is null or q.batch_id = of_batch)
      order by q.created_at, q.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
