-- admin-api: whether a row comes after the place where the last page ended. `place`: {createdAt, id}
-- as page_of_records returns it, NULL for the beginning.
create or replace function public.is_after(created_at timestamptz, id uuid, place jsonb)
returns boolean
language sql
stable parallel safe
set search_path = ''
as $$
  select nullif(place, 'null') is null
    or (is_after.created_at, is_after.id) > ((place->>'createdAt')::timestamptz, (place->>'id')::uuid);
$$;
revoke all on function public.is_after(timestamptz, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.is_after(timestamptz, uuid, jsonb) to service_role;
