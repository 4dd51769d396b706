set local check_function_bodies = off;

-- Whether a batch that may still send it names this file.
create or replace function messaging.is_file_of_batch(instance_id uuid, media_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from messaging.batches b
    where b.instance_id = is_file_of_batch.instance_id
      and b.status in ('draft', 'running', 'paused')
      and b.source->'message'->>'mediaId' = is_file_of_batch.media_id::text
  );
end;
$$;
revoke all on function messaging.is_file_of_batch(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.is_file_of_batch(uuid, uuid) to service_role;

-- The files that belong to one contact alone: those that came from it, and those that were sent to it and
-- to nobody else, by no batch either that may still send them. For forget_media, before the contact's messages are deleted.
create or replace function messaging.media_of_contact(contact_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return array(
    select m.id from messaging.media m where m.contact_id = media_of_contact.contact_id
    union
    select own.media_id
    from messaging.messages own
    where own.contact_id = media_of_contact.contact_id and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id
          and other.contact_id <> media_of_contact.contact_id
      )
      and not messaging.is_file_of_batch(own.instance_id, own.media_id)
  );
end;
$$;
revoke all on function messaging.media_of_contact(uuid) from public, anon, authenticated;
grant execute on function messaging.media_of_contact(uuid) to service_role;

-- The files that only these messages name, and no batch that may still send them. For forget_media, before the messages are deleted.
create or replace function messaging.media_of_messages(message_ids uuid[])
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
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
  );
end;
$$;
revoke all on function messaging.media_of_messages(uuid[]) from public, anon, authenticated;
grant execute on function messaging.media_of_messages(uuid[]) to service_role;
