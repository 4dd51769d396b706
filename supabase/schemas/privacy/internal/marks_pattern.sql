-- A regular expression that finds any of these texts (letters, digits, `.`, `-`) where it stands alone:
-- a number that is part of a longer one is another person's.
create or replace function messaging.marks_pattern(marks text[])
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select '(^|[^0-9A-Za-z])(' || replace(array_to_string(marks, '|'), '.', '\.') || ')($|[^0-9A-Za-z])'
  where marks <> '{}';
$$;
revoke all on function messaging.marks_pattern(text[]) from public, anon, authenticated;
grant execute on function messaging.marks_pattern(text[]) to service_role;
