-- Moves messages of a contact that was merged to the one that it is now: see message_after_merge. The caller holds
-- them. Records no event: the merge has been recorded.
create or replace function messaging.move_messages(message_ids uuid[])
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set (contact_id, conversation_id, phone_given) = (
    select moved.contact_id, moved.conversation_id, moved.phone_given
    from messaging.message_after_merge(m) as moved
  )
  where m.id = any (message_ids);
end;
$$;
