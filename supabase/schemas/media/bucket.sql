-- On the platform files are kept in Supabase Storage from here on.
do $$
begin
  perform messaging.create_media_bucket();
end;
$$;
