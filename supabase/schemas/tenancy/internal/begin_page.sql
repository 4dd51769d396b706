-- admin-api: what a request for a page asks for. `request`: limit, `after` {createdAt, id} as returned
-- in `next` (NULL for the first page), workspaceId and instanceId where the page is narrowed to them.
-- Returns the size, and the place after which the page begins: a page is the rows of a
-- greater (created_at, id), in that order, one more than `size` of them (see build_page).
-- Errors: MI013, MI014.
create or replace function messaging.begin_page(
  request jsonb, out size integer, out after_at timestamptz, out after_id uuid
) language plpgsql stable set search_path = '' as $$
begin
  if request->>'workspaceId' is not null then
    perform messaging.find_workspace((request->>'workspaceId')::uuid);
  end if;
  if request->>'instanceId' is not null then
    perform messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  size := (request->>'limit')::integer;
  after_at := coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity');
  after_id := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
end;
$$;
