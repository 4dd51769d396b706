-- admin-api: what was promised to be done after a request, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, status or NULL for any, limit,
-- `after` as returned in `next`. Returns {items, next}. Error: MI013.
create or replace function public.list_outbox(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_outbox_row(r))
    from messaging.outbox r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      and (request->>'status' is null or r.status = request->>'status')
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;
