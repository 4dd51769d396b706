-- The files that only these messages name, and no batch and no message
-- with a ladder that may still send them. For forget_media, before the messages are deleted.
create or replace function messaging.media_of_messages(message_ids uuid[])
returns uuid[] language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return array(
    select distinct own.media_id
    from messaging.messages own
    where own.id = any (message_ids) and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id and other.id <> all (message_ids)
      )
      and not messaging.is_file_of_batch(own.instance_id, own.media_id)
      and not messaging.is_held_file(own.media_id)
  );
end;
$$;

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
