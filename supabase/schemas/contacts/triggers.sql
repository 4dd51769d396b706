-- Built after the functions that they execute.
create trigger contacts_add_activity
after insert on messaging.contacts
referencing new table as new_contacts
for each statement
execute function messaging.add_contact_activity();
