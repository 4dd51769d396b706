-- Merges changes into labels, key by key. A NULL value removes its key; a JSON null in place of the
-- changes removes all labels; SQL NULL changes nothing.
create or replace function messaging.merge_labels(labels jsonb, changes jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when changes is null then labels
    when changes = 'null' then '{}'
    else (
      select coalesce(jsonb_object_agg(l.key, l.value), '{}')
      from jsonb_each(labels || changes) as l
      where l.value <> 'null'
    )
  end;
$$;
