-- Trigger: a message that changes is of the contact that its contact is now, before move_merged_messages
-- comes to it: what follows from the change is told of that one.
create or replace function messaging.follow_merge()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  return messaging.message_after_merge(new);
end;
$$;
