-- admin-api: agents, oldest first, a page at a time.
-- `request`: instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_ai_agents(request jsonb)
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
      'record', messaging.describe_ai_agent(r))
    from messaging.ai_agents r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;
