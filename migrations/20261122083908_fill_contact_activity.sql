-- Rows for the contacts that are older than the trigger of the migration before. Inserts only, and locks
-- no row of contacts: about 20 seconds for 1,000,000 contacts, while messages go on.
set local statement_timeout = 0;
select messaging.fill_contact_activity(null);
