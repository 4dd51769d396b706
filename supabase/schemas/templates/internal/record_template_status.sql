-- Records what the official channel has decided about a template of the instance, or of its workspace alone.
-- `event`: providerTemplateId and, each where it is reported, status, reason, disablesAt, quality, category,
-- wording (see reworded_components). Returns whether there is such a template. Records an event of each
-- with another status, planned end, quality or category than before.
create or replace function messaging.record_template_status(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  former messaging.message_templates;
  template messaging.message_templates;
  is_known boolean := false;
  changed uuid[];
begin
  for former in
    select t.* from messaging.find_told_templates(instance_id, event->>'providerTemplateId') t
  loop
    is_known := true;
    update messaging.message_templates t
    set provider_status = coalesce(event->>'status', t.provider_status),
      status_reason = case
        when event->>'status' is null then coalesce(event->>'reason', t.status_reason)
        else event->>'reason'
      end,
      disables_at = case
        when event->>'status' is null then coalesce((event->>'disablesAt')::timestamptz, t.disables_at)
        else (event->>'disablesAt')::timestamptz
      end,
      quality = coalesce(event->>'quality', t.quality),
      category = coalesce(event->>'category', t.category),
      category_changes_to = case when event->>'category' is null then t.category_changes_to end,
      category_changes_at = case when event->>'category' is null then t.category_changes_at end,
      components = messaging.reworded_components(t.components, event->'wording'),
      updated_at = clock,
      defined_at = case when event->'wording' is null then t.defined_at else clock end
    where t.id = former.id
    returning t.* into template;
    if (template.provider_status, template.disables_at, template.quality, template.category)
      is distinct from (former.provider_status, former.disables_at, former.quality, former.category)
    then
      changed := changed || template.id;
    end if;
  end loop;
  perform messaging.record_template_changes(changed);
  return is_known;
end;
$$;

-- A template's components with the words that somebody has given it at the provider. `wording`: body, and
-- where the template has them title, footer, buttons [{type, text, url, phone_number}]; NULL leaves all as it
-- is. The notice tells every text header, every footer, and the buttons where one of them opens a page or
-- calls a number (Meta's page of message_template_components_update): what it could tell and does not is gone.
-- Parts are added where the template lacked them. A media header keeps its file, and a button that the
-- notice tells at the same place and of the same kind keeps what the notice leaves out.
create or replace function messaging.reworded_components(components jsonb, wording jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  reworded jsonb := components;
  given record;
  part integer;
begin
  if coalesce(wording, 'null') = 'null' then
    return components;
  end if;
  reworded := coalesce((
    select jsonb_agg(kept.component order by c.place)
    from jsonb_array_elements(components) with ordinality as c(value, place)
    cross join lateral (
      select case upper(c.value->>'type')
        when 'HEADER' then case
          when wording->>'title' is not null or upper(coalesce(c.value->>'format', 'TEXT')) <> 'TEXT'
            then c.value
        end
        when 'FOOTER' then case when wording->>'footer' is not null then c.value end
        when 'BUTTONS' then case
          when wording->'buttons' is not null then c.value
          else c.value || jsonb_build_object('buttons', (
            select coalesce(jsonb_agg(b.value order by b.place), '[]')
            from jsonb_array_elements(c.value->'buttons') with ordinality as b(value, place)
            where upper(b.value->>'type') not in ('URL', 'PHONE_NUMBER')
          ))
        end
        else c.value
      end as component
    ) as kept
    where kept.component is not null and kept.component->'buttons' is distinct from '[]'
  ), '[]');
  for given in
    select * from (values
      ('HEADER', wording->>'title'), ('BODY', wording->>'body'), ('FOOTER', wording->>'footer')
    ) as t(type, words)
    where t.words is not null
  loop
    select (c.place - 1)::integer into part
    from jsonb_array_elements(reworded) with ordinality as c(value, place)
    where upper(c.value->>'type') = given.type
    limit 1;
    if part is null then
      reworded := reworded || jsonb_build_array(
        jsonb_build_object('type', given.type, 'text', given.words)
          || case when given.type = 'HEADER' then '{"format": "TEXT"}' else '{}' end::jsonb
      );
    elsif upper(coalesce(reworded->part->>'format', 'TEXT')) = 'TEXT' then
      reworded := jsonb_set(reworded, array[part::text, 'text'], to_jsonb(given.words));
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
