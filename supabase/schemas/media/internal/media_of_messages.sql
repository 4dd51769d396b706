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
