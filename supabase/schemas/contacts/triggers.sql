-- Built after the functions that they execute.
create trigger contacts_recall_denial
before insert on messaging.contacts
for each row
execute function messaging.recall_denial();
create trigger contacts_add_activity
after insert on messaging.contacts
referencing new table as new_contacts
for each statement
execute function messaging.add_contact_activity();
create trigger contacts_follow_search
after update on messaging.contacts
for each row
when
  (
    (old.name, old.email, old.company, old.phone) is distinct from (
      new.name,
      new.email,
      new.company,
      new.phone
    )
  )
execute function messaging.follow_contact_search();
create trigger messages_follow_merge
before update on messaging.messages
for each row
when
  -- What waits or is being sent has moved with the merge itself.
  (old.status not in ('queued', 'sending'))
execute function messaging.follow_merge();
