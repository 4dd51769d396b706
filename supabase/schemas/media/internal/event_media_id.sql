-- The id under which the file of a message event is kept; NULL for none. `file` as read_event_file gives it.
create or replace function messaging.event_media_id(file jsonb)
returns uuid language plpgsql volatile parallel safe set search_path = '' as $$
begin
  if file is null then
    return null;
  end if;
  return coalesce((file->'stored'->>'mediaId')::uuid, gen_random_uuid());
end;
$$;
