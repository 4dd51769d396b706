-- admin-api: departments, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_departments(request jsonb)
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
      'record', messaging.describe_department(r))
    from messaging.departments r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;
