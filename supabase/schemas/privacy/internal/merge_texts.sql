-- The texts of both lists, each once.
create or replace function messaging.merge_texts(texts jsonb, more text[])
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select coalesce(jsonb_agg(distinct t.text), '[]')
  from (
    select jsonb_array_elements_text(texts) as text
    union all
    select unnest(more)
  ) as t
  where t.text is not null;
$$;
