-- Touches the contacts that this transaction has noted (see note_contact), and reads anew what their
-- last messages are. The last step of an RPC that locks anything.
create or replace function messaging.touch_noted_contacts()
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := current_setting('messaging.noted_contacts', true);
  contact_ids uuid[];
begin
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.noted_contacts', '', true);
  contact_ids := string_to_array(rtrim(noted), ' ')::uuid[];
  perform messaging.touch_contacts(contact_ids);
  -- A later statement than the one that locked: it sees what others have recorded of these contacts.
  perform messaging.read_last_messages(contact_ids);
end;
$$;
revoke all on function messaging.touch_noted_contacts() from public, anon, authenticated;
grant execute on function messaging.touch_noted_contacts() to service_role;
