-- A file of a message or an upload. `request`: mediaId; instanceId, where the caller may read one
-- instance's files alone: a signed link names none.
-- Returns describe_media's object. Errors: MI051.
create or replace function public.get_media(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  found_media messaging.media;
begin
  select m.* into found_media from messaging.media m where m.id = (request->>'mediaId')::uuid;
  if found_media.id is null
    or found_media.instance_id is distinct from
      coalesce((request->>'instanceId')::uuid, found_media.instance_id) then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  end if;
  return messaging.describe_media(found_media);
end;
$$;
