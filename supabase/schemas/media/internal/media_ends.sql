-- Lets files go when their time is over: see expire_media. Returns how many it changed.
create or replace function messaging.expire_old_media(media_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
begin
  return messaging.expire_media(
    media_ids,
    '{"code": "retention", "message": "The file is past the retention time."}'
  );
end;
$$;

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

-- Promises to delete files from the storage: outbox rows, 100 files each. A file that may still be
-- fetched (`may_be_coming`) is deleted when that has ended for certain: it may take two minutes.
create or replace function messaging.delete_media_files(
  instance_id uuid, paths text[], may_be_coming boolean
) returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload, run_at)
  select i.workspace_id, 'media_delete',
    jsonb_build_object('instanceId', i.id, 'paths', to_jsonb(portion.paths)),
    clock_timestamp() + case when may_be_coming then interval '5 minutes' else interval '0' end
  from (
    select array_agg(p.path order by p.place) as paths
    from unnest(delete_media_files.paths) with ordinality as p(path, place)
    where p.path is not null
    group by (p.place - 1) / 100
  ) as portion
  join messaging.instances i on i.id = delete_media_files.instance_id;
end;
$$;
