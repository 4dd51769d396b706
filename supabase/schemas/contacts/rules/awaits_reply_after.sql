-- Whether a contact still awaits a reply (see contact_activity) once a message was sent to it at `sent_at`;
-- NULL for none. `last_message_at`: of the message before, sent or received.
create or replace function messaging.awaits_reply_after(
  awaits_reply boolean, last_message_at timestamptz, sent_at timestamptz
) returns boolean language sql immutable
return awaits_reply and coalesce(last_message_at > sent_at, sent_at is null);
