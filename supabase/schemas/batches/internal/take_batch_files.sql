-- add_recipients: takes the files that a batch's messages name (see take_media), so that they stay for as long as
-- somebody may get them: that of its message, and those of the templates in `entries` (see add_recipients), by
-- themselves or in a ladder. Returns their ids. Locks the files in the order of their ids.
-- Errors: MI051 to MI054.
create or replace function messaging.take_batch_files(
  instance_id uuid, batch_id uuid, entries jsonb
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  file_ids constant uuid[] := array(
    select distinct named.id::uuid
    from (
      select b.source->'message'->>'mediaId' as id
      from messaging.batches b
      where b.id = take_batch_files.batch_id
      union all
      select e->'draft'->>'mediaId' from jsonb_array_elements(entries) as e
      union all
      select f.id::text
      from jsonb_array_elements(entries) as e
      cross join unnest(messaging.ladder_files(e->'draft'->'ladder')) as f(id)
      where e->'draft' ? 'ladder'
    ) as named
    where named.id is not null
    order by 1
  );
  file_id uuid;
begin
  foreach file_id in array file_ids loop
    perform messaging.take_media(take_batch_files.instance_id, file_id);
  end loop;
  return file_ids;
end;
$$;
