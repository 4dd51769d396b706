-- messages-api: the questions of an instance, oldest first, a page at a time. `request`: instanceId, limit, `after`
-- as returned in `next`, and filters, each NULL for any: status, contactId, key, batchId. Returns {items, next}.
-- Reads by the narrowest filter that is given. Errors: MI014.
create or replace function public.list_questions(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
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
        and (request->>'contactId' is null or q.contact_id = (request->>'contactId')::uuid)
        and (request->>'key' is null or q.key = request->>'key')
        and (request->>'batchId' is null or q.batch_id = (request->>'batchId')::uuid)
      order by q.created_at, q.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
