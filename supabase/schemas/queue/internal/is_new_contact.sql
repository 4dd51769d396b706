-- Whether nothing was ever sent to a contact, and it never wrote.
create or replace function messaging.is_new_contact(contact_id uuid)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return not exists (
    select from messaging.contacts c
    where c.id = is_new_contact.contact_id and c.last_inbound_at is not null
  ) and not exists (
    select from messaging.contact_activity a
    where a.contact_id = is_new_contact.contact_id and a.last_message_at is not null
  ) and not exists (
    select from messaging.messages m
    where m.contact_id = is_new_contact.contact_id and m.sent_at is not null
  );
end;
$$;
