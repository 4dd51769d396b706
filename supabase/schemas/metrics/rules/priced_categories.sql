-- The categories of the official channel that have a series of their own for their cost.
create or replace function messaging.priced_categories()
returns text[] language sql immutable
return array['marketing', 'utility', 'authentication', 'service'];
