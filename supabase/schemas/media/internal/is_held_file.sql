-- Whether a message that waits may still send this file, by a template of its ladder: see hold_ladder_files.
create or replace function messaging.is_held_file(media_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from messaging.media m
    where m.id = is_held_file.media_id and m.held_until > clock_timestamp()
  );
end;
$$;
