-- A stored payload's text without what is about a person: see without_person. NULL where nothing is left,
-- and where it is no JSON that can be looked into.
create or replace function messaging.redact_payload(payload text, pattern text)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return messaging.without_person(payload::jsonb, pattern)::text;
exception
  when data_exception or program_limit_exceeded then
    return null;
end;
$$;

-- A provider's payload without what is about a person. `pattern` finds the person's marks (see
-- marks_pattern).
-- A text that has a mark, and the object that holds it, are the person's; so are the objects that hold
-- nothing else. Elements of an array are judged one by one, so that the other people of a webhook that holds
-- several stay. Returns NULL where nothing is left.
create or replace function messaging.without_person(payload jsonb, pattern text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  rest jsonb;
  member record;
  had_lists boolean := false;
  has_elements boolean := false;
begin
  case jsonb_typeof(payload)
    when 'string' then
      return case when payload #>> '{}' !~ pattern then payload end;
    when 'array' then
      select coalesce(jsonb_agg(kept.value order by kept.place), '[]') into rest
      from (
        select e.place, messaging.without_person(e.value, pattern) as value
        from jsonb_array_elements(payload) with ordinality as e(value, place)
      ) as kept
      where kept.value is not null;
      return rest;
    when 'object' then
      rest := payload;
      for member in select e.key, e.value from jsonb_each(payload) as e loop
        if member.key ~ pattern then
          return null;
        end if;
        member.value := messaging.without_person(member.value, pattern);
        if member.value is null then
          return null;
        end if;
        if jsonb_typeof(payload->member.key) = 'array' and payload->member.key <> '[]' then
          had_lists := had_lists or member.value <> payload->member.key;
          has_elements := has_elements or member.value <> '[]';
        end if;
        rest := rest || jsonb_build_object(member.key, member.value);
      end loop;
      return case when not had_lists or has_elements then rest end;
    else
      return payload;
  end case;
end;
$$;
