-- Rows for the contacts that are older than the trigger of the migration before. Inserts only, and locks
-- no contact against messages: some minutes for 1,000,000 contacts, while messages go on.
set local statement_timeout = 0;
select messaging.fill_contact_search();
