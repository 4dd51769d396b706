-- The categories of the official channel whose cost has a series of its own.
create or replace function messaging.priced_categories()
returns text[]
language sql
immutable
return array['marketing', 'utility', 'authentication', 'service'];
