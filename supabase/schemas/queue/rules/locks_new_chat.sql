-- Whether WhatsApp's lock on new chats keeps a message from its contact now: it never wrote, and nothing was
-- ever sent to it but what that lock has refused. `locked_until` is the dispatch row's
-- new_chats_locked_until.
create or replace function messaging.locks_new_chat(
  locked_until timestamptz, contact_id uuid, clock timestamptz
) returns boolean language sql stable
return locked_until > clock
and (messaging.is_new_contact(contact_id) or messaging.is_refused_as_new(contact_id));

-- locks_new_chat: whether a contact never wrote, and all that was ever sent to it has failed, at least once because
-- of this lock. A gateway may tell so only later: such a message has left, and counts for is_new_contact.
create or replace function messaging.is_refused_as_new(contact_id uuid)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return not exists (
    select from messaging.contacts c
    where c.id = is_refused_as_new.contact_id and c.last_inbound_at is not null
  ) and not exists (
    select from messaging.messages m
    where m.contact_id = is_refused_as_new.contact_id and m.sent_at is not null
      and m.status <> 'failed'
  ) and exists (
    select from messaging.messages m
    where m.contact_id = is_refused_as_new.contact_id
      and m.last_error->>'meaning' = 'new_chat_locked'
  );
end;
$$;
