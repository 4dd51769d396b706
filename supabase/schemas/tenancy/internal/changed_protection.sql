-- An instance's protection after a change: what is given replaces what is set, member by member; a null
-- member removes it, and null the whole. NULL where nothing remains.
create or replace function messaging.changed_protection(protection jsonb, changes jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when jsonb_typeof(changes) = 'object'
      then nullif(jsonb_strip_nulls(coalesce(protection, '{}') || changes), '{}')
  end;
$$;
