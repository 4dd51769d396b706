-- Whether a batch that may still send it names this file: as its message's, or in a recipient's header or ladder.
create or replace function messaging.is_file_of_batch(instance_id uuid, media_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from messaging.batches b
    where b.instance_id = is_file_of_batch.instance_id
      and b.status in ('draft', 'running', 'paused')
      and (
        is_file_of_batch.media_id = any (b.file_ids)
        -- A batch from before it kept file_ids.
        or b.source->'message'->>'mediaId' = is_file_of_batch.media_id::text
      )
  );
end;
$$;
