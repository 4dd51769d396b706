-- Lets files go: each stays as `expired`, without its file, its source and its words, so that its messages
-- say what was there. `reason`: {code, message}. Files that are gone already stay as they are.
-- Returns how many it changed.
create or replace function messaging.expire_media(media_ids uuid[], reason jsonb)
returns integer language plpgsql set search_path = '' as $$
declare
  former record;
  expired integer := 0;
begin
  for former in
    with locked as (
      select m.id, m.instance_id, m.storage_path, m.status = 'pending' as may_be_coming
      from messaging.media m
      where m.id = any (media_ids) and m.status in ('pending', 'stored')
      order by m.id
      for no key update
    ),
    changed as (
      update messaging.media m
      set status = 'expired', storage_path = null, source = null, filename = null,
        transcript = null, provider_upload_id = null, provider_uploaded_at = null,
        last_error = reason
      from locked
      where m.id = any (array[locked.id])
      returning m.id
    )
    select l.instance_id, l.may_be_coming, array_agg(l.storage_path) as paths, count(*) as files
    from locked l
    join changed c on c.id = l.id
    group by l.instance_id, l.may_be_coming
  loop
    perform messaging.delete_media_files(former.instance_id, former.paths, former.may_be_coming);
    expired := expired + former.files;
  end loop;
  return expired;
end;
$$;
