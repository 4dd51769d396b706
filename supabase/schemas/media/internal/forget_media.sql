-- Deletes files with everything that is known of them: the rows at once, the files by the outbox, within
-- seconds; those that are being fetched when that has ended. Returns how many it deleted.
-- The caller deletes the messages that name them, or has deleted them.
create or replace function messaging.forget_media(media_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
declare
  former record;
  forgotten integer := 0;
begin
  for former in
    with deleted as (
      delete from messaging.media m
      where m.id = any (media_ids)
      returning m.instance_id, m.storage_path, m.status = 'pending' as may_be_coming
    )
    select d.instance_id, d.may_be_coming, array_agg(d.storage_path) as paths, count(*) as files
    from deleted d
    group by d.instance_id, d.may_be_coming
  loop
    perform messaging.delete_media_files(former.instance_id, former.paths, former.may_be_coming);
    forgotten := forgotten + former.files;
  end loop;
  return forgotten;
end;
$$;
