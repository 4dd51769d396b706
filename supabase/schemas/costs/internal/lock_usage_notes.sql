-- One transaction at a time takes usage_notes, so that none counts a free service message that another one
-- counts. Waits for as long as fold_usage takes, which itself waits for no message.
create or replace function messaging.lock_usage_notes()
returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended('usage notes', 0));
$$;
