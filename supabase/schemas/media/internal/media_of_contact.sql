-- The files that belong to one contact alone: those that came from it, and those that were sent to it and
-- to nobody else, by no batch and no message with a ladder
-- that may still send them. For forget_media, before the contact's messages are deleted.
create or replace function messaging.media_of_contact(contact_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  of_contacts constant uuid[] := messaging.merged_contact_ids(contact_id);
begin
  return array(
    select m.id from messaging.media m where m.contact_id = any (of_contacts)
    union
    select own.media_id
    from messaging.messages own
    where own.contact_id = any (of_contacts) and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id
          and other.contact_id <> all (of_contacts)
      )
      and not messaging.is_file_of_batch(own.instance_id, own.media_id)
      and not messaging.is_held_file(own.media_id)
  );
end;
$$;
