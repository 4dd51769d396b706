-- events-api: the endpoints of an instance, oldest first, a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_event_endpoints(request jsonb)
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
      'record', messaging.describe_event_endpoint(r))
    from messaging.event_endpoints r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and r.instance_id = (request->>'instanceId')::uuid and r.deleted_at is null
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;
