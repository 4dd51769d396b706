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
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'instanceId' is not null then
    perform messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, messaging.describe_ai_agent(r) as record
    from messaging.ai_agents r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return messaging.build_page(records, page_size);
end;
$$;
revoke all on function public.list_ai_agents(jsonb) from public, anon, authenticated;
grant execute on function public.list_ai_agents(jsonb) to service_role;
