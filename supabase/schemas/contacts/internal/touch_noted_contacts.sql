-- Touches the contacts that this transaction has noted (see note_contact), and reads anew what their
-- last messages are. Before that, tells the persons that it has noted (see note_person). The last step of an RPC that locks anything.
create or replace function messaging.touch_noted_contacts()
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted text;
  touched messaging.contact_activity[];
begin
  if current_setting('messaging.noted_persons', true) <> '' then
    perform messaging.tell_noted_persons();
  end if;
  noted := current_setting('messaging.noted_contacts', true);
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.noted_contacts', '', true);
  touched := array(
    select t from messaging.touch_contacts(string_to_array(rtrim(noted), ' ')::uuid[]) as t
  );
  -- A later statement than the one that locked: it sees what others have recorded of these contacts.
  perform messaging.read_last_messages(touched);
end;
$$;
