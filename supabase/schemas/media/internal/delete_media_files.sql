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
