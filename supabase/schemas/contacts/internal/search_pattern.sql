-- The regular expression for what `q` asks for in folded words; every character is itself. One or two
-- characters are looked for where a word begins (see search_keys), more of them anywhere.
create or replace function messaging.search_pattern(folded text)
returns text
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select case when char_length(folded) < 3 and folded ~ '^[0-9a-z]' then '(^|[^0-9a-z])' else '' end
    || regexp_replace(folded, '([\\.^$*+?()|{}\[\]-])', '\\\1', 'g');
$$;
