-- batches-api: the batches of an instance, oldest first, or with order `desc` newest first, a page at a time.
-- `request`: instanceId, limit, order, status (NULL for any), `after` as returned in `next`. Returns
-- {items, next}.
create or replace function public.list_batches(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  is_backward constant boolean := coalesce(request->>'order' = 'desc', false);
  is_first constant boolean := request->>'after' is null;
begin
  -- For what the batches have cost.
  perform messaging.settle_usage_notes((request->>'instanceId')::uuid);
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', (listed.batch).created_at, 'id', (listed.batch).id,
        'record', messaging.describe_batch(listed.batch)
      )
      from (
        (
          select b
          from messaging.batches b
          where not is_backward
            and b.instance_id = (request->>'instanceId')::uuid
            and (b.created_at, b.id) > (page.after_at, page.after_id)
            and (request->>'status' is null or b.status = request->>'status')
          order by b.created_at, b.id
          limit page.size + 1
        )
        union all
        (
          select b
          from messaging.batches b
          where is_backward
            and b.instance_id = (request->>'instanceId')::uuid
            and (is_first or (b.created_at, b.id) < (page.after_at, page.after_id))
            and (request->>'status' is null or b.status = request->>'status')
          order by b.created_at desc, b.id desc
          limit page.size + 1
        )
      ) as listed(batch)
    ),
    page.size
  );
end;
$$;
