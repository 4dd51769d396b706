-- A file of a message or an upload. `request`: mediaId; instanceId, where the caller may read one
-- instance's files alone: a signed link names none.
-- Returns describe_media's object. Errors: MI051.
create or replace function public.get_media(request jsonb)
returns jsonb language sql set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_media(r) from messaging.media r
    where r.id = (request->>'mediaId')::uuid
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
  ), 'MI051', 'media_not_found');
$$;
