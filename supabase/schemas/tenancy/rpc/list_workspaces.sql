-- admin-api: workspaces, oldest first, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_workspaces(request jsonb)
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
      'record', messaging.describe_workspace(r))
    from messaging.workspaces r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;
