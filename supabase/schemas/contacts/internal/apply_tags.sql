-- Gives a contact tags by name, creating those that the instance does not have yet, each with a
-- random colour (specification, section 2). Names are compared without regard to case and returned
-- as first written, in the order asked for. NULL names mean none.
create or replace function messaging.apply_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  if names is null or names in ('null', '[]') then
    return jsonb '[]';
  end if;
  -- All calls insert in one order, so that two calls with the same tags do not deadlock.
  insert into messaging.tags (instance_id, name, color)
  select apply_tags.instance_id, (array_agg(wanted.name order by wanted.place))[1],
    '#' || lpad(to_hex(floor(random() * 16777216)::integer), 6, '0')
  from jsonb_array_elements_text(names) with ordinality as wanted(name, place)
  group by lower(wanted.name)
  order by lower(wanted.name)
  on conflict do nothing;
  insert into messaging.contact_tags (contact_id, tag_id)
  select apply_tags.contact_id, t.id
  from messaging.tags t
  where t.instance_id = apply_tags.instance_id
    and lower(t.name) in (select lower(w.name) from jsonb_array_elements_text(names) as w(name))
  order by t.id
  on conflict do nothing;
  if found then
    perform messaging.note_contact(apply_tags.contact_id);
  end if;
  return (
    select jsonb_agg(applied.name order by applied.place)
    from (
      select t.name, min(w.place) as place
      from jsonb_array_elements_text(names) with ordinality as w(name, place)
      join messaging.tags t
        on t.instance_id = apply_tags.instance_id and lower(t.name) = lower(w.name)
      group by t.name
    ) as applied
  );
end;
$$;
