-- A regular expression that finds any of these texts where it stands alone:
-- a number that is part of a longer one is another person's.
create or replace function messaging.marks_pattern(marks text[])
returns text language sql immutable parallel safe set search_path = '' as $$
  select '(^|[^0-9A-Za-z])(' || string_agg(regexp_replace(mark.text, '([^0-9A-Za-z])', '\\\1', 'g'), '|')
    || ')($|[^0-9A-Za-z])'
  from unnest(marks) as mark(text);
$$;
