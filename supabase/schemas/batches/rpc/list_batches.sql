-- batches-api: the batches of an instance, oldest first, a page at a time. `request`: instanceId, limit,
-- status (NULL for any), `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_batches(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  -- For what the batches have cost.
  perform messaging.settle_usage_notes((request->>'instanceId')::uuid);
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', b.created_at, 'id', b.id, 'record', messaging.describe_batch(b)
      )
      from messaging.batches b
      where b.instance_id = (request->>'instanceId')::uuid
        and (b.created_at, b.id) > (page.after_at, page.after_id)
        and (request->>'status' is null or b.status = request->>'status')
      order by b.created_at, b.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
