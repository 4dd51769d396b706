-- The first steps of an erasure: what waits to be sent, then as much as a call should do. The rest is
-- run_erasures'. Returns the erasure after them, stored. The caller holds the erasure, the person's addresses
-- and the contact.
create or replace function messaging.begin_erasing(
  erasure messaging.erasures, contact messaging.contacts, max_rows integer
) returns messaging.erasures language plpgsql set search_path = '' as $$
begin
  perform from messaging.conversations c where c.contact_id = contact.id for update;
  perform messaging.end_questions_of_contact(contact.id, 'erased');
  erasure := messaging.add_erased(erasure, messaging.erase_messages(contact, max_rows, true));
  for step in 1..8 loop
    erasure := messaging.continue_erasure(erasure, max_rows);
    exit when erasure.status = 'done' or nullif(erasure.work->'after', 'null') is not null
      or step = 1 and erasure.work->>'part' = 'rows';
  end loop;
  if erasure.work->>'part' = 'rows' then
    perform messaging.bury_contacts(contact.instance_id, array[contact.id]);
  end if;
  return erasure;
end;
$$;
