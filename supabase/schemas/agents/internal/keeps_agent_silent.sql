-- Whether something about the contact keeps every agent from answering it: it is blocked, a pause lasts, or
-- another responder of the number holds the conversation.
create or replace function messaging.keeps_agent_silent(
  contact messaging.contacts, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return contact.is_blocked or exists (
    select from messaging.agent_pauses p
    where p.contact_id = contact.id and p.paused_until > clock
  ) or exists (
    select from messaging.conversations c
    where c.contact_id = contact.id and c.handled_by <> 'us'
  );
end;
$$;
