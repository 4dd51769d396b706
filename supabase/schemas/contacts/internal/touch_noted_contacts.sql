-- Touches the contacts that this transaction has noted (see note_contact and record_message_change), and writes
-- what their last messages are. Before that, tells the persons that it has noted (see note_person). The last step
-- of an RPC that locks anything.
-- `messaging.sent_contacts` holds `contact@instant,` for each message that was sent now, which is the contact's
-- last one. Of a contact that is noted otherwise too the messages are read anew.
create or replace function messaging.touch_noted_contacts()
returns void
language plpgsql
set search_path = ''
as $$
declare
  sent constant text := coalesce(current_setting('messaging.sent_contacts', true), '');
  sent_at timestamptz;
  noted text;
  touched messaging.contact_activity[];
begin
  if current_setting('messaging.noted_persons', true) <> '' then
    perform messaging.tell_noted_persons();
  end if;
  noted := coalesce(current_setting('messaging.noted_contacts', true), '');
  if sent <> '' then
    perform set_config('messaging.sent_contacts', '', true);
    if noted = '' and strpos(sent, ',') = length(sent) then
      sent_at := split_part(rtrim(sent, ','), '@', 2);
      update messaging.contact_activity a
      set updated_at = greatest(a.updated_at, messaging.change_instant(a.instance_id)),
        last_message_at = greatest(a.last_message_at, sent_at),
        awaits_reply = messaging.awaits_reply_after(a.awaits_reply, a.last_message_at, sent_at)
      where a.contact_id = split_part(sent, '@', 1)::uuid and a.merged_into is null;
      if found then
        return;
      end if;
    end if;
    if noted = '' then
      perform messaging.touch_contacts(
        array_agg(split_part(s, '@', 1)::uuid), array_agg(split_part(s, '@', 2)::timestamptz)
      )
      from string_to_table(rtrim(sent, ','), ',') as s;
      return;
    end if;
    noted := noted || regexp_replace(sent, '@[^,]*,', ' ', 'g');
  end if;
  if noted = '' then
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
