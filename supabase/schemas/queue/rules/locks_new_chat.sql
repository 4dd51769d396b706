-- Whether WhatsApp's lock on new chats keeps a message from its contact now: nothing was ever sent to the contact, and
-- it never wrote. `locked_until` is the dispatch row's new_chats_locked_until.
create or replace function messaging.locks_new_chat(
  locked_until timestamptz, contact_id uuid, clock timestamptz
) returns boolean language sql stable
return locked_until > clock and messaging.is_new_contact(contact_id);
