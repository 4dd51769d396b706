-- Notes that this transaction has changed what reading a contact or its conversation shows.
-- The rows of contact_activity are locked last, and all in one order, so a step in the middle of a
-- transaction only notes its contact. Each RPC with such steps ends with touch_noted_contacts.
-- The note is a setting of the transaction: it goes with it, and with a savepoint that is rolled back.
create or replace function messaging.note_contact(contact_id uuid)
returns void language plpgsql set search_path = '' as $$
declare
  noted constant text := coalesce(current_setting('messaging.noted_contacts', true), '');
begin
  if strpos(noted, contact_id::text) = 0 then
    perform set_config('messaging.noted_contacts', noted || contact_id || ' ', true);
  end if;
end;
$$;
