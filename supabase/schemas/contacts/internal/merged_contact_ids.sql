-- The ids under which the messages of a contact are: its own, and those of contacts that were merged into
-- it and have messages that still move (see move_merged_messages).
create or replace function messaging.merged_contact_ids(contact_id uuid)
returns uuid[] language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return array(
    select merged_contact_ids.contact_id
    union all
    select c.id from messaging.contacts c where c.merged_into = merged_contact_ids.contact_id
  );
end;
$$;
