-- A template's components with the words that somebody has given it at the provider. `wording`: body, and
-- where they are told title, footer, buttons [{type, text, url, phone_number}]; NULL leaves all as it is.
-- Parts are added where the template lacked them. A media header keeps its file, and a button that the
-- notice tells at the same place and of the same kind keeps what the notice leaves out.
create or replace function messaging.reworded_components(components jsonb, wording jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  reworded jsonb := components;
  told record;
  part integer;
begin
  if coalesce(wording, 'null') = 'null' then
    return components;
  end if;
  for told in
    select * from (values
      ('HEADER', wording->>'title'), ('BODY', wording->>'body'), ('FOOTER', wording->>'footer')
    ) as t(type, words)
    where t.words is not null
  loop
    select (c.place - 1)::integer into part
    from jsonb_array_elements(reworded) with ordinality as c(value, place)
    where upper(c.value->>'type') = told.type
    limit 1;
    if part is null then
      reworded := reworded || jsonb_build_array(
        jsonb_build_object('type', told.type, 'text', told.words)
          || case when told.type = 'HEADER' then '{"format": "TEXT"}' else '{}' end::jsonb
      );
    elsif upper(coalesce(reworded->part->>'format', 'TEXT')) = 'TEXT' then
      reworded := jsonb_set(reworded, array[part::text, 'text'], to_jsonb(told.words));
    end if;
  end loop;
  if wording->'buttons' is null then
    return reworded;
  end if;
  select (c.place - 1)::integer into part
  from jsonb_array_elements(reworded) with ordinality as c(value, place)
  where upper(c.value->>'type') = 'BUTTONS'
  limit 1;
  if part is null then
    return reworded || jsonb_build_array(
      jsonb_build_object('type', 'BUTTONS', 'buttons', jsonb_strip_nulls(wording->'buttons'))
    );
  end if;
  return jsonb_set(reworded, array[part::text, 'buttons'], (
    select jsonb_agg(
      case when former.button->>'type' = new.button->>'type' then former.button else '{}' end
        || jsonb_strip_nulls(new.button)
      order by new.place
    )
    from jsonb_array_elements(wording->'buttons') with ordinality as new(button, place)
    cross join lateral (
      select coalesce(reworded->part->'buttons'->(new.place - 1)::integer, '{}')
        as button
    ) as former
  ));
end;
$$;
