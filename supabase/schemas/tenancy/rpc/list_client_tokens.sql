-- admin-api: the tokens of an instance, revoked and expired ones too, oldest first,
-- a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_client_tokens(request jsonb)
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
  perform messaging.find_instance((request->>'instanceId')::uuid);
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, messaging.describe_client_token(r) as record
    from messaging.client_tokens r
    where (r.created_at, r.id) > (after_at, after_id)
      and r.instance_id = (request->>'instanceId')::uuid
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return messaging.build_page(records, page_size);
end;
$$;
revoke all on function public.list_client_tokens(jsonb) from public, anon, authenticated;
grant execute on function public.list_client_tokens(jsonb) to service_role;
