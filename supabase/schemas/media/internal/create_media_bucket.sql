-- Makes the private bucket for files where Supabase Storage is part of the database; a bucket that is
-- there already becomes private. Elsewhere it does nothing: the local stack keeps files in a folder.
-- Returns whether there is one. 100 MB is the longest file that a channel takes.
create or replace function messaging.create_media_bucket()
returns boolean language plpgsql set search_path = '' as $$
begin
  if to_regclass('storage.buckets') is null then
    return false;
  end if;
  -- As text: a database without Storage can hold this function too.
  execute $bucket$
    insert into storage.buckets (id, name, public, file_size_limit)
    values ('messaging-media', 'messaging-media', false, 104857600)
    on conflict (id) do update set public = false, file_size_limit = excluded.file_size_limit
  $bucket$;
  return true;
end;
$$;
